"""expm1, exp2, exp10 and the hyperbolic functions, in sums of two numbers where one would not do.

x = k ln 2 + r + low as for exp, with what r lost kept. Large terms are added with what rounding left
(`double_word`), mostly in falling size, so that Dekker's short sum serves; the rest of exp(r), which is
small, comes at the end, so the last addition makes nearly the whole error. sinh and cosh take exp(x) and
exp(-x) from one reduction; both are quartered so that nothing overflows before the result does. J.-M.
Muller, "Elementary Functions", 3rd edition, sections 4.3 and 11.2.
"""

from __future__ import annotations

import math

import hvisa
from hvisa import f32, f64, i32, i64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.double_word import fast_two_sum, two_sum
from hvisa.library.mathematics.exponential import (
    LN2_HIGH_F32,
    LN2_HIGH_F64,
    LN2_LOW_F32,
    LN2_LOW_F64,
    LOG2E,
    MAGIC_F32,
    MAGIC_F64,
    scale_f32,
    scale_f64,
)
from hvisa.library.mathematics.exponential_coefficients import EXP2_F32, EXP2_F64, EXP_F32, EXP_F64

LN2_F32, LN2_REST_F32 = f32(0.6931471824645996), f32(-1.9046542121259336e-09)
LN2_F64, LN2_REST_F64 = 0.6931471805599453, 2.3190468138462996e-17
LOG2_10 = 3.321928094887362
LN10_F32, LN10_REST_F32 = f32(2.3025851249694824), f32(-3.1975435632602967e-08)
LN10_F64, LN10_REST_F64 = 2.302585092994046, -2.1707562233822494e-16
# log10 2 in two parts, of which the first has zeros at the end.
LOG10_2_HIGH_F32, LOG10_2_LOW_F32 = f32(0.301025390625), f32(4.605039066518657e-06)
LOG10_2_HIGH_F64, LOG10_2_LOW_F64 = 0.30102999566224753, 1.7336659603752853e-12


@private
def power_of_two_f32(k: i32) -> f32:
    """2^k, a normal number."""
    return hvisa.bitcast(f32, (k + 127) << 23)


@private
def rest_f32(r: f32) -> f32:
    """exp(r) - 1 - r for |r| <= ln 2 / 2."""
    p = f32(EXP_F32[4])
    for c in EXP_F32[3::-1]:
        p = hvisa.fma(p, r, f32(c))
    return r * r * p


@private
def rest_parts_f32(r: f32):
    """The same as a sum of two numbers: r^2/2, and what it lacks."""
    p = f32(EXP_F32[4])
    for c in EXP_F32[3:0:-1]:
        p = hvisa.fma(p, r, f32(c))
    square = r * r
    lost = hvisa.fma(r, r, -square)
    p = hvisa.fma(p, r, f32(EXP_F32[0] - 0.5))
    return f32(0.5) * square, hvisa.fma(square, p, f32(0.5) * lost)


@private
def reduced_f32(x: f32):
    """k, r and what r lost: x = k ln 2 + r + low."""
    shifted = hvisa.fma(x, f32(LOG2E), MAGIC_F32)
    k = hvisa.bitcast(i32, shifted) - hvisa.bitcast(i32, f32(MAGIC_F32))
    whole = shifted - MAGIC_F32
    first = hvisa.fma(whole, -LN2_HIGH_F32, x)
    r = hvisa.fma(whole, -LN2_LOW_F32, first)
    return k, r, hvisa.fma(whole, -LN2_LOW_F32, first - r)


@private
def expm1_parts_f32(x: f32):
    """(exp(x) - 1) / 2 as a sum of two numbers."""
    k, r, low = reduced_f32(x)
    half, rest = rest_parts_f32(r)
    scale = power_of_two_f32(k - 1)
    first, lost = two_sum(scale, f32(-0.5))
    high, left = fast_two_sum(first, scale * r)
    return high, left + lost + scale * (half + (rest + hvisa.fma(low, r, low)))


@public
def expm1_f32(x: f32) -> f32:
    """exp(x) - 1."""
    held = min(max(x, -18.0), 89.5)
    high, low = expm1_parts_f32(held)
    inside = hvisa.select(abs(x) < 2.0**-26, x, 2 * (high + low))
    return hvisa.select(x > 88.72283935546875, f32(math.inf), inside)


@public
def exp2_f32(x: f32) -> f32:
    """2 to the power x; exact for whole numbers."""
    held = min(max(x, -152.0), 129.0)
    shifted = held + MAGIC_F32
    k = hvisa.bitcast(i32, shifted) - hvisa.bitcast(i32, f32(MAGIC_F32))
    r = held - (shifted - MAGIC_F32)
    p = f32(EXP2_F32[5])
    for c in EXP2_F32[4::-1]:
        p = hvisa.fma(p, r, f32(c))
    low = hvisa.fma(r * r, p, r * f32(LN2_REST_F32))
    return scale_f32(1 + hvisa.fma(r, f32(LN2_F32), low), k)


@public
def exp10_f32(x: f32) -> f32:
    """10 to the power x."""
    held = min(max(x, -46.0), 39.0)
    shifted = hvisa.fma(held, f32(LOG2_10), MAGIC_F32)
    k = hvisa.bitcast(i32, shifted) - hvisa.bitcast(i32, f32(MAGIC_F32))
    whole = shifted - MAGIC_F32
    first = hvisa.fma(whole, -LOG10_2_HIGH_F32, held)
    r = hvisa.fma(whole, -LOG10_2_LOW_F32, first)
    lost = hvisa.fma(whole, -LOG10_2_LOW_F32, first - r)
    y = r * LN10_F32
    low = hvisa.fma(r, LN10_F32, -y) + hvisa.fma(r, LN10_REST_F32, lost * LN10_F32)
    one, left = fast_two_sum(f32(1), y)
    return scale_f32(one + (left + (rest_f32(y) + hvisa.fma(low, y, low))), k)


@private
def both_f32(x: f32):
    """exp(x) / 4 and exp(-x) / 4 for x >= 0: 2^(k-2) (1 + r + s) and 2^(-k-2) (1 - r + s'). Gives the two
    powers, r, and the two small sums. Powers and their products by r are added in falling size."""
    k, r, low = reduced_f32(x)
    up, down = power_of_two_f32(k - 2), power_of_two_f32(max(-k - 2, i32(-126)))
    plus = rest_f32(r) + hvisa.fma(low, r, low)
    minus = rest_f32(-r) - hvisa.fma(-low, r, low)
    return up, down, r, plus, minus


@public
def sinh_f32(x: f32) -> f32:
    """The hyperbolic sine."""
    size = min(abs(x), 89.6)
    up, down, r, plus, minus = both_f32(size)
    a, lost_a = fast_two_sum(up, -down)
    b, lost_b = fast_two_sum(a, up * r)
    c, lost_c = fast_two_sum(b, down * r)
    large = 2 * (c + (lost_a + lost_b + lost_c + (up * plus - down * minus)))
    small = hvisa.fma(size * size, size * f32(1 / 6), size)
    found = hvisa.select(size < 2.0**-12, small, large)
    return hvisa.select(x != x, x, hvisa.select(hvisa.sign_bit(x), -found, found))


@public
def cosh_f32(x: f32) -> f32:
    """The hyperbolic cosine."""
    size = min(abs(x), 89.6)
    up, down, r, plus, minus = both_f32(size)
    a, lost_a = fast_two_sum(up, down)
    b, lost_b = fast_two_sum(a, up * r)
    c, lost_c = fast_two_sum(b, -down * r)
    found = 2 * (c + (lost_a + lost_b + lost_c + (up * plus + down * minus)))
    return hvisa.select(x != x, x, found)


@private
def grown_f32(x: f32):
    """(exp(x) - 1) / 2 for x >= 0 as a sum of two numbers, from terms of falling size."""
    k, r, low = reduced_f32(x)
    scale = power_of_two_f32(k - 1)
    first, lost = fast_two_sum(scale, f32(-0.5))
    large, left = fast_two_sum(first, scale * r)
    high, rest = fast_two_sum(large, left + lost + scale * (rest_f32(r) + hvisa.fma(low, r, low)))
    return high, rest


@public
def tanh_f32(x: f32) -> f32:
    """The hyperbolic tangent: e / (e + 2) for e = exp(2 x) - 1, halved throughout."""
    size = min(abs(x), 10.0)
    high, low = grown_f32(2 * size)
    below, lost = two_sum(high, f32(1))
    lost = lost + low
    inverse = 1 / below
    quotient = high * inverse
    left = hvisa.fma(-quotient, below, high) + hvisa.fma(-quotient, lost, low)
    found = hvisa.select(size < 2.0**-12 * f32(0.5), size, hvisa.fma(left, inverse, quotient))
    return hvisa.select(x != x, x, hvisa.select(hvisa.sign_bit(x), -found, found))


@private
def power_of_two_f64(k: i64) -> f64:
    """2^k, a normal number."""
    return hvisa.bitcast(f64, (k + 1023) << 52)


@private
def rest_f64(r: f64) -> f64:
    """exp(r) - 1 - r for |r| <= ln 2 / 2."""
    p = f64(EXP_F64[10])
    for c in EXP_F64[9::-1]:
        p = hvisa.fma(p, r, f64(c))
    return r * r * p


@private
def rest_parts_f64(r: f64):
    """The same as a sum of two numbers: r^2/2, and what it lacks."""
    p = f64(EXP_F64[10])
    for c in EXP_F64[9:0:-1]:
        p = hvisa.fma(p, r, f64(c))
    square = r * r
    lost = hvisa.fma(r, r, -square)
    p = hvisa.fma(p, r, f64(EXP_F64[0] - 0.5))
    return f64(0.5) * square, hvisa.fma(square, p, f64(0.5) * lost)


@private
def reduced_f64(x: f64):
    """k, r and what r lost: x = k ln 2 + r + low."""
    shifted = hvisa.fma(x, LOG2E, MAGIC_F64)
    k = hvisa.bitcast(i64, shifted) - hvisa.bitcast(i64, f64(MAGIC_F64))
    whole = shifted - MAGIC_F64
    first = hvisa.fma(whole, -LN2_HIGH_F64, x)
    r = hvisa.fma(whole, -LN2_LOW_F64, first)
    return k, r, hvisa.fma(whole, -LN2_LOW_F64, first - r)


@private
def expm1_parts_f64(x: f64):
    """(exp(x) - 1) / 2 as a sum of two numbers."""
    k, r, low = reduced_f64(x)
    half, rest = rest_parts_f64(r)
    scale = power_of_two_f64(k - 1)
    first, lost = two_sum(scale, f64(-0.5))
    high, left = fast_two_sum(first, scale * r)
    return high, left + lost + scale * (half + (rest + hvisa.fma(low, r, low)))


@public
def expm1_f64(x: f64) -> f64:
    """exp(x) - 1."""
    held = min(max(x, -38.0), 710.5)
    high, low = expm1_parts_f64(held)
    inside = hvisa.select(abs(x) < 2.0**-55, x, 2 * (high + low))
    return hvisa.select(x > 709.782712893384, f64(math.inf), inside)


@public
def exp2_f64(x: f64) -> f64:
    """2 to the power x; exact for whole numbers."""
    held = min(max(x, -1078.0), 1025.0)
    shifted = held + MAGIC_F64
    k = hvisa.bitcast(i64, shifted) - hvisa.bitcast(i64, f64(MAGIC_F64))
    r = held - (shifted - MAGIC_F64)
    p = f64(EXP2_F64[11])
    for c in EXP2_F64[10::-1]:
        p = hvisa.fma(p, r, f64(c))
    low = hvisa.fma(r * r, p, r * f64(LN2_REST_F64))
    return scale_f64(1 + hvisa.fma(r, f64(LN2_F64), low), k)


@public
def exp10_f64(x: f64) -> f64:
    """10 to the power x."""
    held = min(max(x, -325.0), 309.0)
    shifted = hvisa.fma(held, f64(LOG2_10), MAGIC_F64)
    k = hvisa.bitcast(i64, shifted) - hvisa.bitcast(i64, f64(MAGIC_F64))
    whole = shifted - MAGIC_F64
    first = hvisa.fma(whole, -LOG10_2_HIGH_F64, held)
    r = hvisa.fma(whole, -LOG10_2_LOW_F64, first)
    lost = hvisa.fma(whole, -LOG10_2_LOW_F64, first - r)
    y = r * LN10_F64
    low = hvisa.fma(r, LN10_F64, -y) + hvisa.fma(r, LN10_REST_F64, lost * LN10_F64)
    one, left = fast_two_sum(f64(1), y)
    return scale_f64(one + (left + (rest_f64(y) + hvisa.fma(low, y, low))), k)


@private
def both_f64(x: f64):
    """exp(x) / 4 and exp(-x) / 4 for x >= 0: 2^(k-2) (1 + r + s) and 2^(-k-2) (1 - r + s'). Gives the two
    powers, r, and the two small sums. Powers and their products by r are added in falling size."""
    k, r, low = reduced_f64(x)
    up, down = power_of_two_f64(k - 2), power_of_two_f64(max(-k - 2, i64(-1022)))
    plus = rest_f64(r) + hvisa.fma(low, r, low)
    minus = rest_f64(-r) - hvisa.fma(-low, r, low)
    return up, down, r, plus, minus


@public
def sinh_f64(x: f64) -> f64:
    """The hyperbolic sine."""
    size = min(abs(x), 710.6)
    up, down, r, plus, minus = both_f64(size)
    a, lost_a = fast_two_sum(up, -down)
    b, lost_b = fast_two_sum(a, up * r)
    c, lost_c = fast_two_sum(b, down * r)
    large = 2 * (c + (lost_a + lost_b + lost_c + (up * plus - down * minus)))
    small = hvisa.fma(size * size, size * f64(1 / 6), size)
    found = hvisa.select(size < 2.0**-26, small, large)
    return hvisa.select(x != x, x, hvisa.select(hvisa.sign_bit(x), -found, found))


@public
def cosh_f64(x: f64) -> f64:
    """The hyperbolic cosine."""
    size = min(abs(x), 710.6)
    up, down, r, plus, minus = both_f64(size)
    a, lost_a = fast_two_sum(up, down)
    b, lost_b = fast_two_sum(a, up * r)
    c, lost_c = fast_two_sum(b, -down * r)
    found = 2 * (c + (lost_a + lost_b + lost_c + (up * plus + down * minus)))
    return hvisa.select(x != x, x, found)


@private
def grown_f64(x: f64):
    """(exp(x) - 1) / 2 for x >= 0 as a sum of two numbers, from terms of falling size."""
    k, r, low = reduced_f64(x)
    scale = power_of_two_f64(k - 1)
    first, lost = fast_two_sum(scale, f64(-0.5))
    large, left = fast_two_sum(first, scale * r)
    high, rest = fast_two_sum(large, left + lost + scale * (rest_f64(r) + hvisa.fma(low, r, low)))
    return high, rest


@public
def tanh_f64(x: f64) -> f64:
    """The hyperbolic tangent: e / (e + 2) for e = exp(2 x) - 1, halved throughout."""
    size = min(abs(x), 22.0)
    high, low = grown_f64(2 * size)
    below, lost = two_sum(high, f64(1))
    lost = lost + low
    inverse = 1 / below
    quotient = high * inverse
    left = hvisa.fma(-quotient, below, high) + hvisa.fma(-quotient, lost, low)
    found = hvisa.select(size < 2.0**-26 * f64(0.5), size, hvisa.fma(left, inverse, quotient))
    return hvisa.select(x != x, x, hvisa.select(hvisa.sign_bit(x), -found, found))
