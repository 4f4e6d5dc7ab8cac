"""Fast variants of log and its kin, and of the inverse hyperbolic functions.

x = 2^k m with 1/sqrt 2 <= m < sqrt 2, as in `logarithm`. f32 takes a polynomial of m - 1 and has no
quotient, f64 one of s = (m - 1) / (m + 1), which is shorter; nothing is kept as two numbers. log1p scales x
and 1 apart, so that no bits of x are lost. Subnormal numbers are not made normal. J.-M. Muller, "Elementary
Functions", 3rd edition, section 11.3.
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
    ATANH_F32,
    ATANH_F64,
    LOG2_F32,
    LOG2_F64,
    LOG10_F32,
    LOG10_F64,
    LOG_F32,
    LOG_F64,
)
from hvisa.library.mathematics.formats import F32, F64, Format, polynomial, signs
from hvisa.library.mathematics.logarithm import HALF_ROOT_F32, HALF_ROOT_F64, INF, NAN

NEAR = 5 / 3  # below, the logarithm is one of the quotient alone, which is at most 1/4
HALF_ROOT = {F32: HALF_ROOT_F32, F64: HALF_ROOT_F64}


def splitting(format_: Format) -> Any:
    """A function of a positive x = 2^k m: k as an integer, k as a number, m."""
    number, integer, fraction = format_.number, format_.integer, format_.fraction
    half_root = HALF_ROOT[format_]

    @private
    def split(x):
        bits = hvisa.bitcast(integer, x)
        k = (bits - half_root) >> fraction
        return k, number(k), hvisa.bitcast(number, bits - (k << fraction))
    return split


def logarithm_of_sum(format_: Format, base: float, coefficients: Sequence[float], scale: float) -> Any:
    """A function: the logarithm of 1 + f to a base, of scale * f."""
    number = format_.number
    leading = 1 / math.log(base)
    by_sum = polynomial(format_, [c / scale**(n + 1) for n, c in enumerate([leading, *coefficients])])
    by_quotient = polynomial(format_, coefficients)

    @private
    def of_sum(f):
        return f * by_sum(f)

    @private
    def of_quotient(f):
        s = f / (f + number(2 * scale))
        return s * by_quotient(s * s)
    return of_sum if format_ is F32 else of_quotient


def logarithm(format_: Format, base: float, coefficients: Sequence[float]) -> Any:
    """A function: the logarithm of x."""
    number = format_.number
    split, of_sum = splitting(format_), logarithm_of_sum(format_, base, coefficients, 1.0)
    step = math.log(2) / math.log(base)

    @private
    def log(x):
        _, k, m = split(x)
        found = hvisa.fma(k, number(step), of_sum(m - 1))
        found = found if x < INF else x
        edge = number(-INF) if x == 0 else number(NAN)
        return edge if x <= 0 else found
    return log


def logarithm_plus_one(format_: Format, coefficients: Sequence[float]) -> Any:
    """A function: log(1 + x). The power that scales is 4 times too large, since 2^-k may be subnormal."""
    number, integer, fraction = format_.number, format_.integer, format_.fraction
    split, of_sum = splitting(format_), logarithm_of_sum(format_, math.e, coefficients, 4.0)
    four, ln2 = format_.bias + 2 << fraction, math.log(2)

    @private
    def log1p(x):
        k, whole, _ = split(1 + x)
        scale = hvisa.bitcast(number, integer(four) - (k << fraction))
        found = hvisa.fma(whole, number(ln2), of_sum(hvisa.fma(x, scale, scale - 4)))
        found = found if x < INF else x
        edge = number(-INF) if x == -1 else number(NAN)
        return edge if x <= -1 else found
    return log1p


def inverse_hyperbolic(format_: Format, coefficients: Sequence[float]) -> Any:
    """A function: k ln 2 + 2 atanh(n / d), halved."""
    rest, half_ln2, number = polynomial(format_, coefficients), math.log(2) / 2, format_.number

    @private
    def half_area(k, n, d):
        s = n / d
        z = s * s
        return hvisa.fma(k, number(half_ln2), hvisa.fma(s * z, rest(z), s))
    return half_area


def area(format_: Format, coefficients: Sequence[float]) -> Any:
    """A function: log(c + s), of which c is the cosh and s the sinh."""
    split, half_area = splitting(format_), inverse_hyperbolic(format_, coefficients)
    number = format_.number

    @private
    def of_parts(c, s):
        u = c + s
        _, k, m = split(u)
        near = u < number(NEAR)
        half = half_area(number(0) if near else k, s if near else m - 1, (c if near else m) + 1)
        return half + half
    return of_parts


def area_of_quotient(format_: Format, coefficients: Sequence[float]) -> Any:
    """A function: atanh(a). k is near the logarithm of (1 + a) / (1 - a), taken from the bits; below 1/4
    it is 0."""
    number, integer, fraction = format_.number, format_.integer, format_.fraction
    one, half = format_.bias << fraction, 1 << (fraction - 1)
    half_area = inverse_hyperbolic(format_, coefficients)

    @private
    def atanh(a):
        u, v = 1 + a, 1 - a
        k = (hvisa.bitcast(integer, u) - hvisa.bitcast(integer, v) + half) >> fraction
        k = integer(0) if u < number(1.25) else k
        scale = hvisa.bitcast(number, integer(one) - (k << fraction))
        n = 2 * a if k == 0 else hvisa.fma(scale, u, -v)
        found = half_area(number(k), n, hvisa.fma(scale, u, v))
        edge = number(INF) if a == 1 else number(NAN)
        return found if a < 1 else edge
    return atanh


LOG_1_F32, LOG_1_F64 = logarithm(F32, math.e, LOG_F32), logarithm(F64, math.e, LOG_F64)
LOG_2_F32, LOG_2_F64 = logarithm(F32, 2.0, LOG2_F32), logarithm(F64, 2.0, LOG2_F64)
LOG_10_F32, LOG_10_F64 = logarithm(F32, 10.0, LOG10_F32), logarithm(F64, 10.0, LOG10_F64)
LOG1P_F32, LOG1P_F64 = logarithm_plus_one(F32, LOG_F32), logarithm_plus_one(F64, LOG_F64)
AREA_F32, AREA_F64 = area(F32, ATANH_F32), area(F64, ATANH_F64)
QUOTIENT_F32, QUOTIENT_F64 = area_of_quotient(F32, ATANH_F32), area_of_quotient(F64, ATANH_F64)
WITH_SIGN_F32, WITH_SIGN_F64 = signs(F32), signs(F64)
LARGE_F32, LARGE_F64 = 2.0**14, 2.0**30  # beyond, sqrt(x^2 + 1) is x


@public(fast=True)
def log_f32_fast(x: f32) -> f32:
    """The natural logarithm of a normal x."""
    return LOG_1_F32(x)


@public(fast=True)
def log_f64_fast(x: f64) -> f64:
    """The natural logarithm of a normal x."""
    return LOG_1_F64(x)


@public(fast=True)
def log2_f32_fast(x: f32) -> f32:
    """The logarithm of a normal x to base 2."""
    return LOG_2_F32(x)


@public(fast=True)
def log2_f64_fast(x: f64) -> f64:
    """The logarithm of a normal x to base 2."""
    return LOG_2_F64(x)


@public(fast=True)
def log10_f32_fast(x: f32) -> f32:
    """The logarithm of a normal x to base 10."""
    return LOG_10_F32(x)


@public(fast=True)
def log10_f64_fast(x: f64) -> f64:
    """The logarithm of a normal x to base 10."""
    return LOG_10_F64(x)


@public(fast=True)
def log1p_f32_fast(x: f32) -> f32:
    """log(1 + x); +0 for -0."""
    return LOG1P_F32(x)


@public(fast=True)
def log1p_f64_fast(x: f64) -> f64:
    """log(1 + x); +0 for -0."""
    return LOG1P_F64(x)


@public(fast=True)
def asinh_f32_fast(x: f32) -> f32:
    """The inverse hyperbolic sine of x."""
    a = abs(x)
    c = a if a > LARGE_F32 else hvisa.sqrt(hvisa.fma(a, a, f32(1)))
    return WITH_SIGN_F32(AREA_F32(c, a) if a < INF else a, x)


@public(fast=True)
def asinh_f64_fast(x: f64) -> f64:
    """The inverse hyperbolic sine of x."""
    a = abs(x)
    c = a if a > LARGE_F64 else hvisa.sqrt(hvisa.fma(a, a, f64(1)))
    return WITH_SIGN_F64(AREA_F64(c, a) if a < INF else a, x)


@public(fast=True)
def acosh_f32_fast(x: f32) -> f32:
    """The inverse hyperbolic cosine of x."""
    s = x if x > LARGE_F32 else hvisa.sqrt(hvisa.fma(x, x, f32(-1)))
    found = AREA_F32(x, s) if x < INF else x
    return found if x >= 1 else f32(NAN)


@public(fast=True)
def acosh_f64_fast(x: f64) -> f64:
    """The inverse hyperbolic cosine of x."""
    s = x if x > LARGE_F64 else hvisa.sqrt(hvisa.fma(x, x, f64(-1)))
    found = AREA_F64(x, s) if x < INF else x
    return found if x >= 1 else f64(NAN)


@public(fast=True)
def atanh_f32_fast(x: f32) -> f32:
    """The inverse hyperbolic tangent of x."""
    return WITH_SIGN_F32(QUOTIENT_F32(abs(x)), x)


@public(fast=True)
def atanh_f64_fast(x: f64) -> f64:
    """The inverse hyperbolic tangent of x."""
    return WITH_SIGN_F64(QUOTIENT_F64(abs(x)), x)
