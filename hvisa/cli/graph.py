"""`hvisa graph`: a drawing of a program. Not among the commands until drawings can be made."""

from __future__ import annotations

from hvisa.diagnostics import fail


def graph(file: str, output: str) -> None:
    """Draw the graph of a program.

    Example: `hvisa graph edge.hvasm -o edge.svg`
    """
    raise fail("HV1021", f"`{output}` can't be written: this version has no drawings",
               help=f"`hvisa explain {file}` describes the program in words")
