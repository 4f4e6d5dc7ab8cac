"""`hvisa fmt`: the canonical layout of a text, comments kept."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def fmt(files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Texts (.hvasm).")],
        check: Annotated[bool, typer.Option("--check", help="Change nothing; exit code 1 if a file "
                                            "would change.")] = False) -> None:
    """Bring texts into the canonical layout, in place.

    Example: `hvisa fmt *.hvasm`
    """
    from hvisa.assembler.parser import parse
    from hvisa.assembler.printer import format_text
    from hvisa.files import read_text, write_whole
    changed: list[str] = []
    for file in files:
        text = read_text(file)
        found = format_text(text, parse(text, file))
        if found == text:
            continue
        changed.append(file)
        if not check:
            write_whole(file, found.encode())
    for file in changed:
        print(f"{'would change' if check else 'changed'} {file}", file=sys.stderr)
    if changed and check:
        raise typer.Exit(1)
