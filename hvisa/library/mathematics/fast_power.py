"""Fast variants of pow, cbrt and hypot.

pow is 2^(y log2 x) with a logarithm of two numbers, of which all but the quotient and its first product is
rounded. What is rounded is small, since m of x = 2^k m is divided by the nearest of three numbers whose
logarithms are known (P. T. P. Tang, "Table-driven implementation of the logarithm function in IEEE
floating-point arithmetic", ACM TOMS 16(4), 1990). The special cases are those of `power`.

The inverse cube root starts from the bits of x, which are nearly its logarithm (C. Lomont, "Fast inverse
square root", 2003), and takes steps of third order with the residual e: 1 / cbrt(1 - e) = 1 + e/3 + 2/9 e^2
+ ... . The last one is that of its square times x, which takes two thirds of this product's error away.
1 / sqrt x has no fast variant: this way it took as long as the quotient and the root do.
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
from hvisa.library.mathematics.double_word import fast_two_sum, two_prod
from hvisa.library.mathematics.fast_logarithm import splitting
from hvisa.library.mathematics.formats import F32, F64, Format, polynomial
from hvisa.library.mathematics.logarithm import (
    INF,
    TWO_LOG2E_HIGH_F32,
    TWO_LOG2E_HIGH_F64,
    TWO_LOG2E_LOW_F32,
    TWO_LOG2E_LOW_F64,
    quotient,
)
from hvisa.library.mathematics.logarithm_coefficients import EXP2_REST_F32, EXP2_REST_F64
from hvisa.library.mathematics.power import MOST_Y_F32, MOST_Y_F64, pow_specials

TWO_LOG2E = {F32: (TWO_LOG2E_HIGH_F32, TWO_LOG2E_LOW_F32), F64: (TWO_LOG2E_HIGH_F64, TWO_LOG2E_LOW_F64)}
# Two numbers between 1/sqrt 2 and sqrt 2, and their logarithms in two parts, of which the first is short.
LOWER, LOG2_LOWER = 0.79296875, (-0.3349609375, 0.0002968546851762282)
UPPER, LOG2_UPPER = 1.2578125, (0.3310546875, -0.00013780938538302028)
BETWEEN = 0.891, 1.122  # which of them or 1 is the nearest
# atanh(s) = s + s^3 (1/3 + s^2 / 5 + ...); |s| is less than 0.0587.
THIRD_F32, THIRD_F64 = [1 / n for n in range(3, 9, 2)], [1 / n for n in range(3, 17, 2)]
EXPONENTIAL_F32, EXPONENTIAL_F64 = (math.log(2), *EXP2_REST_F32), (math.log(2), *EXP2_REST_F64)
MOST_Y = {F32: MOST_Y_F32, F64: MOST_Y_F64}
# The bits of 1 / cbrt x are these less a third of those of x, within 4 %.
CUBE_ROOT = {F32: 0x54A1A486, F64: 0x553EE978D4FDF3B7}


def powers(format_: Format, logarithm: Sequence[float], exponential: Sequence[float]) -> Any:
    """A function: |x|^y of a normal x."""
    number, integer, fraction = format_.number, format_.integer, format_.fraction
    magic, (high_step, low_step) = format_.magic + format_.bias - 1, TWO_LOG2E[format_]
    split, third_power = splitting(format_), polynomial(format_, logarithm)
    twice = polynomial(format_, [2.0, *(2 * c for c in exponential)])
    least, most, most_y = 1 - format_.bias, format_.bias + 1.5, MOST_Y[format_]

    @private
    def power(a, y):
        y = min(max(y, number(-most_y)), number(most_y))
        _, k, m = split(a)
        lower, upper = m < number(BETWEEN[0]), m > number(BETWEEN[1])
        c = number(LOWER) if lower else number(UPPER) if upper else number(1)
        k = k + (number(LOG2_LOWER[0]) if lower else number(LOG2_UPPER[0]) if upper else number(0))
        left = number(LOG2_LOWER[1]) if lower else number(LOG2_UPPER[1]) if upper else number(0)
        d, d_low = fast_two_sum(c, m)
        s, s_low = quotient(m - c, number(0), d, d_low)
        g, g_low = two_prod(s, number(high_step))
        z = s * s
        small = hvisa.fma(s * z, third_power(z), s_low)
        rest = hvisa.fma(small, number(high_step), hvisa.fma(s, number(low_step), g_low + left))
        high, low = fast_two_sum(k, g)
        high, low = fast_two_sum(high, low + rest)
        shifted = min(max(y * high, number(least)), number(most)) + number(magic)
        r = hvisa.fma(y, low, hvisa.fma(y, high, number(magic) - shifted))
        r = min(max(r, number(-1)), number(1))  # beyond, 2^k is 0 or too large
        return twice(r) * hvisa.bitcast(number, hvisa.bitcast(integer, shifted) << fraction)
    return power


def cube_roots(format_: Format) -> Any:
    """A function: the cube root of x."""
    number, integer, start = format_.number, format_.integer, CUBE_ROOT[format_]
    half = integer.bits // 2
    third, steps = (1 << half) // 3, range(1 if format_ is F32 else 2)

    @private
    def cube_root(x):
        a = abs(x)
        r = hvisa.bitcast(number, integer(start) - (hvisa.bitcast(integer, a) >> half) * third)
        for _ in steps:
            e = hvisa.fma(r * r, -(r * a), number(1))
            r = hvisa.fma(r * e, hvisa.fma(e, number(2 / 9), number(1 / 3)), r)
        y = r * r * x
        e = hvisa.fma(abs(y), -r, number(1))
        return hvisa.fma(y * e, hvisa.fma(e, number(5 / 9), number(2 / 3)), y) if a < INF else x
    return cube_root


POW_F32, POW_F64 = powers(F32, THIRD_F32, EXPONENTIAL_F32), powers(F64, THIRD_F64, EXPONENTIAL_F64)
CUBE_ROOT_F32, CUBE_ROOT_F64 = cube_roots(F32), cube_roots(F64)


@public(fast=True)
def pow_f32_fast(x: f32, y: f32) -> f32:
    """x to the power of y."""
    return pow_specials(x, y, POW_F32(abs(x), y))


@public(fast=True)
def pow_f64_fast(x: f64, y: f64) -> f64:
    """x to the power of y."""
    return pow_specials(x, y, POW_F64(abs(x), y))


@public(fast=True)
def cbrt_f32_fast(x: f32) -> f32:
    """The cube root of a normal x."""
    return CUBE_ROOT_F32(x)


@public(fast=True)
def cbrt_f64_fast(x: f64) -> f64:
    """The cube root of a normal x."""
    return CUBE_ROOT_F64(x)


@public(fast=True)
def hypot_f32_fast(x: f32, y: f32) -> f32:
    """sqrt(x^2 + y^2), whose squares are numbers."""
    return hvisa.sqrt(hvisa.fma(x, x, y * y))


@public(fast=True)
def hypot_f64_fast(x: f64, y: f64) -> f64:
    """sqrt(x^2 + y^2), whose squares are numbers."""
    return hvisa.sqrt(hvisa.fma(x, x, y * y))
