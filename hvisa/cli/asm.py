"""`hvisa asm`: text to bytecode."""

from __future__ import annotations

from typing import Annotated

import typer


def asm(file: Annotated[str, typer.Argument(metavar="FILE", help="Text (.hvasm).")],
        output: Annotated[str, typer.Option("--output", "-o", metavar="PATH", show_default=False,
                                            help="Default: FILE with the ending .hvbc.")] = "",
        ) -> None:
    """Assemble a text to bytecode. The program is verified first.

    Example: `hvisa asm saxpy.hvasm -o saxpy.hvbc`
    """
    import os

    from hvisa.files import write_whole
    from hvisa.program import load
    program = load(file)
    path = output or f"{os.path.splitext(file)[0]}.hvbc"
    from hvisa.assembler.encoder import encode
    write_whole(path, encode(program.module))
