"""Minimax polynomials of the library, by Remez's exchange: `python tools/minimax.py [FAMILY ...]`.

Writes hvisa/library/mathematics/<family>_coefficients.py from `tools/minimax_tables/<family>.py`. Each
entry of a TABLE is a function on an interval, the
powers that its polynomial has, the weight of the error, and the type to which the coefficients are
rounded. They are rounded one by one, lowest power first, and the others are fitted again after each, so
that rounding costs little. Method: E. Ya. Remez 1934; N. Brisebarre, J.-M. Muller, A. Tisserand,
"Computing machine-efficient polynomial approximations", ACM TOMS 32(2), 2006, section 1.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np

TABLES = Path(__file__).parent / "minimax_tables"
TARGET = Path(__file__).parent.parent / "hvisa/library/mathematics"
GRID = 800  # points at which the error is looked at
ROUNDS = 30
Function = Callable[[Any], Any]


class Entry:
    """One polynomial: sum of c[n] x^powers[n], near f on [low, high]; `weight` is what the error is
    measured by (None: f itself, a relative error). `exact` fixes leading coefficients. `together` rounds
    all coefficients at once: for intervals around 0, where what is left after the first one does not
    alternate as the exchange expects, and where rounding costs little."""

    def __init__(self, name: str, f: Function, low: float, high: float, powers: Sequence[int],
                 type_: str, weight: Function | None = None, exact: Sequence[float] = (),
                 together: bool = False):
        self.name = name
        self.f = f
        self.low = mp.mpf(low)
        self.high = mp.mpf(high)
        self.powers = list(powers)
        self.type = type_
        self.weight = weight or f
        self.exact = list(exact)
        self.together = together


def rounded(value: Any, type_: str) -> Any:
    """The nearest number of a type, as mpmath has it."""
    if type_ == "f64":
        return mp.mpf(float(value))
    # Through a text with enough digits, so that it is rounded once.
    return mp.mpf(float(np.float32(mp.nstr(value, 40))))


def points(low: Any, high: Any, count: int) -> list[Any]:
    """Chebyshev's points, close together at the ends; the interval's middle is avoided where f may be
    0/0."""
    return [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * count))
            for k in range(count)]


def remez(entry: Entry, target: Function, powers: list[int]) -> tuple[list[Any], Any]:
    """Coefficients for `powers` that leave the least error, and that error."""
    grid = points(entry.low, entry.high, GRID)
    values = [(x, target(x), entry.weight(x)) for x in grid]
    count = len(powers) + 1
    chosen = [min(GRID - 1, round((k + 0.5) * GRID / count)) for k in range(count)]
    best: tuple[list[Any], Any] = ([mp.mpf(0)] * len(powers), mp.inf)
    for _ in range(ROUNDS):
        rows, right = [], []
        for sign, at in enumerate(chosen):
            x, f, w = values[at]
            rows.append([x**p for p in powers] + [(-1)**sign * w])
            right.append(f)
        try:
            solved = mp.lu_solve(mp.matrix(rows), mp.matrix(right))
        except ZeroDivisionError:
            break
        c = [solved[n] for n in range(len(powers))]
        errors = [(sum(k * x**p for k, p in zip(c, powers, strict=True)) - f) / w for x, f, w in values]
        worst = max(abs(e) for e in errors)
        if worst < best[1]:
            best = (c, worst)
        following = exchange(errors, count)
        if following == chosen or worst <= abs(solved[len(powers)]) * mp.mpf("1.0001"):
            break
        chosen = following
    return best


def exchange(errors: list[Any], count: int) -> list[int]:
    """Where the error is largest between its changes of sign."""
    runs: list[list[int]] = []
    for n, e in enumerate(errors):
        if runs and (e > 0) == (errors[runs[-1][0]] > 0):
            runs[-1].append(n)
        else:
            runs.append([n])
    peaks = [max(run, key=lambda n: abs(errors[n])) for run in runs]
    while len(peaks) > count:
        peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
    while len(peaks) < count:  # not enough changes of sign: spread further points
        gaps = [b - a for a, b in zip([0, *peaks], [*peaks, len(errors) - 1], strict=True)]
        at = max(range(len(gaps)), key=gaps.__getitem__)
        left = ([0, *peaks])[at]
        peaks.insert(at, left + gaps[at] // 2)
        peaks = sorted(set(peaks))
        if len(peaks) < count and max(gaps) <= 1:
            break
    return peaks


def fit(entry: Entry) -> tuple[list[Any], Any]:
    """Rounded coefficients, and the error that is left."""
    fixed: list[Any] = [mp.mpf(e) for e in entry.exact]
    if entry.together:
        fixed = [rounded(c, entry.type) for c in remez(entry, entry.f, entry.powers)[0]]
    while len(fixed) < len(entry.powers):
        done = len(fixed)
        known = list(zip(fixed, entry.powers, strict=False))
        free, _ = remez(entry, lambda x, known=known: entry.f(x) - sum(
            c * x**p for c, p in known), entry.powers[done:])
        fixed.append(rounded(free[0], entry.type))
    grid = points(entry.low, entry.high, 4 * GRID)
    worst = max(abs((sum(c * x**p for c, p in zip(fixed, entry.powers, strict=True)) - entry.f(x))
                    / entry.weight(x)) for x in grid)
    return fixed, worst


def text(found: list[tuple[Entry, list[Any], Any]]) -> str:
    lines = ['"""Coefficients of polynomials, lowest power first; made by `tools/minimax.py`.', "",
             "The comment is the base-2 logarithm of the largest error that rounding leaves.", '"""', ""]
    for entry, c, worst in found:
        name = f"{entry.name}_{entry.type}".upper()
        lines.append(f"# powers {entry.powers[0]} to {entry.powers[-1]} on [{mp.nstr(entry.low, 6)}, "
                     f"{mp.nstr(entry.high, 6)}], error 2^{float(mp.log(worst, 2)):.1f}")
        lines.append(f"{name} = (")
        lines += [f"    {float(v)!r}," for v in c]
        lines += [")", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def main() -> int:
    mp.mp.prec = 160
    families = sys.argv[1:] or sorted(p.stem for p in TABLES.glob("[a-z]*.py"))
    for family in families:
        table: list[Entry] = importlib.import_module(f"tools.minimax_tables.{family}").TABLE
        found: list[tuple[Entry, list[Any], Any]] = []
        for entry in table:
            c, worst = fit(entry)
            print(f"{entry.name:14} {entry.type} degree {entry.powers[-1]:2} "
                  f"error 2^{float(mp.log(worst, 2)):.1f}")
            found.append((entry, c, worst))
        (TARGET / f"{family}_coefficients.py").write_text(text(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))
    sys.exit(main())
