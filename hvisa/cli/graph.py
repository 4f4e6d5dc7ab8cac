"""`hvisa graph`: the hierarchy of a program as a picture."""

from __future__ import annotations

from typing import Annotated

import typer


def graph(file: Annotated[str, typer.Argument(metavar="FILE", help="Program: text or bytecode.")],
          output: Annotated[str, typer.Option("--output", "-o", metavar="PATH", help="The .svg to write.")],
          entry: Annotated[str, typer.Option("--entry", "-e", metavar="NAME", show_default=False,
                                             help="Draw this node; default: all that no other uses.")] = "",
          depth: Annotated[int, typer.Option("--depth", min=0, metavar="N",
                                             help="Levels of graphs to draw inside each other.")] = 8,
          ) -> None:
    """Draw a program: nested boxes for graphs, green ones for leaves, edges with their types.

    Example: `hvisa graph edge.hvasm -o edge.svg`
    """
    from hvisa.diagnostics import fail
    from hvisa.files import write_whole
    from hvisa.graph.drawing import draw
    from hvisa.program import load
    if not output.endswith(".svg"):
        raise fail("HV1021", f"`{output}` can't be written: drawings are SVG", help="end it in .svg")
    module = load(file).module
    name = entry.lstrip("@")
    if name and name not in module.definitions:
        known = ", ".join(f"@{n}" for n in module.definitions)
        raise fail("HV1009", f"`@{name}` is not a node of this module", help=f"nodes are {known}")
    write_whole(output, draw(module, name or None, depth).encode())
