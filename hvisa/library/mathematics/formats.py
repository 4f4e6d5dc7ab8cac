"""What functions that are written once for f32 and f64 have to know of the type; polynomials of it."""

# The functions serve f32 and f64.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import hvisa
from hvisa import f32, f64, i32, i64
from hvisa.library.mathematics.declare import private


class Format(NamedTuple):
    """A type, the integer of its size, the bits of its fraction and the exponent's bias."""

    number: Any
    integer: Any
    fraction: int
    bias: int

    @property
    def magic(self) -> float:
        """Adding it rounds to an integer, which then stands in the low bits."""
        return 1.5 * 2.0**self.fraction

    @property
    def sign(self) -> int:
        """The bit of the sign, as a number of the integer type."""
        return -1 << (self.integer.bits - 1)


F32 = Format(f32, i32, 23, 127)
F64 = Format(f64, i64, 52, 1023)


def polynomial(format_: Format, coefficients: Sequence[float]) -> Any:
    """A function: the polynomial with these coefficients, lowest power first, by Horner's scheme."""
    number = format_.number
    highest, *others = reversed(coefficients)

    @private
    def horner(x):
        p = number(highest)
        for c in others:
            p = hvisa.fma(p, x, number(c))
        return p
    return horner


def signs(format_: Format) -> Any:
    """A function: a number that is not negative, with the sign of another."""
    number, integer, sign = format_.number, format_.integer, format_.sign

    @private
    def with_sign(size, x):
        return hvisa.bitcast(number, hvisa.bitcast(integer, size) | (hvisa.bitcast(integer, x) & sign))
    return with_sign
