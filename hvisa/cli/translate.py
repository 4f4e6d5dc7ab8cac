"""`hvisa translate`: native code into the cache, before anything runs."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hvisa.diagnostics import HvisaError

if TYPE_CHECKING:
    from hvisa.program import Program


def translate(file: Annotated[str, typer.Argument(help="Program: text (.hvasm) or bytecode (.hvbc).")],
              entries: Annotated[list[str], typer.Option("--entry", "-e", metavar="NAME",
                                                         show_default=False, help="Entry; repeatable. "
                                                         "Default: the nodes that no other uses.")
                                 ] = [],  # noqa: B006
              devices: Annotated[list[str], typer.Option("--device", "-d", metavar="NAME",
                                                         show_default=False, help="Device; repeatable. "
                                                         "Default: all that translate.")] = [],  # noqa: B006
              modules: Annotated[list[str], typer.Option("--module", "-m", metavar="NAME=PATH",
                                                         show_default=False, help="A module that the "
                                                         "program imports from; repeatable.")] = [],  # noqa: B006
              as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
              ) -> None:
    """Translate a program for the devices of this machine, so that no run has to wait for it.

    What comes of it lies in the cache (`hvisa cache`). Exit code 1 if a device declines an entry.

    Example: `hvisa translate saxpy.hvasm --device multicore`
    """
    from hvisa.cli.options import AnyExtern, pairs
    from hvisa.program import load
    from hvisa.runtime.devices import list_devices
    from hvisa.runtime.options import check_device
    for device in devices:
        check_device(device)
    # Host functions are not called here.
    program = load(file, externs=AnyExtern(), modules=pairs(modules, "--module"))
    names = [program.entry(e).name for e in entries] or program.roots
    wanted = devices or [d.name for d in list_devices() if d.available]
    rows = [_translated(program, name, device) for name in names for device in wanted]
    declined = [d for row in rows for d in row["diagnostics"]]
    if as_json:
        print(json.dumps({"ok": not declined, "translations": rows}))
    else:
        for row in rows:
            print(f"@{row['entry']} for {row['device']}: {row['state']}", end="")
            print(f", {row['bytes']} bytes, {row['seconds'] * 1e3:.0f} ms" if row["bytes"] else "")
            if row["error"] is not None:
                print(row["error"], file=sys.stderr)
    if declined:
        raise typer.Exit(1)


def _translated(program: Program, name: str, device: str) -> dict[str, Any]:
    """One row: what was done, and how long it took."""
    from hvisa.runtime.devices import REFERENCE
    from hvisa.runtime.translations import process_cache
    row: dict[str, Any] = {"entry": name, "device": device, "bytes": 0, "seconds": 0.0,
                           "diagnostics": [], "error": None}
    if device == REFERENCE:
        return row | {"state": "interpreted, nothing to translate"}
    start, puts = time.perf_counter(), process_cache().stats.puts
    try:
        row["bytes"] = sum(len(a.code) for a in program.artifacts(name, device))
    except HvisaError as error:
        if set(error.codes) != {"HV1103"}:
            raise
        return row | {"state": "declined", "error": str(error),
                      "diagnostics": [d.as_dict() for d in error.diagnostics]}
    row["seconds"] = time.perf_counter() - start
    return row | {"state": "translated" if process_cache().stats.puts > puts else "in the cache already"}
