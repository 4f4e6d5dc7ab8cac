"""sin, cos and tan: a reduction by pi/2, and polynomials on [-pi/4, pi/4].

The reduced argument is r + e with |e| about an ULP of r, so that its error does not show. f32 reduces every
argument beyond pi/4 as M. H. Payne and R. N. Hanek do ("Radian reduction for trigonometric functions",
SIGNUM Newsletter 18, 1983): |x| = m 2^n with an integer m, and of 2/pi only those bits are multiplied by m
whose products are neither whole turns nor too small. A window of three words out of eight is cheap enough
to be taken by `select`, so there is no branch. f64 subtracts k pi/2 in three parts with `fma` up to LARGE
(W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980, chapter 8; S. Boldo, M. Daumas,
R.-C. Li, "Formally verified argument reduction with a fused multiply-add", IEEE TC 58(8), 2009),
and only beyond does as Payne and Hanek do, under a condition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import f32, f64, i1, i32, i64, index, u32, u64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.trigonometry_coefficients import (
    COS_F32,
    COS_F64,
    SIN_F32,
    SIN_F64,
    TAN_F32,
    TAN_F64,
)

# Bits of 2/pi behind its point, one word of zeros before them.
WORDS_F32 = (0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB)
WORDS_F64: Any = np.array([
    0, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
    0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4,
    0x9C845F8BBDF9283B, 0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB], np.uint64)
EIGHTH_F32 = f32(0.7853981852531433)  # pi/4
UNIT_F32 = f32(1.5707963705062866 * 2.0**-24), f32(-4.371138828673793e-08 * 2.0**-24)  # pi/2 2^-24
HALF_PI_F64 = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33
TWO_OVER_PI = 0.6366197723675814
MAGIC_F64 = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer in the low bits
LARGE = 1099511627776.0  # 2^40: k pi/2 in three parts is near enough up to here


@private
def reduced_f32(bits: u32) -> tuple[f32, f32, u32]:
    """For a >= 0 of these bits: r + e and k with a = k pi/2 + r + e and |r| <= pi/4; k modulo 4."""
    a = hvisa.bitcast(f32, bits)
    start = (bits >> 23) - 120  # the first bit of the window: those before it give whole turns
    m = (bits & 0x7FFFFF) | 0x800000
    far, odd, next_ = (start & 128) != 0, (start & 64) != 0, (start & 32) != 0
    w0 = u32(WORDS_F32[4]) if far else u32(WORDS_F32[0])
    w1 = u32(WORDS_F32[5]) if far else u32(WORDS_F32[1])
    w2 = u32(WORDS_F32[6]) if far else u32(WORDS_F32[2])
    w3 = u32(WORDS_F32[7]) if far else u32(WORDS_F32[3])
    w0 = w2 if odd else w0
    w1 = w3 if odd else w1
    w2 = u32(WORDS_F32[4]) if odd else w2
    w3 = u32(WORDS_F32[5]) if odd else w3
    w4 = u32(WORDS_F32[6]) if odd else u32(WORDS_F32[4])
    v0 = hvisa.funnel_shl(w1 if next_ else w0, w2 if next_ else w1, start)
    v1 = hvisa.funnel_shl(w2 if next_ else w1, w3 if next_ else w2, start)
    v2 = hvisa.funnel_shl(w3 if next_ else w2, w4 if next_ else w3, start)
    middle = m * v1
    low = middle + hvisa.mul_high(m, v2)
    high = m * v0 + hvisa.mul_high(m, v1) + u32(low < middle)
    # high:low is the fraction of a turn. The nearest quarter is taken off; of the rest, in units of 2^-24
    # quarters, there are 24 signed bits, 24 more and 16 more.
    k = (high + 0x20000000) >> 30
    rest = hvisa.bitcast(i32, hvisa.funnel_shl(high, low, u32(2)))
    below = hvisa.bitcast(i32, low << 2)
    first = f32(rest >> 8)
    second = f32(hvisa.funnel_shl(rest, below, i32(16)) & 0xFFFFFF)
    third = f32(below & 0xFFFF)
    whole = hvisa.fma(second, f32(2.0**-24), first)
    part = hvisa.fma(third, f32(2.0**-40), hvisa.fma(second, f32(2.0**-24), first - whole))
    r = whole * UNIT_F32[0]
    e = hvisa.fma(part, UNIT_F32[0], hvisa.fma(whole, UNIT_F32[1], hvisa.fma(whole, UNIT_F32[0], -r)))
    small = a <= EIGHTH_F32
    r = a if small else hvisa.fma(a, f32(0.0), r)  # infinities and NaN become NaN
    e = f32(0.0) if small else e
    k = u32(0) if small else k
    return r, e, k


@private
def sine_f32(r: f32, e: f32) -> f32:
    """sin(r + e) for |r| <= pi/4."""
    z = r * r
    p = SIN_F32[-1]
    for c in SIN_F32[-2::-1]:
        p = hvisa.fma(f32(p), z, f32(c))
    return r + hvisa.fma(r * z, f32(p), e * hvisa.fma(z, f32(-0.5), f32(1.0)))


@private
def cosine_f32(r: f32, e: f32) -> f32:
    """cos(r + e) for |r| <= pi/4; what 1 - z/2 loses when it is rounded is added with the rest."""
    z = r * r
    p = COS_F32[-1]
    for c in COS_F32[-2::-1]:
        p = hvisa.fma(f32(p), z, f32(c))
    h = hvisa.fma(z, f32(-0.5), f32(1.0))
    lost = hvisa.fma(z, f32(-0.5), 1 - h)
    return h + hvisa.fma(z * z, f32(p), hvisa.fma(-r, e, lost))


@private
def flipped_f32(v: f32, sign: u32) -> f32:
    """v or -v, by the highest bit of `sign`."""
    return v * hvisa.bitcast(f32, (sign & 0x80000000) | 0x3F800000)


@public
def sin_f32(x: f32) -> f32:
    """The sine of x: at most 1 ULP."""
    r, e, k = reduced_f32(hvisa.bitcast(u32, x) & 0x7FFFFFFF)
    v = cosine_f32(r, e) if (k & 1) != 0 else sine_f32(r, e)
    return flipped_f32(v, hvisa.bitcast(u32, x) ^ (k << 30))


@public
def cos_f32(x: f32) -> f32:
    """The cosine of x: at most 1 ULP."""
    r, e, k = reduced_f32(hvisa.bitcast(u32, x) & 0x7FFFFFFF)
    v = sine_f32(r, e) if (k & 1) != 0 else cosine_f32(r, e)
    return flipped_f32(v, (k + 1) << 30)


@public
def sincos_f32(x: f32) -> tuple[f32, f32]:
    """Sine and cosine of x: the same bits as `sin` and `cos` have."""
    r, e, k = reduced_f32(hvisa.bitcast(u32, x) & 0x7FFFFFFF)
    s, c = sine_f32(r, e), cosine_f32(r, e)
    odd = (k & 1) != 0
    sine, cosine = hvisa.select(odd, c, s), hvisa.select(odd, s, c)
    return flipped_f32(sine, hvisa.bitcast(u32, x) ^ (k << 30)), flipped_f32(cosine, (k + 1) << 30)


@private
def far_reduced_f64(a: f64) -> tuple[f64, f64, i64]:
    """`reduced_f64` of Payne and Hanek, for a >= LARGE."""
    bits = hvisa.bitcast(u64, a)
    start = (bits >> 52) - 1013  # the first bit of the window: those before it give whole turns
    m = (bits & 0xFFFFFFFFFFFFF) | 0x10000000000000
    at = index(start >> 6)
    w0, w1 = WORDS_F64.clamp[at], WORDS_F64.clamp[at + 1]
    w2, w3 = WORDS_F64.clamp[at + 2], WORDS_F64.clamp[at + 3]
    v0 = hvisa.funnel_shl(w0, w1, start)
    v1 = hvisa.funnel_shl(w1, w2, start)
    v2 = hvisa.funnel_shl(w2, w3, start)
    middle = m * v1
    low = middle + hvisa.mul_high(m, v2)
    high = m * v0 + hvisa.mul_high(m, v1) + u64(low < middle)
    # high:low is the fraction of a turn. The nearest quarter is taken off; the rest has 53 signed bits,
    # 53 more and 22 more.
    k = (high + 0x2000000000000000) >> 62
    rest = hvisa.bitcast(i64, (high << 2) | (low >> 62))
    below = low << 2
    first = f64(rest >> 11) * 2.0**-53
    second = f64(((rest & 2047) << 42) | hvisa.bitcast(i64, below >> 22)) * 2.0**-106
    third = f64(hvisa.bitcast(i64, below & 0x3FFFFF)) * 2.0**-128
    whole = first + second
    part = (second - (whole - first)) + third
    r = whole * HALF_PI_F64[0]
    e = hvisa.fma(whole, HALF_PI_F64[0], -r) + hvisa.fma(whole, HALF_PI_F64[1], part * HALF_PI_F64[0])
    return hvisa.fma(a, 0.0, r), e, hvisa.bitcast(i64, k)  # infinities and NaN become NaN


@private
def reduced_f64(a: f64) -> tuple[f64, f64, i64]:
    """For a >= 0: r + e and k with a = k pi/2 + r + e and |r| <= pi/4; k modulo 4."""
    shifted = hvisa.fma(a, TWO_OVER_PI, MAGIC_F64)
    k = hvisa.bitcast(i64, shifted)
    whole = shifted - MAGIC_F64
    first = hvisa.fma(-whole, HALF_PI_F64[0], a)  # exact: a multiple of 2^-53 below 1
    second = whole * HALF_PI_F64[1]
    second_low = hvisa.fma(whole, HALF_PI_F64[1], -second)
    total = first - second
    back = first - total
    lost = (back - second) + (first - (total + back))
    e = lost - hvisa.fma(whole, HALF_PI_F64[2], second_low)
    r = total + e
    e = e - (r - total)
    if not a < LARGE:
        r, e, k = far_reduced_f64(a)
    return r, e, k


@private
def sine_f64(r: f64, e: f64) -> f64:
    """sin(r + e) for |r| <= pi/4."""
    z = r * r
    p = SIN_F64[-1]
    for c in SIN_F64[-2::-1]:
        p = hvisa.fma(f64(p), z, c)
    return r + hvisa.fma(r * z, f64(p), e * hvisa.fma(z, -0.5, 1.0))


@private
def cosine_f64(r: f64, e: f64) -> f64:
    """cos(r + e) for |r| <= pi/4; what 1 - z/2 loses when it is rounded is added with the rest."""
    z = r * r
    p = COS_F64[-1]
    for c in COS_F64[-2::-1]:
        p = hvisa.fma(f64(p), z, c)
    h = hvisa.fma(z, -0.5, 1.0)
    lost = hvisa.fma(z, -0.5, 1 - h)
    return h + hvisa.fma(z * z, f64(p), hvisa.fma(-r, e, lost))


@private
def flipped_f64(v: f64, sign: i64) -> f64:
    """v or -v, by the highest bit of `sign`."""
    return v * hvisa.bitcast(f64, (sign & -0x8000000000000000) | 0x3FF0000000000000)


@public
def sin_f64(x: f64) -> f64:
    """The sine of x: at most 1 ULP."""
    r, e, k = reduced_f64(abs(x))
    v = cosine_f64(r, e) if (k & 1) != 0 else sine_f64(r, e)
    return flipped_f64(v, hvisa.bitcast(i64, x) ^ (k << 62))


@public
def cos_f64(x: f64) -> f64:
    """The cosine of x: at most 1 ULP."""
    r, e, k = reduced_f64(abs(x))
    v = sine_f64(r, e) if (k & 1) != 0 else cosine_f64(r, e)
    return flipped_f64(v, (k + 1) << 62)


@public
def sincos_f64(x: f64) -> tuple[f64, f64]:
    """Sine and cosine of x: the same bits as `sin` and `cos` have."""
    r, e, k = reduced_f64(abs(x))
    s, c = sine_f64(r, e), cosine_f64(r, e)
    odd = (k & 1) != 0
    sine, cosine = hvisa.select(odd, c, s), hvisa.select(odd, s, c)
    return flipped_f64(sine, hvisa.bitcast(i64, x) ^ (k << 62)), flipped_f64(cosine, (k + 1) << 62)


@private
def tangent_f32(r: f32, e: f32, odd: i1) -> f32:
    """tan(r + e) for |r| <= pi/4, or that of pi/2 + r + e: -1/tan, whose quotient is corrected once."""
    z = r * r
    p = TAN_F32[-1]
    for c in TAN_F32[-2::-1]:
        p = hvisa.fma(f32(p), z, f32(c))
    cube = r * z
    cube_low = hvisa.fma(r, hvisa.fma(r, r, -z), hvisa.fma(r, z, -cube))
    near = hvisa.fma(cube, f32(p), r)
    more = hvisa.fma(cube_low, f32(p), e * hvisa.fma(near, near, f32(1.0)))
    rest = hvisa.fma(cube, f32(p), more)
    t = r + rest
    low = rest - (t - r)
    inverse = -1 / t
    wrong = hvisa.fma(inverse, t, f32(1.0)) + inverse * low
    return hvisa.fma(inverse, wrong, inverse) if odd else t


@private
def tangent_f64(r: f64, e: f64, odd: i1) -> f64:
    """tan(r + e) for |r| <= pi/4, or that of pi/2 + r + e: -1/tan, whose quotient is corrected once."""
    z = r * r
    p = TAN_F64[-1]
    for c in TAN_F64[-2::-1]:
        p = hvisa.fma(f64(p), z, c)
    cube = r * z
    cube_low = hvisa.fma(r, hvisa.fma(r, r, -z), hvisa.fma(r, z, -cube))
    near = hvisa.fma(cube, f64(p), r)
    more = hvisa.fma(cube_low, f64(p), e * hvisa.fma(near, near, 1.0))
    rest = hvisa.fma(cube, f64(p), more)
    t = r + rest
    low = rest - (t - r)
    inverse = -1 / t
    wrong = hvisa.fma(inverse, t, 1.0) + inverse * low
    return hvisa.fma(inverse, wrong, inverse) if odd else t


@public
def tan_f32(x: f32) -> f32:
    """The tangent of x: at most 1 ULP."""
    r, e, k = reduced_f32(hvisa.bitcast(u32, x) & 0x7FFFFFFF)
    return flipped_f32(tangent_f32(r, e, (k & 1) != 0), hvisa.bitcast(u32, x))


@public
def tan_f64(x: f64) -> f64:
    """The tangent of x: at most 1 ULP."""
    r, e, k = reduced_f64(abs(x))
    return flipped_f64(tangent_f64(r, e, (k & 1) != 0), hvisa.bitcast(i64, x))
