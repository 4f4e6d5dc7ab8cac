"""The command `hvisa`. Exit codes: 0 done, 1 an error in the program or its inputs, 2 a wrong command
line, 3 a trap while it ran, 130 interrupted.

`hvisa run` with a well-formed command line goes its way without typer, which takes longer to import
than a translated program takes to run; everything else, help and mistakes included, is typer's.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from hvisa.diagnostics import HvisaError, HvisaTrap, fail

ERROR, TRAP, INTERRUPTED = 1, 3, 130


def main() -> None:
    """Run the command line of this process and end it."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code. Messages go to stderr, or as JSON to stdout if the
    command was asked for JSON."""
    try:
        quick = _quick(arguments)
        if quick is not None:
            quick()
        else:
            _typer_app()(list(arguments), prog_name="hvisa")
    except HvisaError as error:
        return _report(error, "--json" in arguments)
    except MemoryError:
        return _report(fail("HV1005", "there is no memory for the inputs and outputs",
                            help="use smaller sizes"), "--json" in arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        sys.stdout = None  # type: ignore[assignment]
        return 0
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def _show_version(wanted: bool) -> None:
    if wanted:
        from hvisa import __version__
        print(f"hvisa {__version__}")
        raise SystemExit(0)


# What a help says to Python, and what it says here.
_REMEDIES = (
    (r"`timeout=`", "`--timeout S`"),
    (r"it is an output: .*", "it is an output: say where it goes with `--output NAME=PATH`"),
    (r"pass it: `hvisa\.load\(\.\.\., externs=.*", "only Python can pass host functions: "
     "`hvisa.load(..., externs={name: function})`"),
    (r"pass it: `hvisa\.load\(.*\)`, or `(--module .*)` on the command line", r"pass it: `\1`"),
    (r"convert it first: `x\.astype\((?:np\.)?(\w+)\)`", r"give a .npy of dtype \1"),
    (r"make it with `dtype=(?:np\.)?(\w+)`.*", r"give a .npy of dtype \1"))


def _report(error: HvisaError, as_json: bool) -> int:
    """Print an error; the exit code."""
    for diagnostic in error.diagnostics:
        for pattern, remedy in _REMEDIES:
            diagnostic.help = re.sub(pattern, remedy, diagnostic.help)
    if as_json:
        print(json.dumps({"ok": False, "diagnostics": [d.as_dict() for d in error.diagnostics]}))
    else:
        print(error, file=sys.stderr)
    return TRAP if isinstance(error, HvisaTrap) else ERROR


def _quick(arguments: Sequence[str]) -> Callable[[], Any] | None:
    """The call for a plain `hvisa run ...`; None for anything that typer should look at."""
    if not arguments or arguments[0] != "run":
        return None
    from hvisa.cli.options import parse_quickly
    from hvisa.cli.run import OPTIONS, run
    found = parse_quickly(OPTIONS, arguments[1:])
    return None if found is None else lambda: run(**found)


def _typer_app() -> Any:
    import typer

    def _options_of_all(version: bool = typer.Option(
            False, "--version", callback=_show_version, is_eager=True,
            help="Print the version.")) -> None:
        """Options of every command."""

    from hvisa.cli import asm, cache, compile, devices, dis, explain, fmt, graph, translate, verify
    from hvisa.cli.options import typer_function
    from hvisa.cli.run import OPTIONS, run
    app = typer.Typer(name="hvisa", no_args_is_help=True, pretty_exceptions_enable=False,
                      rich_markup_mode="markdown",
                      help="Assemble, check, run and explain programs of the virtual instruction "
                      "set.\n\n"
                      "Example: `hvisa run saxpy.hvasm --input a=2 --input x=[1,2] --input y=[3,4]`\n\n"
                      "Exit codes: 0 done, 1 an error in the program or its inputs, 2 a wrong "
                      "command line, 3 a trap while it ran.")
    app.callback()(_options_of_all)
    app.command("run")(typer_function(run, OPTIONS))
    app.command("asm")(asm.asm)
    app.command("compile")(compile.compile_)
    app.command("dis")(dis.dis)
    app.command("fmt")(fmt.fmt)
    app.command("verify")(verify.verify)
    app.command("translate")(translate.translate)
    app.command("graph")(graph.graph)
    app.command("devices")(devices.devices)
    app.command("explain")(explain.explain)
    app.command("cache")(cache.cache)
    return app
