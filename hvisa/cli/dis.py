"""`hvisa dis`: bytecode to text."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def dis(file: Annotated[str, typer.Argument(metavar="FILE", help="Bytecode (.hvbc).")],
        output: Annotated[str, typer.Option("--output", "-o", metavar="PATH", show_default=False,
                                            help="Default: standard output.")] = "") -> None:
    """Print bytecode as text. What is written assembles to the same bytes.

    Example: `hvisa dis saxpy.hvbc -o saxpy.hvasm`
    """
    from hvisa.assembler.printer import print_module
    from hvisa.files import write_whole
    from hvisa.program import load
    text = print_module(load(file).module)
    if output:
        write_whole(output, text.encode())
    else:
        sys.stdout.write(text)
