"""pow and powi, rsqrt, cbrt and hypot.

x^y = 2^(y log2 x): log2 x is a sum of two numbers that is precise to 2^-64 (f32: 2^-35), found as in
`logarithm`, but with all products and sums of the first terms kept as two numbers. The product with y is
split into an integer and a rest, of which the integer part scales and the rest enters a polynomial; what
the rounding of each step left is added last. So results that a number can hold are exact. A double-word
logarithm before an exponential: J.-M. Muller, "Elementary Functions", 3rd edition, section 13.2.

The roots are Newton's steps with a residual that is computed exactly by products as two numbers, and one
last rounding: J.-M. Muller et al., "Handbook of Floating-Point Arithmetic", 2nd edition, section 4.7.
"""

# Parameters without types are those of functions that serve f32 and f64.
# pyright: reportMissingParameterType=false

from __future__ import annotations

import hvisa
from hvisa import f32, f64, i32, i64, u32, u64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.double_word import fast_two_sum, two_prod
from hvisa.library.mathematics.exponential import MAGIC_F32, MAGIC_F64, scale_f32, scale_f64
from hvisa.library.mathematics.logarithm import (
    INF,
    LEAST_F32,
    LEAST_F64,
    LIFT_F32,
    LIFT_F64,
    MANTISSA_F32,
    MANTISSA_F64,
    NAN,
    TWO_LOG2E_HIGH_F32,
    TWO_LOG2E_HIGH_F64,
    TWO_LOG2E_LOW_F32,
    TWO_LOG2E_LOW_F64,
    parts_f32,
    parts_f64,
    quotient,
    root,
)
from hvisa.library.mathematics.logarithm_coefficients import (
    ATANH_SECOND_F32,
    ATANH_SECOND_F64,
    EXP2_REST_F32,
    EXP2_REST_F64,
    INVERSE_CBRT_F32,
    INVERSE_CBRT_F64,
)

THIRD_HIGH_F32, THIRD_LOW_F32 = f32(0.3333333432674408), f32(-9.934107758624577e-09)
THIRD_HIGH_F64, THIRD_LOW_F64 = 0.3333333333333333, 1.850371707708594e-17
LN2_F32, LN2_REST_F32 = f32(0.6931471824645996), f32(-1.9046542121259336e-09)
LN2_F64, LN2_REST_F64 = 0.6931471805599453, 2.3190468138462996e-17
# Beyond, y log2 x is out of range whatever x is, 1 excepted.
MOST_Y_F32, MOST_Y_F64 = f32(2.0**32), 2.0**65
# Beyond, 2^h is 0 or infinite.
MOST_H_F32, MOST_H_F64 = f32(200.0), 1200.0
ONE_F32, ONE_F64 = 0x3F800000, 0x3FF0000000000000  # the bits of 1
CBRT_1_2_F32, CBRT_1_4_F32 = f32(0.7937005162239075), f32(0.6299605369567871)  # 2^(-1/3), 4^(-1/3)
CBRT_1_2_F64, CBRT_1_4_F64 = 0.7937005259840998, 0.6299605249474366


@private
def product(a, a_low, b, b_low):
    """(a + a_low) (b + b_low) as two numbers."""
    p, p_low = two_prod(a, b)
    return p, hvisa.fma(a_low, b, hvisa.fma(a, b_low, p_low))


@private
def log2_double_f32(x: f32) -> tuple[f32, f32]:
    """log2 of a positive x as two numbers."""
    k, m, _ = parts_f32(x)
    f = m - 1
    d, d_low = fast_two_sum(f32(2), f)
    s, s_low = quotient(f, f32(0), d, d_low)
    z, z_low = product(s, s_low, s, s_low)
    p = ATANH_SECOND_F32[2]
    for c in ATANH_SECOND_F32[1::-1]:
        p = hvisa.fma(f32(p), z, f32(c))
    b, b_low = fast_two_sum(THIRD_HIGH_F32, z * p)
    w, w_low = product(z, z_low, b, b_low + THIRD_LOW_F32)
    t, t_low = product(s, s_low, w, w_low)
    a, a_low = fast_two_sum(s, t)
    g, g_low = product(a, a_low + (s_low + t_low), TWO_LOG2E_HIGH_F32, TWO_LOG2E_LOW_F32)
    high, low = fast_two_sum(k, g)
    high, low = fast_two_sum(high, low + g_low)
    return high, low


@private
def log2_double_f64(x: f64) -> tuple[f64, f64]:
    """log2 of a positive x as two numbers."""
    k, m, _ = parts_f64(x)
    f = m - 1
    d, d_low = fast_two_sum(f64(2), f)
    s, s_low = quotient(f, f64(0), d, d_low)
    z, z_low = product(s, s_low, s, s_low)
    p = ATANH_SECOND_F64[7]
    for c in ATANH_SECOND_F64[6::-1]:
        p = hvisa.fma(f64(p), z, c)
    b, b_low = fast_two_sum(f64(THIRD_HIGH_F64), z * p)
    w, w_low = product(z, z_low, b, b_low + THIRD_LOW_F64)
    t, t_low = product(s, s_low, w, w_low)
    a, a_low = fast_two_sum(s, t)
    g, g_low = product(a, a_low + (s_low + t_low), TWO_LOG2E_HIGH_F64, TWO_LOG2E_LOW_F64)
    high, low = fast_two_sum(k, g)
    high, low = fast_two_sum(high, low + g_low)
    return high, low


@private
def exp2_double_f32(h: f32, h_low: f32) -> f32:
    """2^(h + h_low)."""
    inside = abs(h) < MOST_H_F32
    beyond = MOST_H_F32 if h > 0 else -MOST_H_F32
    held = h if inside else beyond
    low = h_low if inside else 0.0
    shifted = held + MAGIC_F32
    k = hvisa.bitcast(i32, shifted) - hvisa.bitcast(i32, MAGIC_F32)
    r, r_low = fast_two_sum(held - (shifted - MAGIC_F32), low)
    p = EXP2_REST_F32[4]
    for c in EXP2_REST_F32[3::-1]:
        p = hvisa.fma(f32(p), r, f32(c))
    t, t_low = two_prod(r, LN2_F32)
    left = r_low * LN2_F32
    rest = hvisa.fma(r, LN2_REST_F32, t_low) + hvisa.fma(left, t, left)
    sum_, sum_low = fast_two_sum(f32(1), t)
    return scale_f32(sum_ + (sum_low + hvisa.fma(r * r, f32(p), rest)), k)


@private
def exp2_double_f64(h: f64, h_low: f64) -> f64:
    """2^(h + h_low)."""
    inside = abs(h) < MOST_H_F64
    beyond = MOST_H_F64 if h > 0 else -MOST_H_F64
    held = h if inside else beyond
    low = h_low if inside else 0.0
    shifted = held + MAGIC_F64
    k = hvisa.bitcast(i64, shifted) - hvisa.bitcast(i64, f64(MAGIC_F64))
    r, r_low = fast_two_sum(held - (shifted - MAGIC_F64), low)
    p = EXP2_REST_F64[10]
    for c in EXP2_REST_F64[9::-1]:
        p = hvisa.fma(f64(p), r, c)
    t, t_low = two_prod(r, LN2_F64)
    left = r_low * LN2_F64
    rest = hvisa.fma(r, LN2_REST_F64, t_low) + hvisa.fma(left, t, left)
    sum_, sum_low = fast_two_sum(f64(1), t)
    return scale_f64(sum_ + (sum_low + hvisa.fma(r * r, f64(p), rest)), k)


@private
def power_specials(x, found, negative, odd):
    """x^y of the power of |x|; `negative` says whether y < 0, `odd` whether it is an odd integer."""
    a = abs(x)
    edge = INF if (a > 1) ^ negative else 0.0
    found = edge if a == 0 or a == INF else found
    return -found if hvisa.sign_bit(x) and odd else found


@private
def pow_specials(x, y, found):
    """x^y of the power of |x|, with all cases of C23, F.10.4.5."""
    half = y * 0.5
    whole = hvisa.trunc(y) == y
    odd = whole and hvisa.trunc(half) != half
    found = power_specials(x, found, y < 0, odd)
    found = NAN if x < 0 and x > -INF and not whole else found
    found = x * x if y == 2 else found  # so that it is rounded as the product is
    found = x + y if hvisa.is_nan(x) or hvisa.is_nan(y) else found
    return 1.0 if x == 1 or y == 0 else found


@public
def pow_f32(x: f32, y: f32) -> f32:
    """x to the power of y: at most 1 ULP; exact where a number can hold the result."""
    high, low = log2_double_f32(abs(x))
    beyond = MOST_Y_F32 if y > 0 else -MOST_Y_F32
    h, h_low = product(y if abs(y) < MOST_Y_F32 else beyond, f32(0), high, low)
    return pow_specials(x, y, exp2_double_f32(h, h_low))


@public
def pow_f64(x: f64, y: f64) -> f64:
    """x to the power of y: at most 1 ULP; exact where a number can hold the result."""
    high, low = log2_double_f64(abs(x))
    beyond = MOST_Y_F64 if y > 0 else -MOST_Y_F64
    h, h_low = product(y if abs(y) < MOST_Y_F64 else beyond, f64(0), high, low)
    return pow_specials(x, y, exp2_double_f64(h, h_low))


@private
def powi_specials(x, n, found):
    """x^n of the power of |x|."""
    found = power_specials(x, found, n < 0, (n & 1) == 1)
    found = x * x if n == 2 else found
    found = x if hvisa.is_nan(x) else found
    return 1.0 if n == 0 else found


@public
def powi_f32(x: f32, n: i32) -> f32:
    """x to the power of an integer: at most 1 ULP; exact where a number can hold the result."""
    high, low = log2_double_f32(abs(x))
    y, y_low = fast_two_sum(f32(n & -4096), f32(n & 4095))  # both are exact, n alone is not
    h, h_low = product(y, y_low, high, low)
    return powi_specials(x, n, exp2_double_f32(h, h_low))


@public
def powi_f64(x: f64, n: i32) -> f64:
    """x to the power of an integer: at most 1 ULP; exact where a number can hold the result."""
    high, low = log2_double_f64(abs(x))
    h, h_low = product(f64(n), f64(0), high, low)
    return powi_specials(x, n, exp2_double_f64(h, h_low))


@private
def rsqrt_of(x):
    """1 / sqrt x, mended by what is left of 1 - x r^2; at 0, infinity and NaN nothing is to mend."""
    r = 1 / hvisa.sqrt(x)
    t, t_low = two_prod(x, r)
    left = hvisa.fma(-t, r, 1.0) - t_low * r
    return hvisa.fma(r * 0.5, left, r) if x > 0 and x < INF else r


@public
def rsqrt_f32(x: f32) -> f32:
    """1 / sqrt x: at most 1 ULP."""
    return rsqrt_of(x)


@public
def rsqrt_f64(x: f64) -> f64:
    """1 / sqrt x: at most 1 ULP."""
    return rsqrt_of(x)


@private
def cbrt_last(m, r):
    """The cube root of m, of r near its inverse: a step of y^3 = m with an exact residual."""
    square = r * r
    y = m * square
    q, q_low = two_prod(y, y)
    c, c_low = two_prod(q, y)
    left = (c - m) + hvisa.fma(q_low, y, c_low)
    return hvisa.fma(left * square, -1.0 / 3, y)


@public
def cbrt_f32(x: f32) -> f32:
    """The cube root of x: at most 1 ULP; exact of cubes."""
    a = abs(x)
    small = a < LEAST_F32
    t = hvisa.bitcast(u32, a * LIFT_F32 if small else a)
    e = (t >> 23) + 2  # 3 * 43 for [1, 2)
    third = (e * 43691) >> 17  # e // 3
    rest = e - 3 * third
    m = hvisa.bitcast(f32, (t & MANTISSA_F32) | ONE_F32)
    r = INVERSE_CBRT_F32[3]
    for c in INVERSE_CBRT_F32[2::-1]:
        r = hvisa.fma(f32(r), m, f32(c))
    up = CBRT_1_2_F32 if rest == 1 else CBRT_1_4_F32
    r = r if rest == 0 else r * up
    m = hvisa.bitcast(f32, (t & MANTISSA_F32) | (ONE_F32 + (rest << 23)))
    left = hvisa.fma(-(r * r * m), r, 1.0)
    y = cbrt_last(m, hvisa.fma(r * left, f32(1.0 / 3), r))
    y = y * hvisa.bitcast(f32, (third + (127 - 43 - 8 if small else 127 - 43)) << 23)
    y = -y if x < 0 else y
    return y if a > 0 and a < INF else x


@public
def cbrt_f64(x: f64) -> f64:
    """The cube root of x: at most 1 ULP; exact of cubes."""
    a = abs(x)
    small = a < LEAST_F64
    t = hvisa.bitcast(u64, a * LIFT_F64 if small else a)
    e = t >> 52  # 3 * 341 for [1, 2)
    third = (e * 43691) >> 17  # e // 3
    rest = e - 3 * third
    m = hvisa.bitcast(f64, (t & MANTISSA_F64) | ONE_F64)
    r = INVERSE_CBRT_F64[3]
    for c in INVERSE_CBRT_F64[2::-1]:
        r = hvisa.fma(f64(r), m, c)
    up = CBRT_1_2_F64 if rest == 1 else CBRT_1_4_F64
    r = r if rest == 0 else r * up
    m = hvisa.bitcast(f64, (t & MANTISSA_F64) | (ONE_F64 + (rest << 52)))
    left = hvisa.fma(-(r * r * m), r, 1.0)
    y = cbrt_last(m, hvisa.fma(r * left, hvisa.fma(left, 2.0 / 9, 1.0 / 3), r))
    y = y * hvisa.bitcast(f64, (third + (1023 - 341 - 18 if small else 1023 - 341)) << 52)
    y = -y if x < 0 else y
    return y if a > 0 and a < INF else x


@private
def hypot_of(x, y, most, least, up, down):
    """sqrt(x^2 + y^2): of numbers beyond `most` and below `least` times a power of 2, so that no square is
    lost."""
    ax, ay = abs(x), abs(y)
    a = ax if ax > ay else ay
    b = ay if ax > ay else ax
    to = down if a > most else up if a < least else 1.0
    back = up if a > most else down if a < least else 1.0
    a, b = a * to, b * to
    p, p_low = two_prod(a, a)
    q, q_low = two_prod(b, b)
    s, s_low = fast_two_sum(p, q)
    r, r_low = root(s, s_low + (p_low + q_low))
    found = (r + r_low) * back
    found = x + y if hvisa.is_nan(x) or hvisa.is_nan(y) else found
    return INF if ax == INF or ay == INF else found


@public
def hypot_f32(x: f32, y: f32) -> f32:
    """sqrt(x^2 + y^2) without overflow in between: at most 1 ULP."""
    return hypot_of(x, y, f32(2.0**62), f32(2.0**-40), f32(2.0**90), f32(2.0**-90))


@public
def hypot_f64(x: f64, y: f64) -> f64:
    """sqrt(x^2 + y^2) without overflow in between: at most 1 ULP."""
    return hypot_of(x, y, 2.0**510, 2.0**-450, 2.0**600, 2.0**-600)
