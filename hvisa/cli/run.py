"""`hvisa run`: one entry, with inputs from files and literals, outputs to files."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from hvisa.cli.options import Option, pairs
from hvisa.diagnostics import HvisaError, HvisaTrap, fail
from hvisa.program import Entry, load

OPTIONS = (
    Option("file", (), str, "Program: text (.hvasm) or bytecode (.hvbc).", "FILE"),
    Option("entry", ("--entry", "-e"), str, "Entry to run; default: the node that no other uses.",
           "NAME"),
    Option("inputs", ("--input", "-i"), list, "Value of a port: a number, `[1,2,3]`, `zeros(3,4)`, "
           "a .npy, .npz:key, image, folder of frames, .gif or .mp4. `PATH:f32` scales an image to 0..1 "
           "and converts the numbers of a .npy for an f32 port; `PATH:grey` takes the greys of an image. "
           "A stream takes its items from a list, the first axis of an array, a folder, .gif or .mp4.",
           "PORT=VALUE"),
    Option("outputs", ("--output", "-o"), list, "Where an output goes: .npy, .npz, .png, .gif, .mp4, or "
           "a folder for frames or the items of a stream. Others are printed.", "PORT=PATH"),
    Option("modules", ("--module", "-m"), list, "A module that the program imports from; repeatable.",
           "NAME=PATH"),
    Option("device", ("--device", "-d"), str, "Device; default: the best that takes the entry.",
           "NAME"),
    Option("timeout", ("--timeout",), float, "Seconds after which a launch is stopped.", "S"),
    Option("diagnose", ("--diagnose",), bool, "After a trap, replay on `reference`, name the first "
           "instance that faults and show its values."),
    Option("check_races", ("--check-races",), bool, "Run on `reference` and report instances that "
           "touch one element without order."),
    Option("trace_instance", ("--trace-instance",), str, "Run on `reference` and print what one "
           "instance runs and computes: its ids, `3` or `1,2`, or a leaf and its ids, `blur:1,2`.",
           "[NODE:]I,J"),
    Option("as_json", ("--json",), bool, "Print outputs, or messages, as JSON."),
)


def run(file: str, entry: str | None = None, inputs: Sequence[str] = (), outputs: Sequence[str] = (),
        modules: Sequence[str] = (), device: str | None = None, timeout: float | None = None,
        diagnose: bool = False, check_races: bool = False, trace_instance: str | None = None,
        as_json: bool = False) -> None:
    """Run an entry of a program.

    Example: `hvisa run saxpy.hvasm -i a=2 -i x=[1,2,3] -i y=ones(3) -o y=y.npy`

    With a folder, .gif or .mp4 as input the entry is called once a frame; `inout` arrays keep their
    contents from frame to frame. For a stream port the frames are the items of one call.
    """
    from hvisa.cli.inputs import Inputs
    from hvisa.cli.outputs import Outputs
    options = _reference_options(check_races, trace_instance, as_json)
    if options and device not in (None, "reference"):
        raise fail("HV1001", f"instances are followed on `reference` only, not on `{device}`",
                   help=f"leave out `--device {device}`")
    found = load(file, device=device, modules=pairs(modules, "--module")).entry(entry)
    sink = Outputs(found.signature, pairs(outputs, "--output"), as_json)
    given = Inputs(found.signature, pairs(inputs, "--input"))
    for number, values in enumerate(_with_progress(given.rounds(), given.frames)):
        try:
            if options:
                made = found.run_reference(values, timeout=timeout, **options)
            else:
                made = found.values(values, timeout=timeout)
        except HvisaTrap as trap:
            if not diagnose:
                raise
            again = Inputs(found.signature, pairs(inputs, "--input"))
            _replay(found, again, number, trap)
            raise
        sink.take(made)
    sink.close()


def _reference_options(check_races: bool, trace_instance: str | None, as_json: bool) -> dict[str, Any]:
    options: dict[str, Any] = {"check_races": True} if check_races else {}
    if trace_instance is not None:
        from hvisa.runtime.options import read_instance
        options["trace_instance"] = read_instance(trace_instance)
        if as_json:  # stdout is for the outputs
            options["trace_sink"] = lambda line: print(line, file=sys.stderr)
    return options


def _replay(entry: Entry, inputs: Any, number: int, trap: HvisaTrap) -> None:
    """Run the faulty round again on `reference`, then once more with a log of the first instance
    that faults. Raises the trap as `reference` sees it."""
    rounds = inputs.rounds()
    for _ in range(number):
        entry.run_reference(next(rounds))
    values = next(rounds)
    copies = {name: v.copy() if hasattr(v, "copy") else v for name, v in values.items()}
    try:
        entry.run_reference(values)
    except HvisaTrap as first:
        log: list[str] = []
        _trace(entry, copies, first, log)
        for line in log:
            print(line, file=sys.stderr)
        raise first from trap
    print("on `reference` the program does not trap", file=sys.stderr)


def _trace(entry: Entry, values: Mapping[str, Any], trap: HvisaTrap, log: list[str]) -> None:
    try:
        entry.run_reference(values, print_sink=log.append,
                            trace_instance=("/".join(trap.path), trap.instance or ()))
    except HvisaError:
        return  # the trap again, or one of no instance


def _with_progress(rounds: Iterator[dict[str, Any]], total: int) -> Iterator[dict[str, Any]]:
    """The same rounds; a bar on stderr once they take longer than a second."""
    started = time.monotonic()
    for number, values in enumerate(rounds):
        yield values
        if total > number + 1 and time.monotonic() - started > 1 and sys.stderr.isatty():
            with _bar(total, number + 1) as advance:
                for more in rounds:
                    yield more
                    advance()
            return


@contextmanager
def _bar(total: int, done: int) -> Generator[Any, None, None]:
    from rich.console import Console
    from rich.progress import Progress
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("frames", total=total, completed=done)
        yield lambda: progress.advance(task)
