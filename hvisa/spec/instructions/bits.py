"""Bits of integers: logic, shifts, counts. Shift amounts are taken modulo the width (semantics 17)."""

from __future__ import annotations

import numpy as np

from hvisa.spec.definitions import instruction
from hvisa.spec.numerics import Array


def _unsigned(a: Array) -> Array:
    return a.astype(np.dtype(f"u{a.dtype.itemsize}"))


def _amount(a: Array) -> Array:
    """A shift amount modulo the width."""
    return a & a.dtype.type(a.dtype.itemsize * 8 - 1)


@instruction("and", "a: T, b: T -> T", on="bool int", commutative=True)
def and_(a: Array, b: Array) -> Array:
    """Bitwise and; of truth values, both."""
    return a & b


@instruction("or", "a: T, b: T -> T", on="bool int", commutative=True)
def or_(a: Array, b: Array) -> Array:
    """Bitwise or; of truth values, at least one."""
    return a | b


@instruction("xor", "a: T, b: T -> T", on="bool int", commutative=True)
def xor(a: Array, b: Array) -> Array:
    """Bitwise exclusive or; of truth values, just one."""
    return a ^ b


@instruction("not", "a: T -> T", on="bool int")
def not_(a: Array) -> Array:
    """Every bit flipped; of truth values, the other one."""
    return ~a


@instruction("shl", "a: T, amount: T -> T", on="int")
def shl(a: Array, amount: Array) -> Array:
    """a shifted left by amount modulo the width; zeros come in."""
    return a << _amount(amount)


@instruction("shr", "a: T, amount: T -> T", on="int")
def shr(a: Array, amount: Array) -> Array:
    """a shifted right by amount modulo the width.

    The sign bit comes in for signed types, zeros for unsigned ones.
    """
    return a >> _amount(amount)


def _funnel(high: Array, low: Array, amount: Array, left: bool) -> Array:
    width = high.dtype.itemsize * 8
    up, down = _unsigned(high), _unsigned(low)
    by = _unsigned(_amount(amount))
    rest = (up.dtype.type(width) - by) & up.dtype.type(width - 1)
    if left:
        out = np.where(by == 0, up, (up << by) | (down >> rest))
    else:
        out = np.where(by == 0, down, (up << rest) | (down >> by))
    return out.astype(high.dtype)


@instruction("rotl", "a: T, amount: T -> T", on="int")
def rotl(a: Array, amount: Array) -> Array:
    """a rotated left by amount modulo the width."""
    return _funnel(a, a, amount, True)


@instruction("rotr", "a: T, amount: T -> T", on="int")
def rotr(a: Array, amount: Array) -> Array:
    """a rotated right by amount modulo the width."""
    return _funnel(a, a, amount, False)


@instruction("funnel_shl", "high: T, low: T, amount: T -> T", on="int")
def funnel_shl(high: Array, low: Array, amount: Array) -> Array:
    """The upper half of high:low shifted left by amount modulo the width."""
    return _funnel(high, low, amount, True)


@instruction("funnel_shr", "high: T, low: T, amount: T -> T", on="int")
def funnel_shr(high: Array, low: Array, amount: Array) -> Array:
    """The lower half of high:low shifted right by amount modulo the width."""
    return _funnel(high, low, amount, False)


@instruction("clz", "a: T -> T", on="int")
def clz(a: Array) -> Array:
    """Zero bits above the highest one bit; the width if a is 0."""
    x = _unsigned(a)
    width = x.dtype.itemsize * 8
    shift = 1
    while shift < width:
        x = x | (x >> x.dtype.type(shift))
        shift *= 2
    return (width - np.bitwise_count(x).astype(np.int64)).astype(a.dtype)


@instruction("ctz", "a: T -> T", on="int")
def ctz(a: Array) -> Array:
    """Zero bits below the lowest one bit; the width if a is 0."""
    x = _unsigned(a)
    below = (x & (~x + x.dtype.type(1))) - x.dtype.type(1)
    return np.bitwise_count(below).astype(a.dtype)


@instruction("popcount", "a: T -> T", on="int")
def popcount(a: Array) -> Array:
    """The number of one bits."""
    return np.bitwise_count(_unsigned(a)).astype(a.dtype)


@instruction("bit_reverse", "a: T -> T", on="int")
def bit_reverse(a: Array) -> Array:
    """The bits in the opposite order."""
    x = _unsigned(a)
    out = np.zeros_like(x)
    one = x.dtype.type(1)
    for _ in range(x.dtype.itemsize * 8):
        out = (out << one) | (x & one)
        x = x >> one
    return out.astype(a.dtype)


@instruction("byte_swap", "a: T -> T", on="int")
def byte_swap(a: Array) -> Array:
    """The bytes in the opposite order."""
    return np.ascontiguousarray(a).byteswap()
