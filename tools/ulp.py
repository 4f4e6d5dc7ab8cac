"""Errors of the mathematics in ULP, against mpmath: `python tools/ulp.py [NAME ...] [--points N]`.

An ULP is the distance of the two numbers of the type around the exact value (J.-M. Muller, "On the
definition of ulp(x)", INRIA RR-5504, 2005: Goldberg's, extended to reals). For f32 numpy's f64 is the first
oracle, and mpmath decides where an error looks larger than FIRST_LOOK; for f64 mpmath is used alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import hvisa  # noqa: E402
from hvisa.frontends.python.names import MATHEMATICS  # noqa: E402
from hvisa.library.catalogue import CATALOGUE, Entry  # noqa: E402

FIRST_LOOK = 0.45  # ULP beyond which f64 is not trusted to judge f32
DTYPES = {"f32": np.float32, "f64": np.float64}
mp.mp.prec = 200


def compiled(name: str, type_: str, device: str | None = None) -> Callable[..., list[Any]]:
    """The function on arrays: all its results."""
    function = MATHEMATICS[name]
    arguments = ", ".join(f"%a{n}" for n in range(len(function.parameters)))
    types = ["i32" if p == function.integer else type_ for p in function.parameters]
    given = [r if r == "i32" else type_ for r in function.results]
    lines = ["math 1", f'import "math" private func @{name}.{type_}('
             + ", ".join(f"%p{n}: {t}" for n, t in enumerate(types)) + f") -> ({', '.join(given)})",
             "leaf @f(" + ", ".join([f"in %x{n}: buf<{t}>[%n]" for n, t in enumerate(types)]
                                    + [f"out %y{n}: buf<{t}>[%n]" for n, t in enumerate(given)])
             + ") grid(%i < %n) {"]
    lines += [f"  %a{n} = load %x{n}[%i]" for n in range(len(types))]
    results = ", ".join(f"%r{n}" for n in range(len(given)))
    lines += [f"  {results} = call @{name}.{type_}({arguments})"]
    lines += [f"  store %r{n}, %y{n}[%i]" for n in range(len(given))] + ["}", ""]
    program = hvisa.load("\n".join(lines), device=device).entry("f")
    return lambda *arrays: program.values({f"x{n}": a for n, a in enumerate(arrays)})


def special_points(type_: str) -> np.ndarray:
    """Zeros, infinities, NaN, subnormals, powers of two and their neighbours, multiples of pi/2."""
    dtype = DTYPES[type_]
    info = np.finfo(dtype)
    exponents = np.arange(np.log2(info.smallest_subnormal), np.log2(info.max)).astype(np.float64)
    powers = np.ldexp(1.0, exponents.astype(int)).astype(dtype)
    turns = (np.arange(1, 400) * (np.pi / 2)).astype(dtype)
    base = np.concatenate([powers, turns, np.arange(1, 200).astype(dtype),
                           np.array([info.max, info.tiny, info.smallest_subnormal, 0.5, 0.1], dtype)])
    with np.errstate(over="ignore"):
        near = np.concatenate([base, np.nextafter(base, dtype(np.inf)), np.nextafter(base, dtype(0))])
    return np.concatenate([near, -near, np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)])


def sample(entry: Entry, type_: str, count: int, seed: int = 0) -> list[np.ndarray]:
    """Directed-random arguments: special points, all exponents, and points of the interesting range."""
    rng = np.random.default_rng(seed)
    dtype = DTYPES[type_]
    unsigned = np.uint32 if type_ == "f32" else np.uint64
    columns: list[np.ndarray] = []
    low, high = entry.interval(type_)
    for number in range(entry.arguments):
        special = special_points(type_)
        bits = rng.integers(0, np.iinfo(unsigned).max, count // 2, dtype=unsigned, endpoint=True)
        inside = rng.uniform(low, high, count - count // 2).astype(dtype)
        column = np.concatenate([special, bits.view(dtype), inside])
        columns.append(rng.permutation(column) if number else column)
    if entry.integer:
        columns[-1] = rng.integers(*entry.integers, len(columns[0])).astype(np.int32)
    return columns


def spacing(value: Any, type_: str) -> Any:
    """The distance of the numbers of a type around an exact value."""
    info = np.finfo(DTYPES[type_])
    if value == 0:
        return mp.mpf(float(info.smallest_subnormal))
    exponent = max(int(mp.floor(mp.log(abs(value), 2))), info.minexp)
    return mp.mpf(2)**(exponent - info.nmant)


def largest_error(entry: Entry, type_: str, arguments: list[np.ndarray],
                  found: np.ndarray, which: int = 0) -> tuple[float, int]:
    """The largest error in ULP, and where; wrong specials (NaN, infinities) count as infinite. `which` of
    several results is judged."""
    dtype = DTYPES[type_]
    oracle = entry.oracle
    worst, place, small = 0.0, 0, entry.small(type_)
    suspects = range(len(found))
    if type_ == "f32" and entry.numpy is not None and not which:
        with np.errstate(all="ignore"):
            near = entry.numpy(*(a.astype(np.float64) if a.dtype == dtype else a for a in arguments))
            rounded = near.astype(dtype)
            error = np.abs(found.astype(np.float64) - near) / np.spacing(np.abs(rounded)).astype(np.float64)
        same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
        error = np.where(same, 0.0, np.where(np.isfinite(error), error, np.inf))
        suspects = np.nonzero(error > FIRST_LOOK)[0]
        order = np.argsort(-error[suspects])
        suspects = suspects[order[:2000]]
    limit = mp.mpf(float(np.finfo(dtype).max)) + spacing(mp.mpf(float(np.finfo(dtype).max)), type_) / 2
    for at in suspects:
        point = [a[at] for a in arguments]
        exact = oracle(*(mp.mpf(float(p)) if p.dtype == dtype else int(p) for p in point))
        if isinstance(exact, tuple):
            exact = exact[which]
        if exact is None:
            continue  # the catalogue says that the case is specified elsewhere
        value = found[at]
        if (isinstance(exact, float) and not np.isfinite(exact)) or mp.isnan(exact) or mp.isinf(exact):
            wanted = float(exact)
            bad = not (np.isnan(value) if np.isnan(wanted) else value == dtype(wanted))
            error_ = np.inf if bad else 0.0
        elif abs(exact) >= limit:
            error_ = 0.0 if value == dtype(np.inf if exact > 0 else -np.inf) else np.inf
        elif not np.isfinite(value):
            error_ = np.inf
        else:
            apart = abs(mp.mpf(float(value)) - exact)
            error_ = float(apart / spacing(exact, type_)) if apart > small or point[0] > 0 else 0.0
        if error_ > worst:
            worst, place = error_, int(at)
    return worst, place


def measure(name: str, type_: str, points: int, seed: int = 0) -> tuple[float, list[Any]]:
    """The largest error of a function, and the arguments of it."""
    entry = CATALOGUE[name]
    arguments = sample(entry, type_, points, seed)
    results = compiled(name, type_)(*arguments)
    # An oracle that gives one value judges the first result.
    count = len(results) if isinstance(entry.oracle(*[mp.mpf(1)] * len(arguments)), tuple) else 1
    worst, at = max(largest_error(entry, type_, arguments, found, n)
                    for n, found in enumerate(results[:count]))
    return worst, [a[at] for a in arguments]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--points", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for name in options.names or CATALOGUE:
        for type_ in DTYPES:
            points = options.points if type_ == "f32" else min(options.points, 20_000)
            worst, at = measure(name, type_, points, options.seed)
            bound = CATALOGUE[name].bound(type_)
            print(f"{name:16} {type_} {worst:10.4f} of {bound:5.2f} at {', '.join(map(repr, at))}"
                  f"{'' if worst <= bound else '   BEYOND'}", flush=True)


if __name__ == "__main__":
    main()
