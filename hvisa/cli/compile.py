"""`hvisa compile`: a file of Python to bytecode or text."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Annotated

import typer


def compile_(file: Annotated[str, typer.Argument(metavar="FILE", help="Python (.py).")],
             output: Annotated[str, typer.Option("--output", "-o", metavar="PATH", show_default=False,
                                                 help="A .hvbc or .hvasm. Default: FILE with the "
                                                 "ending .hvbc.")] = "",
             name: Annotated[str, typer.Option("--name", metavar="NAME", show_default=False,
                                               help="The module's name. Default: the file's.")] = "",
             as_json: Annotated[bool, typer.Option("--json", help="Print what was made, or the "
                                                   "messages, as JSON.")] = False) -> None:
    """Compile all decorated functions of a Python file, and what they use, to one module.

    The file is imported, so compile only what you would run. The same file gives the same bytes
    anywhere.

    Example: `hvisa compile kernels.py -o kernels.hvbc`
    """
    from hvisa.decorated import check_ending, compile_file, save_module
    path = output or f"{os.path.splitext(file)[0]}.hvbc"
    check_ending(path)  # before anything of the file is run
    with contextlib.redirect_stdout(sys.stderr):  # what the file prints is not what we print
        module = compile_file(file, name)
    save_module(module, path)
    if as_json:
        nodes = [d.name for d in module.definitions.values() if d.kind != "func" and d.public]
        print(json.dumps({"ok": True, "output": path, "module": module.name, "entries": nodes}))
