"""Errors of the mathematics in ULP, against mpmath: `python tools/ulp.py [NAME ...] [--points N] [--fast]`.

An ULP is the distance of the two numbers of the type around the exact value (J.-M. Muller, "On the
definition of ulp(x)", INRIA RR-5504, 2005: Goldberg's, extended to reals). For f32 numpy's f64 is the first
oracle, and mpmath decides where an error looks larger than FIRST_LOOK; for f64 mpmath is used alone. Fast
variants are judged at the same points, as far as they are in `fast_domain` of the catalogue.

For long runs `judged` takes glibc's double for the first look at f32 and its long double for f64 (through
gcc). Those are off by less than 2^-24 and 2^-6 ULP of the type, and may give twice the error below a power
of two; mpmath decides about the largest errors.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import hvisa  # noqa: E402
from hvisa.frontends.python.names import LIBRARY  # noqa: E402
from hvisa.library.catalogue import CATALOGUE, Entry  # noqa: E402
from hvisa.spec.types import BY_NAME  # noqa: E402

FIRST_LOOK = 0.45  # ULP beyond which f64 is not trusted to judge f32
DTYPES = {"f32": np.float32, "f64": np.float64}
mp.mp.prec = 200


def compiled(name: str, type_: str = "", device: str | None = None, fast: bool = False
             ) -> Callable[..., list[Any]]:
    """The function on arrays, or its fast variant: all its results."""
    function, own = LIBRARY[name], BY_NAME.get(type_)
    symbol, effect = function.symbol(own, fast), " inexact" if fast else ""
    takes, gives = (list(map(str, types)) for types in function.signature(own))
    ports = [f"in %x{n}: buf<{t}>[%n]" for n, t in enumerate(takes)]
    ports += [f"out %y{n}: buf<{t}>[%n]" for n, t in enumerate(gives)]
    lines = ["math 1", f'import "math" private func @{symbol}('
             + ", ".join(f"%p{n}: {t}" for n, t in enumerate(takes)) + f") -> ({', '.join(gives)}){effect}",
             f"leaf @f({', '.join(ports)}) grid(%i < %n){effect} {{"]
    lines += [f"  %a{n} = load %x{n}[%i]" for n in range(len(takes))]
    results = ", ".join(f"%r{n}" for n in range(len(gives)))
    lines += [f"  {results} = call @{symbol}({', '.join(f'%a{n}' for n in range(len(takes)))})"]
    lines += [f"  store %r{n}, %y{n}[%i]" for n in range(len(gives))] + ["}", ""]
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


def exact_error(entry: Entry, type_: str, point: list[Any], value: Any, which: int = 0) -> float | None:
    """The error of one result in ULP by mpmath, None where the oracle leaves the case to others."""
    dtype = DTYPES[type_]
    exact = entry.oracle(*(mp.mpf(float(p)) if p.dtype == dtype else int(p) for p in point))
    if isinstance(exact, tuple):
        exact = exact[which]
    if exact is None:
        return None
    if (isinstance(exact, float) and not np.isfinite(exact)) or mp.isnan(exact) or mp.isinf(exact):
        wanted = float(exact)
        return 0.0 if (np.isnan(value) if np.isnan(wanted) else value == dtype(wanted)) else np.inf
    top = mp.mpf(float(np.finfo(dtype).max))
    if abs(exact) >= top + spacing(top, type_) / 2:
        return 0.0 if value == dtype(np.inf if exact > 0 else -np.inf) else np.inf
    if not np.isfinite(value):
        return np.inf
    apart = abs(mp.mpf(float(value)) - exact)
    return float(apart / spacing(exact, type_)) if apart > entry.small(type_) or point[0] > 0 else 0.0


def largest_error(entry: Entry, type_: str, arguments: list[np.ndarray],
                  found: np.ndarray, which: int = 0) -> tuple[float, int]:
    """The largest error in ULP, and where; wrong specials (NaN, infinities) count as infinite. `which` of
    several results is judged."""
    dtype = DTYPES[type_]
    worst, place = 0.0, 0
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
    for at in suspects:
        error_ = exact_error(entry, type_, [a[at] for a in arguments], found[at], which)
        if error_ is None:
            continue  # the catalogue says that the case is specified elsewhere
        if error_ > worst:
            worst, place = error_, int(at)
    return worst, place


# The results of a function in C where they aren't NAME(x) or NAME(x, y), with the suffixes {s} of the wider
# type and {n} of the type itself.
EXPRESSIONS: dict[str, tuple[str, ...]] = {
    "rsqrt": ("1 / sqrt{s}(x)",), "powi": ("pow{s}(x, y)",), "round_half_even": ("rint{s}(x)",),
    "copysign": ("isnan(y) ? fabs{s}(x) : copysign{s}(x, y)",), "nextafter": ("nextafter{n}(x, y)",),
    "sincos": ("sin{s}(x)",), "frexp": ("frexp{s}(x, &e)", "(frexp{s}(x, &e), e)"),
    "modf": ("modf{s}(x, &w)", "(modf{s}(x, &w), w)")}
_ULP = """
static double ulp_{t}({w} exact, {w} found, int exempt, double absolute) {{
  if (exact != exact || found != found) return exact != exact && found != found ? 0 : INFINITY;
  if (fabs{s}(exact) >= {limit}) return found == copysign{s}(INFINITY, exact) ? 0 : INFINITY;
  if (isinf(found)) return INFINITY;
  if (found == 0 && signbit(found) != signbit(exact)) return NAN;
  {w} apart = fabs{s}(found - exact);
  if (exempt && apart <= absolute) return 0;
  int e;
  {w} power = frexp{s}(fabs{s}(exact), &e);
  // What was rounded to a power of two may be below it, where numbers are denser.
  if (power == 0.5 && fabs{s}(found) < fabs{s}(exact)) e--;
  if (exact == 0 || e - 1 < {least}) e = {least} + 1;
  return ldexp{s}(apart, {digits} - e);
}}
"""
_LOOP = """
void {name}_{t}_{which}(const {t}* xs, const {second}* ys, const {third}* found, double absolute,
                        double* error, long n) {{
  {w} w;
  int e;
  (void)w, (void)e;
  for (long i = 0; i < n; i++) {{
    {w} x = xs[i];{y}
    error[i] = ulp_{t}({call}, found[i], x <= 0, absolute);
  }}
}}
"""
C_TYPES = {"f32": ("float", "f", "double", ""), "f64": ("double", "", "long double", "l")}


def shared_library(source: str, *flags: str) -> ctypes.CDLL | None:
    """C compiled by gcc, None without it. It is linked without the flags: -ffast-math would link code that
    makes the process flush subnormals."""
    if shutil.which("gcc") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        text, code, target = (str(Path(folder, n)) for n in ("loops.c", "loops.o", "loops.so"))
        Path(text).write_text("#define _GNU_SOURCE\n#include <math.h>\n" + source)
        subprocess.run(["gcc", "-O2", *flags, "-fPIC", "-c", text, "-o", code], check=True)
        subprocess.run(["gcc", "-shared", code, "-o", target, "-lm"], check=True)
        return ctypes.CDLL(target)


def _judge_source(type_: str) -> str:
    narrow, n, wide, s = C_TYPES[type_]
    info = np.finfo(DTYPES[type_])
    limit = f"0x{2**(info.nmant + 2) - 1:x}p{info.maxexp - info.nmant - 2}{s.upper()}"
    parts = [_ULP.format(t=narrow, w=wide, s=s, limit=limit, least=info.minexp, digits=info.nmant + 1)]
    for entry in CATALOGUE.values():
        default = (f"{entry.name}{{s}}({'x, y' if entry.arguments == 2 else 'x'})",)
        for which, call in enumerate(EXPRESSIONS.get(entry.name, default)):
            y = f"\n    {'int' if entry.integer else wide} y = ys[i];" if entry.arguments == 2 else ""
            parts.append(_LOOP.format(
                name=entry.name, t=narrow, w=wide, which=which, call=call.format(s=s, n=n), y=y,
                second="int" if entry.integer else narrow,
                third="int" if LIBRARY[entry.name].results[which] is not None else narrow))
    return "".join(parts)


@functools.cache
def judge(type_: str) -> ctypes.CDLL:
    """Loops that give the errors of found results: infinite where the kind is wrong, NaN where it is the
    sign of a zero."""
    library = shared_library(_judge_source(type_))
    if library is None:
        raise SystemExit("gcc was not found: it compiles the first look; install it, or use `measure`")
    return library


def first_look(entry: Entry, type_: str, arguments: list[np.ndarray], found: np.ndarray,
               which: int = 0) -> np.ndarray:
    """The error in ULP of each result, by C's functions of the next wider type."""
    function = getattr(judge(type_), f"{entry.name}_{C_TYPES[type_][0]}_{which}")
    error = np.empty(len(found))
    kept = [np.ascontiguousarray(a) for a in (*arguments, found)]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in kept]
    function(pointers[0], pointers[1], pointers[-1], ctypes.c_double(entry.small(type_)),
             ctypes.c_void_p(error.ctypes.data), ctypes.c_long(len(found)))
    return error


class Judgement(NamedTuple):
    """Of many results: the largest error in ULP and the index of it, how many are the exact value rounded,
    and how many are wrong in kind: not the NaN, the infinity or the zero that they should be, or one."""

    worst: float
    place: int
    rounded: int
    wrong: int


def judged(entry: Entry, type_: str, arguments: list[np.ndarray], found: np.ndarray, which: int = 0,
           deciding: int = 2_000, above: float = 0.0) -> Judgement:
    """Results judged by the first look, and by mpmath those `deciding` that look worst, if worse than
    `above`: else the largest error is not told and 0."""
    error = first_look(entry, type_, arguments, found, which)
    infinite = np.nonzero(np.isinf(error))[0]
    large = np.nonzero((error > above) & np.isfinite(error))[0]
    large = large[np.argsort(-error[large])][:deciding]
    worst, place = 0.0, 0
    wrong = np.count_nonzero(np.isnan(error)) + max(0, len(infinite) - deciding)
    for at in (*infinite[:deciding], *large):
        exact = exact_error(entry, type_, [a[at] for a in arguments], found[at], which)
        value = float(error[at]) if exact is None else exact
        if not np.isfinite(value):
            wrong += 1
        elif value > worst:
            worst, place = value, int(at)
    return Judgement(worst, place, int(np.count_nonzero(error <= 0.5)), int(wrong))


def in_fast_domain(name: str, type_: str, arguments: list[np.ndarray]) -> np.ndarray:
    """Which points are in `fast_domain` of the catalogue."""
    bias, most = (127, 2.0**16) if type_ == "f32" else (1023, 2.0**30)
    with np.errstate(all="ignore"):
        x, y = arguments[0].astype(np.float64), arguments[-1].astype(np.float64)
        scale = np.log2(np.abs(x))
        if name in ("exp", "exp2", "exp10"):
            return ~(x * np.log2({"exp": np.e, "exp2": 2, "exp10": 10}[name]) < 2 - bias)
        if name in ("sin", "cos", "tan", "sincos"):
            return ~(np.abs(x) > most)
        if name in ("log", "log2", "log10", "rsqrt", "cbrt"):
            return ~(scale < 1 - bias) | (x == 0)
        if name in ("asinh", "acosh"):
            return ~(scale > bias - 1) | np.isinf(x)
        if name == "atan2":
            larger = np.maximum(np.abs(x), np.abs(y))
            return ~(larger < 2.0**(1 - bias)) & ~(np.isinf(x) & np.isinf(y))
        if name == "hypot":
            larger = np.log2(np.maximum(np.abs(x), np.abs(y)))
            return (larger >= -bias / 2.5) & (larger < (bias - 1) / 2)
        if name == "pow":
            reach = 1.0 * bias if type_ == "f32" else 512.0
            return ~(scale < 1 - bias) & ~((y * scale < (2 - bias if type_ == "f32" else -reach))
                                           | (y * scale > reach))
    return np.ones(len(x), np.bool_)


def measure(name: str, type_: str, points: int, seed: int = 0, fast: bool = False
            ) -> tuple[float, list[Any]]:
    """The largest error of a function, or of its fast variant, and the arguments of it."""
    entry = CATALOGUE[name]
    arguments = sample(entry, type_, points, seed)
    if fast:
        inside = in_fast_domain(name, type_, arguments)
        arguments = [a[inside] for a in arguments]
    results = compiled(name, type_, fast=fast)(*arguments)
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
    parser.add_argument("--fast", action="store_true")
    options = parser.parse_args()
    for name in options.names or CATALOGUE:
        for type_ in DTYPES:
            points = options.points if type_ == "f32" else min(options.points, 20_000)
            bound = CATALOGUE[name].fast_bound(type_) if options.fast else CATALOGUE[name].bound(type_)
            if bound is None:
                continue
            worst, at = measure(name, type_, points, options.seed, options.fast)
            print(f"{name:16} {type_} {worst:10.4f} of {bound:5.2f} at {', '.join(map(repr, at))}"
                  f"{'' if worst <= bound else '   BEYOND'}", flush=True)


if __name__ == "__main__":
    main()
