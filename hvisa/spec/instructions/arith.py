"""Arithmetic: integers wrap, floats round to nearest even, nothing is undefined (semantics 11 to 17)."""

from __future__ import annotations

import numpy as np

from hvisa.spec import numerics
from hvisa.spec.definitions import instruction
from hvisa.spec.numerics import Array
from hvisa.spec.types import ScalarType

NUMBER = "int float"


def _zero(a: Array, b: Array) -> Array:
    """Integer division by zero; of floats it is an infinity or NaN."""
    return b == 0 if b.dtype.kind != "f" else np.zeros(b.shape, bool)


def truncated_quotient(a: Array, b: Array) -> Array:
    """Quotient towards zero; where b is 0 the value means nothing."""
    safe = np.where(b == 0, b.dtype.type(1), b)
    quotient = a // safe
    exact = quotient * safe == a
    return np.where(~exact & ((a < 0) != (safe < 0)), quotient + quotient.dtype.type(1), quotient)


@instruction("add", "a: T, b: T -> T", on=NUMBER, fast=True, commutative=True)
def add(a: Array, b: Array) -> Array:
    """a + b.

    Integers wrap modulo 2^bits; floats round once. Example: `%s = add %x, 1.0`
    """
    return a + b


@instruction("sub", "a: T, b: T -> T", on=NUMBER, fast=True)
def sub(a: Array, b: Array) -> Array:
    """a - b.

    Integers wrap modulo 2^bits; floats round once. Example: `%d = sub %x, %y`
    """
    return a - b


@instruction("mul", "a: T, b: T -> T", on=NUMBER, fast=True, commutative=True)
def mul(a: Array, b: Array) -> Array:
    """a * b.

    Integers keep the low half; floats round once. Example: `%p = mul %a, %x`
    """
    return a * b


@instruction("div", "a: T, b: T -> T", on=NUMBER, fast=True, traps={"HV0901": _zero})
def div(a: Array, b: Array) -> Array:
    """a / b.

    Integers truncate towards zero, the least number divided by -1 wraps to itself, division by zero
    traps (HV0901). Floats follow IEEE 754 and never trap. Example: `%q = div %n, 3`
    """
    return a / b if a.dtype.kind == "f" else truncated_quotient(a, b)


@instruction("rem", "a: T, b: T -> T", on="int", traps={"HV0901": _zero})
def rem(a: Array, b: Array) -> Array:
    """a - b * trunc(a / b).

    The sign is that of `a`; the least number over -1 gives 0; division by zero traps (HV0901).
    Example: `%r = rem %i, 4`
    """
    return a - truncated_quotient(a, b) * b


@instruction("neg", "a: T -> T", on=NUMBER, fast=True)
def neg(a: Array) -> Array:
    """-a.

    Integers wrap (unsigned ones modulo 2^bits); floats flip the sign bit, also of NaN and zero.
    """
    return np.negative(a)


@instruction("abs", "a: T -> T", on="signed float", fast=True)
def abs_(a: Array) -> Array:
    """|a|.

    The least integer wraps to itself; floats clear the sign bit, also of NaN.
    """
    return np.abs(a)


@instruction("min", "a: T, b: T -> T", on=NUMBER, fast=True, commutative=True)
def min_(a: Array, b: Array) -> Array:
    """The smaller of a and b.

    Floats follow IEEE 754-2019 minimum: NaN if either is NaN, and -0 is less than +0.
    """
    return numerics.minimum(a, b)


@instruction("max", "a: T, b: T -> T", on=NUMBER, fast=True, commutative=True)
def max_(a: Array, b: Array) -> Array:
    """The larger of a and b.

    Floats follow IEEE 754-2019 maximum: NaN if either is NaN, and +0 is greater than -0.
    """
    return numerics.maximum(a, b)


@instruction("fma", "a: T, b: T, c: T -> T", on="float", fast=True, typed=True)
def fma(a: Array, b: Array, c: Array, *, element: ScalarType) -> Array:
    """a * b + c, rounded once.

    An ordinary strict instruction on every device (semantics 16). Nothing else is ever contracted.
    """
    return numerics.fma(a, b, c, element)


@instruction("sqrt", "a: T -> T", on="float", fast=True)
def sqrt(a: Array) -> Array:
    """Square root, correctly rounded.

    sqrt(-0) is -0; of anything below zero it is NaN.
    """
    return np.sqrt(a)


@instruction("floor", "a: T -> T", on="float")
def floor(a: Array) -> Array:
    """The greatest integral value not above a; the sign of zero is kept."""
    return np.floor(a)


@instruction("ceil", "a: T -> T", on="float")
def ceil(a: Array) -> Array:
    """The least integral value not below a; ceil(-0.5) is -0."""
    return np.ceil(a)


@instruction("trunc", "a: T -> T", on="float")
def trunc(a: Array) -> Array:
    """The integral part of a; the sign of zero is kept."""
    return np.trunc(a)


@instruction("round", "a: T -> T", on="float")
def round_(a: Array) -> Array:
    """The nearest integral value, halves away from zero; the sign of zero is kept.

    Halves to even is the library's `round_half_even`.
    """
    whole = np.trunc(a)
    away = whole + np.copysign(a.dtype.type(1), a)
    return np.where(np.abs(a - whole) >= 0.5, away, whole)


@instruction("mul_high", "a: T, b: T -> T", on="int", commutative=True)
def mul_high(a: Array, b: Array) -> Array:
    """The upper half of the full product.

    For u32, `mul_high(a, b)` is floor(a * b / 2^32); signed types use the signed product.
    """
    bits = a.dtype.itemsize * 8
    if bits < 64:
        wide = np.dtype(f"{a.dtype.kind}8")
        return ((a.astype(wide) * b.astype(wide)) >> wide.type(bits)).astype(a.dtype)
    unsigned = _mul_high_u64(a.astype(np.uint64), b.astype(np.uint64)).astype(a.dtype)
    if a.dtype.kind == "i":
        zero = a.dtype.type(0)
        unsigned = unsigned - np.where(a < 0, b, zero) - np.where(b < 0, a, zero)
    return unsigned


def _mul_high_u64(a: Array, b: Array) -> Array:
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a_low, a_high, b_low, b_high = a & mask, a >> half, b & mask, b >> half
    middle = a_high * b_low + ((a_low * b_low) >> half)
    cross = a_low * b_high + (middle & mask)
    return a_high * b_high + (middle >> half) + (cross >> half)


@instruction("add_sat", "a: T, b: T -> T", on="int", commutative=True)
def add_sat(a: Array, b: Array) -> Array:
    """a + b, held within the range of the type."""
    info = np.iinfo(a.dtype)
    total = a + b
    if a.dtype.kind == "u":
        return np.where(total < a, a.dtype.type(info.max), total)
    over = ((a ^ total) & (b ^ total)) < 0
    return np.where(over, np.where(a < 0, a.dtype.type(info.min), a.dtype.type(info.max)), total)


@instruction("sub_sat", "a: T, b: T -> T", on="int")
def sub_sat(a: Array, b: Array) -> Array:
    """a - b, held within the range of the type."""
    info = np.iinfo(a.dtype)
    total = a - b
    if a.dtype.kind == "u":
        return np.where(a < b, a.dtype.type(0), total)
    over = ((a ^ b) & (a ^ total)) < 0
    return np.where(over, np.where(a < 0, a.dtype.type(info.min), a.dtype.type(info.max)), total)
