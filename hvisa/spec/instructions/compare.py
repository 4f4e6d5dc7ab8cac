"""Comparison and choice. A comparison with a NaN is false, but for `ne`, which is true."""

from __future__ import annotations

import numpy as np

from hvisa.spec import numerics
from hvisa.spec.definitions import instruction
from hvisa.spec.numerics import Array

NUMBER = "int float"


@instruction("eq", "a: T, b: T -> mask", on="bool int float", commutative=True)
def eq(a: Array, b: Array) -> Array:
    """a = b; false if either is NaN; -0 equals +0."""
    return a == b


@instruction("ne", "a: T, b: T -> mask", on="bool int float", commutative=True)
def ne(a: Array, b: Array) -> Array:
    """a differs from b; true if either is NaN."""
    return a != b


@instruction("lt", "a: T, b: T -> mask", on=NUMBER)
def lt(a: Array, b: Array) -> Array:
    """a < b; false if either is NaN."""
    return a < b


@instruction("le", "a: T, b: T -> mask", on=NUMBER)
def le(a: Array, b: Array) -> Array:
    """a <= b; false if either is NaN."""
    return a <= b


@instruction("gt", "a: T, b: T -> mask", on=NUMBER)
def gt(a: Array, b: Array) -> Array:
    """a > b; false if either is NaN."""
    return a > b


@instruction("ge", "a: T, b: T -> mask", on=NUMBER)
def ge(a: Array, b: Array) -> Array:
    """a >= b; false if either is NaN."""
    return a >= b


@instruction("is_nan", "a: T -> mask", on="float")
def is_nan(a: Array) -> Array:
    """Whether a is a NaN."""
    return np.isnan(a)


@instruction("sign_bit", "a: T -> mask", on="signed float")
def sign_bit(a: Array) -> Array:
    """Whether the sign bit is set; true of -0, false of every NaN (semantics 13)."""
    return np.signbit(a) & ~np.isnan(a) if a.dtype.kind == "f" else a < 0


@instruction("total_lt", "a: T, b: T -> mask", on="float")
def total_lt(a: Array, b: Array) -> Array:
    """a comes before b in the total order -inf < ... < -0 < +0 < ... < +inf < NaN.

    All NaNs are one value, the greatest (semantics 13).
    """
    return _order_key(a) < _order_key(b)


def _order_key(x: Array) -> Array:
    bits = numerics.canonical_bits(x)
    signed = bits.astype(np.dtype(f"i{x.dtype.itemsize}"))
    return np.where(signed < 0, signed.dtype.type(np.iinfo(signed.dtype).min) - signed - 1, signed)


@instruction("select", "condition: mask, a: T, b: T -> T", on="bool int float", scalar_mask=True)
def select(condition: Array, a: Array, b: Array) -> Array:
    """a where the condition holds, else b; bits are kept.

    The condition is one i1, or one for each lane. Both a and b are computed.
    """
    if condition.ndim < max(a.ndim, b.ndim):
        condition = condition[..., np.newaxis]
    return np.where(condition, a, b)
