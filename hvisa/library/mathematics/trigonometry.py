"""sin, cos and tan: a reduction by pi/2, and polynomials on [-pi/4, pi/4].

The reduced argument is r + e with |e| about an ULP of r, so that its error does not show. Arguments beyond
pi/4 are all reduced as M. H. Payne and R. N. Hanek do ("Radian reduction for trigonometric functions",
SIGNUM Newsletter 18, 1983): |x| is multiplied by only those bits of 2/pi that give neither whole turns nor
what is too small to matter. It is cheap enough to be done for all arguments, so there are no branches.
f32 multiplies the integer of its significand by three words, chosen by `select`. f64 takes what it needs
of 1/(2 pi) from a table of 65 rows, one for 16 exponents, as a sum of four numbers; the product is a sum of
exact parts (T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math.
18, 1971). The least distance of a number from a multiple of pi/2 is about 2^-30 in f32 and 2^-61 in f64
(J.-M. Muller, "Elementary Functions", 3rd edition, section 11.3), errors are below 2^-60 and 2^-120.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import hvisa
from hvisa import f32, f64, i1, i32, i64, u32
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.double_word import two_sum
from hvisa.library.mathematics.trigonometry_coefficients import (
    COS_F32,
    COS_F64,
    SIN_F32,
    SIN_F64,
    TAN_F32,
    TAN_F64,
)

# The first bits of 2/pi behind its point.
BITS = 1216
TWO_OVER_PI = int(
    "A2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561B7246E3A424DD2E006492EEA09D1921C"
    "FE1DEB1CB129A73EE88235F52EBB4484E99C7026B45F7E413991D639835339F49C845F8BBDF9283B1FF897FFDE05980F"
    "EF2F118B5A0A6D1F6D367ECF27CB09B74F463F669E5FEA2D7527BAC7EBE5F17B3D0739F78A5292EA6BFB5FB11F8D5D08"
    "56033046FC7B6BAB", 16)
# A word of zeros, and words of 2/pi.
WORDS_F32 = tuple(TWO_OVER_PI >> (BITS - 32 * n) & 0xFFFFFFFF for n in range(8))
EIGHTH_F32 = f32(0.7853981852531433)  # pi/4
EIGHTH_F64 = 0.7853981633974483
UNIT_F32 = f32(1.5707963705062866 * 2.0**-24), f32(-4.371138828673793e-08 * 2.0**-24)  # pi/2 2^-24
TURN_F64 = 6.283185307179586, 2.4492935982947064e-16  # 2 pi in two parts
MAGIC_F64 = 1688849860263936.0  # 1.5 * 2^50: adding it rounds to quarters, counted in the low bits
FIRST_ROW = 63  # of the numbers from 2^-15 up
SCALE = 68


def turns_f64() -> Any:
    """For each 16 exponents, of x = 2^(16 row - 1088) y with 2^13 <= y < 2^81: that power by 2 pi, in four
    parts. y is a multiple of 2^13, so that multiples of 2^-13 give whole turns and are left out. The first
    part is a multiple of 2^-51, so that what its product leaves of a turn is a number."""
    table = np.zeros((4, 128 - FIRST_ROW))
    for row in range(FIRST_ROW, 128):
        power = BITS + 2 - 16 * (row - SCALE)
        left = Fraction(TWO_OVER_PI, 1 << power) % Fraction(1, 1 << 13)
        left -= Fraction(1, 1 << 13) * (left > Fraction(1, 1 << 14))
        for part in range(4):
            table[part, row - FIRST_ROW] = float(left) if part else round(left * (1 << 51)) / (1 << 51)
            left -= Fraction(table[part, row - FIRST_ROW])
    return table


TURNS_0, TURNS_1, TURNS_2, TURNS_3 = turns_f64()


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
def reduced_f64(bits: i64) -> tuple[f64, f64, i64]:
    """For a >= 0 of these bits: r + e and k with a = k pi/2 + r + e and |r| <= pi/4; k modulo 4."""
    a = hvisa.bitcast(f64, bits)
    row = (bits >> 56) - FIRST_ROW  # smaller numbers than those of the first row are reduced already
    scaled = hvisa.bitcast(f64, (bits & 0xFFFFFFFFFFFFFF) | (SCALE << 56))
    first, second = TURNS_0.clamp[row], TURNS_1.clamp[row]
    third, fourth = TURNS_2.clamp[row], TURNS_3.clamp[row]
    # The product is a sum of exact parts, less whole turns.
    begin = hvisa.fma(scaled, first, -hvisa.floor(scaled * first))
    high = scaled * second
    total, low = two_sum(begin, high)
    shifted = total + MAGIC_F64
    k = hvisa.bitcast(i64, shifted)
    near = total - (shifted - MAGIC_F64)
    low, lower = two_sum(low, hvisa.fma(scaled, second, -high))
    high = scaled * third
    low, lower_2 = two_sum(low, high)
    near, low = two_sum(near, low)
    low = low + ((lower + lower_2) + hvisa.fma(scaled, fourth, hvisa.fma(scaled, third, -high)))
    whole = near + low
    part = low - (whole - near)
    r = whole * TURN_F64[0]
    e = hvisa.fma(whole, TURN_F64[0], -r)
    e = hvisa.fma(part, TURN_F64[0], hvisa.fma(whole, TURN_F64[1], e))
    small = a <= EIGHTH_F64
    r = a if small else hvisa.fma(a, 0.0, r)  # infinities and NaN become NaN
    e = f64(0.0) if small else e
    k = i64(0) if small else k
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
    r, e, k = reduced_f64(hvisa.bitcast(i64, x) & 0x7FFFFFFFFFFFFFFF)
    v = cosine_f64(r, e) if (k & 1) != 0 else sine_f64(r, e)
    return flipped_f64(v, hvisa.bitcast(i64, x) ^ (k << 62))


@public
def cos_f64(x: f64) -> f64:
    """The cosine of x: at most 1 ULP."""
    r, e, k = reduced_f64(hvisa.bitcast(i64, x) & 0x7FFFFFFFFFFFFFFF)
    v = sine_f64(r, e) if (k & 1) != 0 else cosine_f64(r, e)
    return flipped_f64(v, (k + 1) << 62)


@public
def sincos_f64(x: f64) -> tuple[f64, f64]:
    """Sine and cosine of x: the same bits as `sin` and `cos` have."""
    r, e, k = reduced_f64(hvisa.bitcast(i64, x) & 0x7FFFFFFFFFFFFFFF)
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
    r, e, k = reduced_f64(hvisa.bitcast(i64, x) & 0x7FFFFFFFFFFFFFFF)
    return flipped_f64(tangent_f64(r, e, (k & 1) != 0), hvisa.bitcast(i64, x))
