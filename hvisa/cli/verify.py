"""`hvisa verify`: every mistake of a program, or none."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer


def verify(files: Annotated[list[str], typer.Argument(metavar="FILE...",
                                                      help="Programs (.hvasm, .hvbc).")],
           modules: Annotated[list[str], typer.Option("--module", "-m", metavar="NAME=PATH",
                                                      show_default=False, help="A module that the "
                                                      "programs import from; repeatable.")] = [],  # noqa: B006
           as_json: Annotated[bool, typer.Option("--json", help="Print the messages as JSON.")
                              ] = False) -> None:
    """Check programs without running them. Exit code 1 if one has mistakes.

    Example: `hvisa verify saxpy.hvasm --json`
    """
    from hvisa.cli.options import pairs
    from hvisa.diagnostics import Diagnostic, HvisaError
    from hvisa.loaded import check_file
    found: list[Diagnostic] = []
    given = pairs(modules, "--module")
    for file in files:
        try:
            check_file(file, given)
        except HvisaError as error:
            found += error.diagnostics
            if not as_json:
                print(error, file=sys.stderr)
        else:
            if not as_json:
                print(f"{file}: ok")
    if as_json:
        print(json.dumps({"ok": not found, "diagnostics": [d.as_dict() for d in found]}))
    if found:
        raise typer.Exit(1)
