"""Writes docs/spec/math.md: every function, what it promises, and the errors that were measured.

    python tools/math_page.py [--check] [--points N] [--seed N]

Measures each function anew (some minutes); `--check` only asks whether the page lists every function with
its promise, since the largest error found depends on the points.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path

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
*found* is the largest error of the points below: special values, all exponents at random, and the interesting range,
judged by mpmath (for f32 numpy's f64 first). 0 means that every result is the exact one, rounded.

"""


def promise(entry: Entry) -> str:
    """The part of a row that does not depend on measurement."""
    function = MATHEMATICS[entry.name]
    call = f"`{entry.name}({', '.join(function.parameters)})`"
    notes = " ".join(filter(None, [entry.special, entry.exact and f"Exact: {entry.exact}."]))
    return f"| {call} | {entry.summary} {notes} | {entry.bounds[0]:g} | {entry.bounds[1]:g} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--points", type=int, default=20_000)
    parser.add_argument("--points64", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.check:
        return 0 if is_current() else 1
    from tools.ulp import measure
    lines = ["| function | meaning | promised f32 | promised f64 | found f32 | found f64 |", "|---|---|---|---|---|---|"]
    for entry in CATALOGUE.values():
        found = [measure(entry.name, t, n, options.seed)[0]
                 for t, n in (("f32", options.points), ("f64", options.points64))]
        lines.append(f"{promise(entry)} {found[0]:.3f} | {found[1]:.3f} |")
        print(lines[-1], flush=True)
    day = datetime.date.today().isoformat()
    lines += ["", f"Measured on {day}: {options.points:,} points of f32 and {options.points64:,} of f64 beside some "
              f"5,000 special ones each, seed {options.seed}, `tools/ulp.py`."]
    PAGE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return 0


def is_current() -> bool:
    """Whether the page has every function with what it promises."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    missing = [e.name for e in CATALOGUE.values() if promise(e) not in page]
    if missing:
        print(f"{PAGE} lacks {', '.join(missing)}: run tools/math_page.py")
    return not missing and page.startswith(HEAD)


if __name__ == "__main__":
    sys.exit(main())
