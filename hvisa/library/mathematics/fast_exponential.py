"""Fast variants of exp and its kin, and of the hyperbolic functions.

base^x = 2^k p(r) as in `exponential`, with one product by 2^k: k comes out of the number that was rounded
by adding a constant, which holds the bias too, so that a shift makes the power. Twice the polynomial times
half of the power reaches all results that are normal; smaller ones are 0. cosh and sinh of r, even and odd
part of exp(r), serve 2^k and 2^-k at once. J.-M. Muller, "Elementary Functions", 3rd edition, section 11.2.
"""

# The functions serve f32 and f64.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hvisa
from hvisa import f32, f64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.exponential import LOG2E
from hvisa.library.mathematics.exponential_coefficients import EXP_F32, EXP_F64
from hvisa.library.mathematics.fast_coefficients import (
    EVEN_F32,
    EVEN_F64,
    EXP2_F32,
    EXP2_F64,
    EXP10_F32,
    EXP10_F64,
    EXP_F32 as SHORT_F32,
    EXP_F64 as SHORT_F64,
    ODD_F32,
    ODD_F64,
)
from hvisa.library.mathematics.formats import F32, F64, Format, polynomial, signs
from hvisa.library.mathematics.hyperbolic import LOG2_10

# ln 2 and log10 2 in two parts.
LN2_F32 = 0.6931471824645996, -1.9046542121259336e-09
LN2_F64 = 0.6931471805599453, 2.3190468138462996e-17
LOG10_2_F32 = 0.3010300099849701, -1.432098883924482e-08
LOG10_2_F64 = 0.3010299956639812, -2.8037281277851704e-18
Parts = tuple[float, ...]


def reduction(format_: Format, log2_base: float, step: Parts, offset: int) -> Any:
    """A function of a number x: the r of x = k step + r, and 2^(k + offset)."""
    number, integer, fraction = format_.number, format_.integer, format_.fraction
    magic = format_.magic + format_.bias + offset

    @private
    def reduced(x):
        shifted = hvisa.fma(x, number(log2_base), number(magic))
        whole = shifted - number(magic)
        r = x
        for part in step:
            r = hvisa.fma(whole, number(-part), r)
        return r, hvisa.bitcast(number, hvisa.bitcast(integer, shifted) << fraction)
    return reduced


def power(format_: Format, log2_base: float, step: Parts, coefficients: Sequence[float]) -> Any:
    """A function: base^x. Bounds keep k between the one whose power is 0, and the one of the largest
    results."""
    number = format_.number
    least, most = (1 - format_.bias) / log2_base, (format_.bias + 1.5) / log2_base
    reduced = reduction(format_, log2_base, step, -1)
    twice = polynomial(format_, [2.0, *(2 * c for c in coefficients)])

    @private
    def raised(x):
        r, half = reduced(min(max(x, number(least)), number(most)))
        return twice(r) * half
    return raised


def expm1(format_: Format, coefficients: Sequence[float], offset: int) -> Any:
    """A function: exp(x) - 1 times 2^offset."""
    reduced = reduction(format_, LOG2E, LN2_F32 if format_ is F32 else LN2_F64, offset)
    rest = polynomial(format_, coefficients)
    number, unit = format_.number, 2.0**offset

    @private
    def less_one(x):
        r, scale = reduced(x)
        q = hvisa.fma(r * r, rest(r), r)
        return hvisa.fma(scale, q, scale - number(unit))
    return less_one


def halves(format_: Format, even: Sequence[float], odd: Sequence[float], most: float) -> Any:
    """A function: what cosh(x) / 2 and sinh(x) / 2 are sums of, and the part that is even in both."""
    reduced = reduction(format_, LOG2E, LN2_F32 if format_ is F32 else LN2_F64, -2)
    number, integer, fraction = format_.number, format_.integer, format_.fraction
    total = 2 * (format_.bias - 2) << fraction
    cosine, sine = polynomial(format_, [1.0, *even]), polynomial(format_, [1.0, *odd])

    @private
    def parts(x):
        r, up = reduced(min(abs(x), number(most)))
        down = hvisa.bitcast(number, max(integer(total) - hvisa.bitcast(integer, up), integer(0)))
        z = r * r
        return up + down, up - down, cosine(z), r * sine(z)
    return parts


EXP_1_F32, EXP_1_F64 = power(F32, LOG2E, LN2_F32, SHORT_F32), power(F64, LOG2E, LN2_F64, SHORT_F64)
EXP_2_F32, EXP_2_F64 = power(F32, 1.0, (1.0,), EXP2_F32), power(F64, 1.0, (1.0,), EXP2_F64)
EXP_10_F32 = power(F32, LOG2_10, LOG10_2_F32, EXP10_F32)
EXP_10_F64 = power(F64, LOG2_10, LOG10_2_F64, EXP10_F64)
HALF_EXPM1_F32, HALF_EXPM1_F64 = expm1(F32, EXP_F32, -1), expm1(F64, EXP_F64, -1)
EXPM1_F32, EXPM1_F64 = expm1(F32, EXP_F32, 0), expm1(F64, EXP_F64, 0)
HALVES_F32, HALVES_F64 = halves(F32, EVEN_F32, ODD_F32, 89.6), halves(F64, EVEN_F64, ODD_F64, 710.6)
WITH_SIGN_F32, WITH_SIGN_F64 = signs(F32), signs(F64)


@public(fast=True)
def exp_f32_fast(x: f32) -> f32:
    """The exponential of x; 0 where it is below 2^-125."""
    return EXP_1_F32(x)


@public(fast=True)
def exp_f64_fast(x: f64) -> f64:
    """The exponential of x; 0 where it is below 2^-1021."""
    return EXP_1_F64(x)


@public(fast=True)
def exp2_f32_fast(x: f32) -> f32:
    """2 to the power x; 0 where it is below 2^-125."""
    return EXP_2_F32(x)


@public(fast=True)
def exp2_f64_fast(x: f64) -> f64:
    """2 to the power x; 0 where it is below 2^-1021."""
    return EXP_2_F64(x)


@public(fast=True)
def exp10_f32_fast(x: f32) -> f32:
    """10 to the power x; 0 where it is below 2^-125."""
    return EXP_10_F32(x)


@public(fast=True)
def exp10_f64_fast(x: f64) -> f64:
    """10 to the power x; 0 where it is below 2^-1021."""
    return EXP_10_F64(x)


@public(fast=True)
def expm1_f32_fast(x: f32) -> f32:
    """exp(x) - 1; +0 for -0."""
    half = HALF_EXPM1_F32(min(max(x, -18.0), 89.0))
    return half + half


@public(fast=True)
def expm1_f64_fast(x: f64) -> f64:
    """exp(x) - 1; +0 for -0."""
    half = HALF_EXPM1_F64(min(max(x, -38.0), 710.0))
    return half + half


@public(fast=True)
def sinh_f32_fast(x: f32) -> f32:
    """The hyperbolic sine."""
    total, difference, even, odd = HALVES_F32(x)
    half = hvisa.fma(difference, even, total * odd)
    return WITH_SIGN_F32(half + half, x)


@public(fast=True)
def sinh_f64_fast(x: f64) -> f64:
    """The hyperbolic sine."""
    total, difference, even, odd = HALVES_F64(x)
    half = hvisa.fma(difference, even, total * odd)
    return WITH_SIGN_F64(half + half, x)


@public(fast=True)
def cosh_f32_fast(x: f32) -> f32:
    """The hyperbolic cosine."""
    total, difference, even, odd = HALVES_F32(x)
    half = hvisa.fma(total, even, difference * odd)
    return half + half


@public(fast=True)
def cosh_f64_fast(x: f64) -> f64:
    """The hyperbolic cosine."""
    total, difference, even, odd = HALVES_F64(x)
    half = hvisa.fma(total, even, difference * odd)
    return half + half


@public(fast=True)
def tanh_f32_fast(x: f32) -> f32:
    """The hyperbolic tangent: e / (e + 2) for e = exp(2 |x|) - 1."""
    e = EXPM1_F32(2 * min(abs(x), 10.0))
    return WITH_SIGN_F32(e / (e + 2), x)


@public(fast=True)
def tanh_f64_fast(x: f64) -> f64:
    """The hyperbolic tangent: e / (e + 2) for e = exp(2 |x|) - 1."""
    e = EXPM1_F64(2 * min(abs(x), 22.0))
    return WITH_SIGN_F64(e / (e + 2), x)
