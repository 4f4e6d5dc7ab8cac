"""Writes docs/spec/math.md: every function, what it promises, and the errors that were measured.

    python tools/math_page.py [--check] [--points N] [--seed N]

Measures each function anew, and on the same points those of other libraries (`tools/peers.py`); some
minutes. `--check` only asks whether the page lists every function with its promise, since the largest
error found depends on the points.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from hvisa.frontends.python.names import MATHEMATICS  # noqa: E402
from hvisa.library.catalogue import CATALOGUE, Entry  # noqa: E402

PAGE = ROOT / "docs" / "spec" / "math.md"
HEAD = """# The standard mathematics, version 1

Made from `hvisa/library/catalogue/` and a run of `tools/math_page.py`; do not edit.

The functions are written in the instruction set itself, so each device gives the same bits (semantics 16). A program that
uses them says `math 1`; in Python they are `hvisa.exp(x)`, in text `import "math" private func @exp.f32(%x: f32) -> (f32)`.
f16 and bf16 go through f32 and are rounded once more; vectors go lane by lane. f32 functions use no f64.

Errors are in ULP: the distance of the two numbers of the type around the exact value. *Promised* is a bound that tests hold;
0 means that every result is the exact one.

| function | meaning | promised f32 | promised f64 |
|---|---|---|---|
"""
FAST = """
## Fast variants

In Python a leaf or function that says `fast=True`, or `fast="approximate"`, calls them: `@hvisa.leaf(fast=True)`. In text they have
names of their own, and who calls them is `inexact`: `import "math" private func @exp.f32.fast(%x: f32) -> (f32) inexact`. *Where* says
which arguments the bound holds for; *found* is on those of the points below. All other functions are called as they are.

| function | where | promised f32 | promised f64 | found f32 | found f64 |
|---|---|---|---|---|---|
"""
FOUND = """
## Errors found, beside other libraries

The largest errors on the same {points:,} points of each type, beside some 5,000 special values and their neighbours: half of them
random bits, half in the interesting range (seed {seed}). glibc's wider types look first, mpmath decides about the {deciding} that look
worst. An exact value that is rounded is within 0.5. All 2^32 inputs of f32: [long runs](../../benchmarks/long/results.md).

- *glibc*: scalar functions, called from C without -ffast-math. *libmvec*: glibc's vector functions, which gcc calls with -O3
  -ffast-math; only on points of the interesting range where the result is neither 0, subnormal, infinite nor NaN, since that option
  promises nothing of the others.
- *CUDA* was not run: it is what NVIDIA documents, from tests that are "extensive but not exhaustive", as the distance to the
  *rounded* exact value, so that 1 there may be 1.5 here. Source: CUDA C++ Programming Guide, the last edition (CUDA 13.0),
  section 17.1, tables 17 and 18. `^`: outside of [-10.001, -2.264] (f32) and [-23.0001, -2.2637] (f64), "larger inside".
- *lgamma* below 0: errors of at most 2^-24 and 2^-53 count for none of the libraries, as is promised of hvisa's.
- `*`: some results are another NaN, infinity or zero than C23's, or of the wrong sign; the figure is of the other points.
- `-`: the library has no function of that meaning, or was not there.

Versions: {versions}; {date}.
"""
COLUMNS = ("hvisa", "glibc", "libmvec", "numpy", "torch")
DECIDING = 500


def _cell(text: str) -> str:
    """A text in a table: a bar would end the cell."""
    return text.replace("|", "\\|")


def promise(entry: Entry) -> str:
    """The row of what is promised."""
    function = MATHEMATICS[entry.name]
    call = f"`{entry.name}({', '.join(function.parameters)})`"
    notes = " ".join(filter(None, [entry.special, entry.exact and f"Exact: {entry.exact}."]))
    return f"| {call} | {_cell(entry.summary)} {_cell(notes)} | {entry.bounds[0]:g} | {entry.bounds[1]:g} |"


def fast_promise(entry: Entry) -> str:
    """The same of the fast variant, without what was found; nothing where there is none."""
    if entry.fast is None:
        return ""
    bounds = " | ".join(f"{b:g}" for b in entry.fast)
    return f"| `{entry.name}` | {_cell(entry.fast_domain or 'everywhere')} | {bounds} |"


def figure(entry: Entry, type_: str, arguments: list[np.ndarray], found: np.ndarray) -> str:
    """An error as the page has it."""
    from tools.ulp import judged
    one = judged(entry, type_, arguments, found, deciding=DECIDING)
    return f"{one.worst:.{'3f' if one.worst < 100 else '0e'}}{'*' if one.wrong else ''}"


def inside(entry: Entry, type_: str, arguments: list[np.ndarray], found: np.ndarray) -> np.ndarray:
    """Which points are of the interesting range, with a result that is a normal number."""
    low, high = entry.interval(type_)
    kept = np.isfinite(found) & (np.abs(found) >= np.finfo(found.dtype).tiny)
    for a in arguments[:1] if entry.integer else arguments:
        kept &= (a >= low) & (a <= high)
    return kept


def points(entry: Entry, type_: str, count: int, seed: int) -> list[np.ndarray]:
    from tools.ulp import sample
    arguments = sample(entry, type_, count, seed)
    if entry.name != "copysign":
        return arguments
    return [a[~np.isnan(arguments[1])] for a in arguments]  # others take the sign of a NaN


def errors(entry: Entry, type_: str, count: int, seed: int) -> str:
    """A row of what was found."""
    from tools.peers import documented, function_of
    from tools.ulp import compiled
    arguments = points(entry, type_, count, seed)
    own = compiled(entry.name, type_, "x86")(*arguments)[0]
    cells = [f"`{entry.name}`", figure(entry, type_, arguments, own)]
    for peer in COLUMNS[1:]:
        function = function_of(peer, entry.name, type_)
        if function is None:
            cells.append("-")
            continue
        given = arguments
        if peer == "libmvec":
            kept = inside(entry, type_, arguments, own)
            given = [a[kept] for a in arguments]
        cells.append(figure(entry, type_, given, function(*given)))
    return "| " + " | ".join([*cells, documented(entry.name, type_)]) + " |"


def fast_rows(count: int, seed: int) -> Iterator[str]:
    """Rows of the fast variants, on the points that their bounds hold for."""
    from tools import ulp
    for entry in (e for e in CATALOGUE.values() if fast_promise(e)):
        cells = []
        for type_ in ulp.DTYPES:
            arguments = points(entry, type_, count, seed)
            kept = ulp.in_fast_domain(entry.name, type_, arguments)
            given = [a[kept] for a in arguments]
            found = ulp.compiled(entry.name, type_, "x86", fast=True)(*given)[0]
            cells.append(figure(entry, type_, given, found))
        yield f"{fast_promise(entry)} {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.check:
        return 0 if is_current() else 1
    from tools.peers import versions
    page = HEAD + "".join(promise(e) + "\n" for e in CATALOGUE.values())
    fast = list(fast_rows(options.points, options.seed))
    page += FAST + "\n".join(fast) + "\n" if fast else ""
    page += FOUND.format(points=options.points, seed=options.seed, deciding=DECIDING, versions=versions(),
                         date=datetime.date.today().isoformat())
    for type_ in ("f32", "f64"):
        page += f"\n| {type_} | {' | '.join(COLUMNS)} | CUDA |\n|---|{'---|' * (len(COLUMNS) + 1)}\n"
        for entry in CATALOGUE.values():
            row = errors(entry, type_, options.points, options.seed)
            print(type_, row, flush=True)
            page += row + "\n"
    PAGE.write_text(page, encoding="utf-8")
    return 0


def is_current() -> bool:
    """Whether the page has every function with what it promises."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    missing = [e.name for e in CATALOGUE.values() if promise(e) not in page or fast_promise(e) not in page]
    if missing:
        print(f"{PAGE} lacks {', '.join(missing)}: run tools/math_page.py")
    return not missing and page.startswith(HEAD)


if __name__ == "__main__":
    sys.exit(main())
