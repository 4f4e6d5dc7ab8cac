"""Errors of the mathematics on all f32 inputs, and on a million points of both types.

    python benchmarks/long/mathematics.py all [NAME ...]
    python benchmarks/long/mathematics.py random [NAME ...] [--points N] [--seed N]
    python benchmarks/long/mathematics.py table

`all` runs functions of one argument on all 2^32 bit patterns, some 2 to 5 minutes each; `random` all
functions on special values, random exponents and the interesting range. What runs is compiled code
(device x86). `judged` in `tools/ulp.py` tells how errors are found. Those promised to be monotone, and
tanh, are compared at all neighbouring f32. Each finished function is a line in `--record`, and is skipped
when the command runs again for the same library; `table` prints the lines as Markdown.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from hvisa.frontends.python.names import MATHEMATICS  # noqa: E402
from hvisa.library.catalogue import CATALOGUE, Entry  # noqa: E402
from hvisa.library.standard import library_stamp  # noqa: E402
from tools.ulp import DTYPES, EXPRESSIONS, compiled, judged, sample  # noqa: E402

CHUNK = 1 << 19
HALF = 1 << 31  # the bit patterns from here on are the negative numbers, going down
FIRST = ["exp", "log", "sin", "cos", "rsqrt", "tanh"]
Function = Callable[..., list[Any]]


class Line(NamedTuple):
    """What is recorded of a function. `rounded` counts results that are the exact value rounded, `wrong`
    those of the wrong kind, `falls` neighbours that go down (None where they may)."""

    kind: str
    name: str
    type_: str
    points: int
    seed: int
    stamp: str
    worst: float
    at: list[str]
    rounded: int
    wrong: int
    falls: int | None
    seconds: int
    date: str
    commit: str


def chunks() -> Iterator[np.ndarray]:
    """All f32 in the order of their bits, NaNs too."""
    first = np.arange(CHUNK, dtype=np.uint32)
    for low in range(0, 1 << 32, CHUNK):
        yield (first + np.uint32(low)).view(np.float32)


def falls(found: np.ndarray, before: Any, negative: bool) -> int:
    """How many neighbours go down, `before` being what came before the chunk."""
    row = found if before is None else np.concatenate([[before], found])
    step = row[1:] < row[:-1] if not negative else row[1:] > row[:-1]
    return int(np.count_nonzero(step))


def all_inputs(entry: Entry, function: Function) -> dict[str, Any]:
    """Every f32. The first result of several is judged."""
    worst, at, rounded, wrong, down = 0.0, "", 0, 0, 0
    before: Any = None
    monotone = "monotone" in entry.exact or entry.name == "tanh"
    for number, x in enumerate(chunks()):
        found = function(x)[0]
        one = judged(entry, "f32", [x], found, deciding=20, above=worst)
        if one.worst > worst:
            worst, at = one.worst, repr(float(x[one.place]))
        rounded, wrong = rounded + one.rounded, wrong + one.wrong
        low = number * CHUNK
        if monotone:
            # At the seam the bits go from NaN to -0, whose neighbour is the least positive number.
            seam = function(np.zeros(1, np.float32))[0][0] if low == HALF else before
            down += falls(found, seam, low >= HALF)
            before = found[-1]
        if number % 64 == 63:
            part = (low + CHUNK) / (1 << 32)
            print(f"\r{entry.name} {part:4.0%} {worst:.4f} ULP", end="", file=sys.stderr, flush=True)
    print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    return {"worst": worst, "at": [at], "rounded": rounded, "wrong": wrong,
            "falls": down if monotone else None, "points": 1 << 32}


def random_inputs(entry: Entry, type_: str, function: Function, points: int, seed: int) -> dict[str, Any]:
    arguments = sample(entry, type_, points, seed)
    results = function(*arguments)
    found = [judged(entry, type_, arguments, results[n], n)
             for n in range(len(EXPRESSIONS.get(entry.name, (entry.name,))))]
    worst = max(found)
    return {"worst": worst.worst, "at": [repr(a[worst.place].item()) for a in arguments],
            "rounded": min(f.rounded for f in found), "wrong": sum(f.wrong for f in found), "falls": None,
            "points": len(arguments[0])}


def recorded(path: Path) -> list[Line]:
    """The lines of the library as it is now."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    found = [Line(**json.loads(text)) for text in lines]
    return [line for line in found if line.stamp == library_stamp()]


@functools.cache
def commit() -> str:
    """What was checked out when the command started."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def record(path: Path, kind: str, entry: Entry, type_: str, seed: int,
           run: Callable[[], dict[str, Any]]) -> None:
    start, at = time.monotonic(), commit()
    found = run()
    line = Line(kind=kind, name=entry.name, type_=type_, seed=seed, stamp=library_stamp(), commit=at,
                date=datetime.date.today().isoformat(), seconds=round(time.monotonic() - start), **found)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line._asdict()) + "\n")
    bad = line.worst > entry.bound(type_) or line.wrong or line.falls
    print(f"{entry.name:16} {type_} {line.worst:.4f} of {entry.bound(type_):g} ULP "
          f"at {', '.join(line.at)}; {shown_share(line)} rounded as the exact value; wrong in kind "
          f"{line.wrong}; falls {shown_falls(line)}; {line.seconds} s{'   BEYOND' if bad else ''}",
          flush=True)


def shown_share(line: Line) -> str:
    """Rounded down: 100 % is all of them."""
    return f"{np.floor(line.rounded / line.points * 1e5) / 1e3:.3f} %"


def shown_falls(line: Line) -> str:
    return "-" if line.falls is None else str(line.falls)


def table(lines: list[Line]) -> None:
    """Markdown: all inputs, then random points."""
    print("| function | largest error | at | correctly rounded | wrong NaN, inf, 0 | falls |\n"
          "|---|---|---|---|---|---|")
    for line in (n for n in lines if n.kind == "all"):
        print(f"| `{line.name}` | {line.worst:.4f} | {line.at[0] or '-'} | {shown_share(line)} | "
              f"{line.wrong} | {shown_falls(line)} |")
    by = {(n.name, n.type_): n for n in lines if n.kind == "random"}
    print("\n| function | f32 | correctly rounded | f64 | correctly rounded | wrong NaN, inf, 0 |\n"
          "|---|---|---|---|---|---|")
    for name in CATALOGUE:
        pair = [by[name, t] for t in DTYPES if (name, t) in by]
        if len(pair) == 2:
            print(f"| `{name}` | " + " | ".join(f"{n.worst:.4f} | {shown_share(n)}" for n in pair)
                  + f" | {sum(n.wrong for n in pair)} |")


def wanted(kind: str, names: list[str]) -> Iterator[tuple[Entry, str]]:
    single = [n for n, e in CATALOGUE.items() if e.arguments == 1]
    default = [*FIRST, *(n for n in single if n not in FIRST)] if kind == "all" else list(CATALOGUE)
    for name in names or default:
        if name not in CATALOGUE or (kind == "all" and name not in single):
            raise SystemExit(f"{name} is not one of {', '.join(default)}")
        for type_ in ("f32",) if kind == "all" else DTYPES:
            yield CATALOGUE[name], type_


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("all", "random", "table"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MATHEMATICS)}")
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=Path, default=ROOT / "build" / "mathematics.jsonl")
    options = parser.parse_args()
    if options.kind == "table":
        table(recorded(options.record))
        return
    options.record.parent.mkdir(parents=True, exist_ok=True)
    seed = 0 if options.kind == "all" else options.seed
    done = {(n.kind, n.name, n.type_, n.seed) for n in recorded(options.record)}
    for entry, type_ in wanted(options.kind, options.names):
        if (options.kind, entry.name, type_, seed) in done:
            print(f"{entry.name:16} {type_} is recorded in {options.record}")
            continue
        function = compiled(entry.name, type_, "x86")
        run = (functools.partial(all_inputs, entry, function) if options.kind == "all" else
               functools.partial(random_inputs, entry, type_, function, options.points, seed))
        record(options.record, options.kind, entry, type_, seed, run)


if __name__ == "__main__":
    main()
