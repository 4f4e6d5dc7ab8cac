"""exp, by reduction to |r| <= ln 2 / 2 (Cody and Waite) and a polynomial.

x = k ln 2 + r; ln 2 is two numbers, of which the first has zeros at the end so that k times it is exact.
exp(r) = 1 + (r + r^2 p(r)); the last sum is rounded once. 2^k is multiplied in two steps, so that
subnormal results are rounded once too. W. J. Cody, W. Waite, "Software Manual for the Elementary
Functions", 1980, chapter 6; J.-M. Muller, "Elementary Functions", 3rd edition, section 11.2.
"""

from __future__ import annotations

import hvisa
from hvisa import f32, f64, i32, i64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.exponential_coefficients import EXP_F32, EXP_F64

LOG2E = 1.4426950408889634
LN2_HIGH_F32, LN2_LOW_F32 = f32(0.693145751953125), f32(1.428606765330187e-06)
LN2_HIGH_F64, LN2_LOW_F64 = 0.6931471803691238, 1.9082149292705877e-10
MAGIC_F32 = f32(12582912.0)  # 1.5 * 2^23: adding it rounds to an integer in the low bits
MAGIC_F64 = 6755399441055744.0  # 1.5 * 2^52


@private
def scale_f32(x: f32, k: i32) -> f32:
    """x * 2^k for |k| <= 252, rounded once."""
    first = k >> 1
    a = hvisa.bitcast(f32, (first + 127) << 23)
    b = hvisa.bitcast(f32, (k - first + 127) << 23)
    return x * a * b


@private
def scale_f64(x: f64, k: i64) -> f64:
    """x * 2^k for |k| <= 2044, rounded once."""
    first = k >> 1
    a = hvisa.bitcast(f64, (first + 1023) << 52)
    b = hvisa.bitcast(f64, (k - first + 1023) << 52)
    return x * a * b


@private
def exp_part_f32(r: f32) -> f32:
    """exp(r) - 1 for |r| <= ln 2 / 2."""
    p = EXP_F32[4]
    for c in EXP_F32[3::-1]:
        p = hvisa.fma(f32(p), r, f32(c))
    return hvisa.fma(r * r, f32(p), r)


@private
def exp_part_f64(r: f64) -> f64:
    """exp(r) - 1 for |r| <= ln 2 / 2."""
    p = EXP_F64[10]
    for c in EXP_F64[9::-1]:
        p = hvisa.fma(f64(p), r, c)
    return hvisa.fma(r * r, f64(p), r)


@private
def exp_reduced_f32(r: f32) -> f32:
    """exp(r) for |r| <= ln 2 / 2, as the exact 1 + r and what follows, rounded once."""
    p = EXP_F32[4]
    for c in EXP_F32[3::-1]:
        p = hvisa.fma(f32(p), r, f32(c))
    s = 1 + r
    return s + hvisa.fma(r * r, f32(p), r - (s - 1))


@private
def exp_reduced_f64(r: f64) -> f64:
    """exp(r) for |r| <= ln 2 / 2, as the exact 1 + r and what follows, rounded once."""
    p = EXP_F64[10]
    for c in EXP_F64[9::-1]:
        p = hvisa.fma(f64(p), r, c)
    s = 1 + r
    return s + hvisa.fma(r * r, f64(p), r - (s - 1))


@public
def exp_f32(x: f32) -> f32:
    """The exponential of x: at most 1 ULP, monotone."""
    held = min(max(x, -104.0), 89.0)  # beyond, the result is 0 or infinite; NaN stays
    shifted = hvisa.fma(held, f32(LOG2E), MAGIC_F32)
    k = hvisa.bitcast(i32, shifted) - hvisa.bitcast(i32, MAGIC_F32)
    whole = shifted - MAGIC_F32
    r = hvisa.fma(whole, -LN2_LOW_F32, hvisa.fma(whole, -LN2_HIGH_F32, held))
    return scale_f32(exp_reduced_f32(r), k)


@public
def exp_f64(x: f64) -> f64:
    """The exponential of x: at most 1 ULP, monotone."""
    held = min(max(x, -746.0), 710.0)
    shifted = hvisa.fma(held, LOG2E, MAGIC_F64)
    k = hvisa.bitcast(i64, shifted) - hvisa.bitcast(i64, f64(MAGIC_F64))
    whole = shifted - MAGIC_F64
    r = hvisa.fma(whole, -LN2_LOW_F64, hvisa.fma(whole, -LN2_HIGH_F64, held))
    return scale_f64(exp_reduced_f64(r), k)
