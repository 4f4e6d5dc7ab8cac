"""`python -m hvisa` is the command `hvisa`."""

from hvisa.cli.main import main

main()
