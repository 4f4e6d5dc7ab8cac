"""Fast variants of sin, cos, tan and their inverses.

The reduction is W. J. Cody's and W. Waite's ("Software Manual for the Elementary Functions", 1980, chapter
8): three parts of pi, each a product that `fma` takes off exactly or with one rounding. It serves |x| up to
2^16 (f32) and 2^30 (f64); the rest is bounded, so that what lies beyond is a number of [-1, 1]. sin and cos
take multiples of pi off and need one polynomial each; sincos and tan take multiples of pi/2.

atan is reduced to [0, 1/2] as in `inverse_trigonometry`, without the remainder of the quotient; atan2 has
one polynomial on [0, 1]. asin beyond 1/2 is pi/2 - 2 asin(sqrt((1 - x)/2)).
"""

# The functions serve f32 and f64.
# pyright: reportMissingParameterType=false

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import hvisa
from hvisa import f32, f64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.fast_coefficients import (
    ATAN_F32,
    ATAN_F64,
    SIN_F32,
    SIN_F64,
)
from hvisa.library.mathematics.formats import F32, F64, Format, polynomial, signs
from hvisa.library.mathematics.trigonometry_coefficients import (
    ASIN_F32,
    ASIN_F64,
    ATAN_F32 as HALF_ATAN_F32,
    ATAN_F64 as HALF_ATAN_F64,
    COS_F32,
    COS_F64,
    SIN_F32 as QUARTER_SIN_F32,
    SIN_F64 as QUARTER_SIN_F64,
)

# pi in three parts, each truncated.
PI = {F32: (3.141592502593994, 1.5099578831723193e-07, 1.078060505991553e-14),
      F64: (3.141592653589793, 1.224646799147353e-16, 2.1657133478438278e-32)}


def odd_polynomial(format_: Format, coefficients: Sequence[float]) -> Any:
    """A function: x + x^3 p(x^2)."""
    rest = polynomial(format_, coefficients)

    @private
    def odd(x):
        z = x * x
        return hvisa.fma(x * z, rest(z), x)
    return odd


def reduction(format_: Format, share: int, reach: float) -> Any:
    """A function of x and of a whole number: x less that often pi / share, bounded to [-reach, reach]."""
    number = format_.number
    parts = [p / share for p in PI[format_]]

    @private
    def reduced(x, whole):
        r = x
        for part in parts:
            r = hvisa.fma(whole, number(-part), r)
        return min(max(r, number(-reach)), number(reach))
    return reduced


def half_turns(format_: Format, coefficients: Sequence[float]) -> tuple[Any, Any]:
    """Functions: sine and cosine. The zeros of the cosine are those of the sine, moved by half a step;
    between them the sign is the lowest bit of the number of the step."""
    number, integer, magic, width = format_.number, format_.integer, format_.magic, format_.integer.bits - 1
    odd, reduced = odd_polynomial(format_, coefficients), reduction(format_, 1, 1.6)

    @private
    def turned(v, shifted):
        return hvisa.bitcast(number, hvisa.bitcast(integer, v) ^ (hvisa.bitcast(integer, shifted) << width))

    @private
    def sine(x):
        shifted = hvisa.fma(x, number(1 / math.pi), number(magic))
        return turned(odd(reduced(x, shifted - number(magic))), shifted)

    @private
    def cosine(x):
        shifted = hvisa.fma(x, number(1 / math.pi), number(-0.5)) + number(magic + 1)
        return turned(odd(reduced(x, (shifted - number(magic + 1)) + number(0.5))), shifted)
    return sine, cosine


def quarter_turns(format_: Format, sine: Sequence[float], cosine: Sequence[float]) -> tuple[Any, Any]:
    """Functions: sine and cosine at once, and the tangent."""
    number, integer, magic, width = format_.number, format_.integer, format_.magic, format_.integer.bits - 2
    sign, reduced = format_.sign, reduction(format_, 2, 0.8)
    odd, even = odd_polynomial(format_, sine), polynomial(format_, [1.0, -0.5, *cosine])

    @private
    def parts(x):
        shifted = hvisa.fma(x, number(2 / math.pi), number(magic))
        r = reduced(x, shifted - number(magic))
        s, c = odd(r), even(r * r)
        k = hvisa.bitcast(integer, shifted)
        swapped = (k & 1) != 0
        return c if swapped else s, s if swapped else c, k

    @private
    def turned(v, turn):
        return hvisa.bitcast(number, hvisa.bitcast(integer, v) ^ (turn & sign))

    @private
    def both(x):
        s, c, k = parts(x)
        return turned(s, k << width), turned(c, (k + 1) << width)

    @private
    def tangent(x):
        s, c, k = parts(x)
        return turned(s / c, k << (width + 1))
    return both, tangent


def arc_tangents(format_: Format, coefficients: Sequence[float], half: Sequence[float]) -> tuple[Any, Any]:
    """Functions: the arc tangent of x >= 0, and the angle of a point (x, y), without the sign of y; of
    polynomials that serve up to 1 and up to 1/2."""
    number, integer = format_.number, format_.integer
    odd, short = odd_polynomial(format_, coefficients), odd_polynomial(format_, half)
    half_pi = math.pi / 2
    least = 2.0**(1 - format_.bias)

    @private
    def arc(a):
        middle, far = a > 0.5, a > 2
        n = number(-1) if far else a - 1 if middle else a
        d = a if far else a + 1 if middle else number(1)
        return short(n / d) + (number(half_pi) if far else number(half_pi / 2) if middle else number(0))

    @private
    def angle(y, x):
        a, b = abs(y), abs(x)
        v = odd(min(a, b) / max(max(a, b), number(least)))
        v = number(half_pi) - v if a > b else v
        return number(math.pi) - v if hvisa.bitcast(integer, x) < 0 else v
    return arc, angle


def arc_sines(format_: Format, coefficients: Sequence[float]) -> tuple[Any, Any]:
    """Functions: arc sine, without its sign, and arc cosine."""
    number, half_pi = format_.number, math.pi / 2
    odd, with_sign = odd_polynomial(format_, coefficients), signs(format_)

    @private
    def inner(a):
        beyond = a > 0.5
        return odd(hvisa.sqrt(hvisa.fma(a, number(-0.5), number(0.5))) if beyond else a)

    @private
    def sine(a):
        v = inner(a)
        return hvisa.fma(v, number(-2), number(half_pi)) if a > 0.5 else v

    @private
    def cosine(x):
        v = with_sign(inner(abs(x)), x)
        beyond = abs(x) > 0.5
        start = (number(math.pi) if x < 0 else number(0)) if beyond else number(half_pi)
        return hvisa.fma(v, number(2) if beyond else number(-1), start)
    return sine, cosine


(SINE_F32, COSINE_F32), (SINE_F64, COSINE_F64) = half_turns(F32, SIN_F32), half_turns(F64, SIN_F64)
BOTH_F32, TANGENT_F32 = quarter_turns(F32, QUARTER_SIN_F32, COS_F32)
BOTH_F64, TANGENT_F64 = quarter_turns(F64, QUARTER_SIN_F64, COS_F64)
ARC_F32, ANGLE_F32 = arc_tangents(F32, ATAN_F32, HALF_ATAN_F32)
ARC_F64, ANGLE_F64 = arc_tangents(F64, ATAN_F64, HALF_ATAN_F64)
ARC_SINE_F32, ARC_COSINE_F32 = arc_sines(F32, ASIN_F32)
ARC_SINE_F64, ARC_COSINE_F64 = arc_sines(F64, ASIN_F64)
WITH_SIGN_F32, WITH_SIGN_F64 = signs(F32), signs(F64)


@public(fast=True)
def sin_f32_fast(x: f32) -> f32:
    """The sine of x for |x| <= 2^16."""
    return SINE_F32(x)


@public(fast=True)
def sin_f64_fast(x: f64) -> f64:
    """The sine of x for |x| <= 2^30."""
    return SINE_F64(x)


@public(fast=True)
def cos_f32_fast(x: f32) -> f32:
    """The cosine of x for |x| <= 2^16."""
    return COSINE_F32(x)


@public(fast=True)
def cos_f64_fast(x: f64) -> f64:
    """The cosine of x for |x| <= 2^30."""
    return COSINE_F64(x)


@public(fast=True)
def sincos_f32_fast(x: f32) -> tuple[f32, f32]:
    """Sine and cosine of x for |x| <= 2^16."""
    s, c = BOTH_F32(x)
    return s, c


@public(fast=True)
def sincos_f64_fast(x: f64) -> tuple[f64, f64]:
    """Sine and cosine of x for |x| <= 2^30."""
    s, c = BOTH_F64(x)
    return s, c


@public(fast=True)
def tan_f32_fast(x: f32) -> f32:
    """The tangent of x for |x| <= 2^16."""
    return TANGENT_F32(x)


@public(fast=True)
def tan_f64_fast(x: f64) -> f64:
    """The tangent of x for |x| <= 2^30."""
    return TANGENT_F64(x)


@public(fast=True)
def atan_f32_fast(x: f32) -> f32:
    """The arc tangent of x."""
    return WITH_SIGN_F32(ARC_F32(abs(x)), x)


@public(fast=True)
def atan_f64_fast(x: f64) -> f64:
    """The arc tangent of x."""
    return WITH_SIGN_F64(ARC_F64(abs(x)), x)


@public(fast=True)
def atan2_f32_fast(y: f32, x: f32) -> f32:
    """The angle of the point (x, y)."""
    return WITH_SIGN_F32(ANGLE_F32(y, x), y)


@public(fast=True)
def atan2_f64_fast(y: f64, x: f64) -> f64:
    """The angle of the point (x, y)."""
    return WITH_SIGN_F64(ANGLE_F64(y, x), y)


@public(fast=True)
def asin_f32_fast(x: f32) -> f32:
    """The arc sine of x."""
    return WITH_SIGN_F32(ARC_SINE_F32(abs(x)), x)


@public(fast=True)
def asin_f64_fast(x: f64) -> f64:
    """The arc sine of x."""
    return WITH_SIGN_F64(ARC_SINE_F64(abs(x)), x)


@public(fast=True)
def acos_f32_fast(x: f32) -> f32:
    """The arc cosine of x."""
    return ARC_COSINE_F32(x)


@public(fast=True)
def acos_f64_fast(x: f64) -> f64:
    """The arc cosine of x."""
    return ARC_COSINE_F64(x)
