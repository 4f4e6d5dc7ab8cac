"""Arithmetic of the specification on numpy arrays: rounding, conversions, exact fma, fold order.

Values of bf16 are carried as float32 arrays that hold only bf16 numbers. Integers wrap. Rules 11 to 17
of the semantics apply. Callers silence numpy's floating-point warnings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType

Array = NDArray[Any]

BLOCK = 4096  # elements of one reduction block (semantics 11)
PARTIALS = 64  # partial results of one block


def value_dtype(element: ScalarType) -> np.dtype:
    """dtype of a value while it is computed on; bf16 computes in float32."""
    return np.dtype("float32") if element is ty.BF16 else element.storage_dtype


def round_bf16(x: Array) -> Array:
    """float32 rounded to the nearest bf16, ties to even; NaN stays NaN, kept in float32."""
    bits = x.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    quiet = (bits & np.uint32(0xFFFF0000)) | np.uint32(0x00400000)
    return np.where(np.isnan(x), quiet, rounded).view(np.float32)


def bf16_from_bits(bits: Array) -> Array:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def bf16_to_bits(x: Array) -> Array:
    """Bits of a float32 array that holds only bf16 numbers."""
    return (np.ascontiguousarray(x).view(np.uint32) >> 16).astype(np.uint16)


def _step_to_odd(result: Array, inexact: Array, away: Array, unsigned: type) -> Array:
    """Where inexact and the last bit is even, move one step: outwards where `away`, else inwards."""
    bits = result.view(unsigned)
    even = (bits & unsigned(1)) == 0
    moved = np.where(away, bits + unsigned(1), bits - unsigned(1))
    return np.where(inexact & even, moved, bits).view(result.dtype)


def odd_f32(x: Array) -> Array:
    """float64 to float32 rounded to odd, so that one more rounding to 22 bits or fewer is exact.

    Source: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", section 3.
    """
    near = x.astype(np.float32)
    back = near.astype(np.float64)
    inexact = (back != x) & ~np.isnan(x)
    return _step_to_odd(near, inexact, np.abs(back) < np.abs(x), np.uint32)


def _odd_sum(p: Array, c: Array) -> Array:
    """p + c in float64, rounded to odd (TwoSum gives the error's sign)."""
    s, error = _two_sum(p, c)
    inexact = np.isfinite(s) & (error != 0)
    return _step_to_odd(s, inexact, (error > 0) == (s > 0), np.uint64)


def _fma_exact(a: float, b: float, c: float) -> float:
    """One float64 fma by exact rational arithmetic."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c if not (math.isfinite(a) and math.isfinite(b)) else c
    product = Fraction(a) * Fraction(b)
    total = product + Fraction(c)
    if total == 0:
        return 0.0 if product else a * b + c
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """a * b as a float64 and its exact error, where nothing over- or underflows (Dekker)."""
    def halves(x: Array) -> tuple[Array, Array]:
        scaled = x * 134217729.0
        high = scaled - (scaled - x)
        return high, x - high
    p = a * b
    (ah, al), (bh, bl) = halves(a), halves(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b as a float64 and its exact error."""
    s = a + b
    shadow = s - a
    return s, (a - (s - shadow)) + (b - shadow)


def _fma_f64(a: Array, b: Array, c: Array) -> Array:
    """In float64 where all parts stay far from the ends of the range, else by rational arithmetic.

    Source: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", figure 5.
    """
    product, error = _two_product(a, b)
    high, low = _two_sum(c, error)
    top, rest = _two_sum(product, high)
    out = top + _odd_sum(low, rest)
    size, other = np.abs(product), np.abs(c)
    safe = ((size > 2.0 ** -900) & (size < 2.0 ** 1000) & (np.abs(a) < 2.0 ** 900)
            & (np.abs(b) < 2.0 ** 900) & (other < 2.0 ** 1000)
            & ((other > 2.0 ** -900) | (other == 0)))
    for place in zip(*np.nonzero(~safe), strict=True):
        out[place] = _fma_exact(float(a[place]), float(b[place]), float(c[place]))
    return out


def fma(a: Array, b: Array, c: Array, element: ScalarType) -> Array:
    """a*b + c rounded once. Up to f32 the product is exact in float64 and the sum is rounded to odd."""
    a, b, c = np.broadcast_arrays(a, b, c)
    if element is ty.F64:
        return _fma_f64(a, b, c)
    wide = np.float64
    total = _odd_sum(a.astype(wide) * b.astype(wide), c.astype(wide))
    return from_f64(total, element)


def from_f64(x: Array, element: ScalarType) -> Array:
    """float64 rounded once to a float type."""
    if element is ty.BF16:
        return round_bf16(odd_f32(x))
    return x.astype(value_dtype(element))


def _int_to_bf16(x: Array) -> Array:
    """Any integer to bf16 with one rounding: at most 32 leading bits and a sticky bit reach float64."""
    negative = x < 0
    # Negated at full width: the least number of a narrow type has no positive twin there.
    wide = x.astype(np.uint64)
    magnitude = np.where(negative, ~wide + np.uint64(1), wide)
    low = magnitude & np.uint64(0xFFFFFFFF)
    high = magnitude >> np.uint64(32)
    sticky = np.where(high != 0, (magnitude >> np.uint64(32) << np.uint64(32))
                      | (low != 0).astype(np.uint64), magnitude)
    # With a high part, bits 1 to 31 are zero: at most 33 significant bits, exact in two pieces.
    top = (sticky >> np.uint64(32)).astype(np.float64) * 4294967296.0
    rest = (sticky & np.uint64(0xFFFFFFFF)).astype(np.float64)
    value = _odd_sum(top, rest)
    return from_f64(np.where(negative, -value, value), ty.BF16)


def convert(x: Array, source: ScalarType, target: ScalarType) -> Array:
    """One conversion (the row `convert`): integers wrap, float to integer truncates and saturates."""
    if target is ty.I1:
        return x != 0
    if target.is_integer:
        return _saturate(x, target) if source.is_float else x.astype(target.storage_dtype)
    if source.is_float:
        if target is ty.BF16 or source is ty.F64:
            return from_f64(x.astype(np.float64), target)
        return x.astype(value_dtype(target))
    if target is ty.BF16:
        return _int_to_bf16(x) if source.is_integer else x.astype(np.float32)
    return x.astype(value_dtype(target))


def _saturate(x: Array, target: ScalarType) -> Array:
    wide = np.trunc(x.astype(np.float64))
    top = float(2 ** (target.bits - (target.kind == "signed")))
    bottom = float(target.minimum)
    inside = (wide < top) & (wide >= bottom)
    exact = np.where(inside, wide, 0.0).astype(target.storage_dtype)
    dtype = target.storage_dtype.type
    bounded = np.where(wide >= top, dtype(target.maximum), dtype(target.minimum))
    return np.where(np.isnan(wide), dtype(0), np.where(inside, exact, bounded))


def minimum(a: Array, b: Array) -> Array:
    """IEEE 754-2019 minimum: NaN wins, -0 < +0."""
    least = np.minimum(a, b)
    if a.dtype.kind != "f":
        return least
    return np.where((a == 0) & (b == 0), np.where(np.signbit(a), a, b), least)


def maximum(a: Array, b: Array) -> Array:
    """IEEE 754-2019 maximum: NaN wins, +0 > -0."""
    most = np.maximum(a, b)
    if a.dtype.kind != "f":
        return most
    return np.where((a == 0) & (b == 0), np.where(np.signbit(a), b, a), most)


BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add, "mul": np.multiply, "min": minimum, "max": maximum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "any": np.logical_or, "all": np.logical_and}


def identity(op: str, element: ScalarType) -> bool | int | float:
    """What an empty reduction without `init` gives."""
    if op in ("any", "or", "xor", "add"):
        return False if element is ty.I1 else 0
    if op == "mul":
        return 1
    if op in ("all", "and"):
        return True if element is ty.I1 else (-1 if element.kind == "signed" else element.maximum)
    low = op in ("max", "argmax")
    if element.is_float:
        return -math.inf if low else math.inf
    return element.minimum if low else element.maximum


def combine(op: str, a: Array, b: Array, element: ScalarType) -> Array:
    """One step of a reduction in the accumulator's type."""
    out = BINARY[op](a, b)
    return round_bf16(out) if element is ty.BF16 and op in ("add", "mul") else out


def fold_block(op: str, x: Array, element: ScalarType) -> Array:
    """Fold axis 1 (at most 4096 elements, at least one) in the order of semantics 11."""
    count = x.shape[1]
    width = min(PARTIALS, count)
    p = x[:, :width].copy()
    for start in range(PARTIALS, count, PARTIALS):
        part = x[:, start:start + PARTIALS]
        n = part.shape[1]
        p[:, :n] = combine(op, p[:, :n], part, element)
    half = PARTIALS // 2
    while half:
        n = max(0, min(p.shape[1] - half, half))
        p[:, :n] = combine(op, p[:, :n], p[:, half:half + n], element)
        p = p[:, :half]
        half //= 2
    return p[:, 0]


def fold_blocks(op: str, results: list[Array], element: ScalarType) -> Array:
    """Join block results pairwise; an odd last one passes on."""
    while len(results) > 1:
        joined = [combine(op, results[i], results[i + 1], element)
                  for i in range(0, len(results) - 1, 2)]
        results = joined + results[len(joined) * 2:]
    return results[0]


def fold(op: str, x: Array, element: ScalarType) -> Array:
    """Reduce axis 1 of a non-empty array: blocks of 4096, then a binary tree."""
    return fold_blocks(op, [fold_block(op, x[:, s:s + BLOCK], element)
                            for s in range(0, x.shape[1], BLOCK)], element)


def fold_arg(op: str, x: Array) -> Array:
    """Position along axis 1 of the first NaN, else of the best, ties to the lowest."""
    if x.dtype.kind == "f":
        nan = np.isnan(x)
        best = np.argmin(x, 1) if op == "argmin" else np.argmax(x, 1)
        return np.where(nan.any(1), nan.argmax(1), best).astype(np.int64)
    return (np.argmin(x, 1) if op == "argmin" else np.argmax(x, 1)).astype(np.int64)


def canonical_bits(x: Array) -> Array:
    """Bits of a float array with every NaN the positive quiet one (semantics 13)."""
    unsigned = np.dtype(f"uint{x.dtype.itemsize * 8}")
    quiet = {2: 0x7E00, 4: 0x7FC00000, 8: 0x7FF8000000000000}[x.dtype.itemsize]
    return np.where(np.isnan(x), unsigned.type(quiet), np.ascontiguousarray(x).view(unsigned))
