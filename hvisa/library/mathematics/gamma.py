"""tgamma and lgamma.

Stirling's formula from 1 on, with one polynomial for what it leaves (Binet's function; DLMF 5.11.1):

    log gamma(z) = (z - 1/2) log z - z + log(2 pi) / 2 + w(q) / z,  q = (z - 1) / (z + 1).

The logarithm and the sum are two numbers each, since an error of the exponent is one of the result. Below
1, gamma(a) is gamma(1 + a) / a; below 0, gamma(-a) = -1 / (a s(a) gamma(a)) with s(a) = sin(pi a) / pi
(DLMF 5.5.3). The logarithm near its zeros at 1 and 2 is y (y - 1) times a polynomial of y = a - 1, shifted
by DLMF 5.5.1 below 1 and from 2 to 3. Sums and products of two numbers: T. J. Dekker, "A floating-point
technique for extending the available precision", Numerische Mathematik 18, 1971; D. E. Knuth, "The Art of
Computer Programming" 2, section 4.2.2.
"""

from __future__ import annotations

import hvisa
from hvisa import f32, f64, i32, i64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.double_word import two_sum
from hvisa.library.mathematics.exponential import (
    LN2_HIGH_F32,
    LN2_HIGH_F64,
    LN2_LOW_F32,
    LN2_LOW_F64,
    LOG2E,
    MAGIC_F32,
    MAGIC_F64,
    exp_part_f32,
    exp_part_f64,
    scale_f32,
    scale_f64,
)
from hvisa.library.mathematics.special_coefficients import (
    BINET_F32,
    BINET_F64,
    LOG_F32,
    LOG_F64,
    LOG_GAMMA_F32,
    LOG_GAMMA_F64,
    SINE_F32,
    SINE_F64,
)

INF, NAN = float("inf"), float("nan")
TINY_F32, TINY_F64 = f32(1.1754943508222875e-38), 2.2250738585072014e-308  # the least normal numbers
RAISE_F32, RAISE_F64 = f32(16777216.0), 18014398509481984.0  # 2^24, 2^54: make subnormals normal
ROOT_F32, ROOT_F64 = 0x3F3504F3, 0x3FE6A09E667F3BCD  # bits of the root of 1/2
WHOLE_F32, WHOLE_F64 = f32(8388608.0), 4503599627370496.0  # 2^23, 2^52: beyond, all numbers are integers
HALF_LOG_F32 = f32(0.9189385175704956), f32(1.563417661998301e-08)  # log(2 pi) / 2 in two parts
HALF_LOG_F64 = 0.9189385332046728, -3.8782941580672414e-17
MOST_F32, MOST_F64 = f32(45.0), 200.0  # from here on gamma is infinite, and 0 on the other side
FAR_F32, FAR_F64 = f32(1e9), 1e17  # from here on log gamma(z) is z (log z - 1)


@private
def log_f32(x: f32) -> tuple[f32, f32]:
    """The logarithm of a finite x > 0 in two parts: log m = 2 s + s^3 p(s^2), s = (m - 1) / (m + 1)."""
    small = x < TINY_F32
    bits = hvisa.bitcast(i32, hvisa.select(small, x * RAISE_F32, x))
    k = (bits - ROOT_F32) >> 23
    m = hvisa.bitcast(f32, bits - (k << 23))
    k = k - hvisa.select(small, i32(24), i32(0))
    f = m - 1
    d = m + 1
    d_low = m - (d - 1)
    s = f / d
    s_low = hvisa.fma(-s, d_low, hvisa.fma(-s, d, f)) / d
    z = s * s
    p = f32(LOG_F32[-1])
    for c in LOG_F32[-2::-1]:
        p = hvisa.fma(p, z, f32(c))
    first, second = f32(k) * LN2_HIGH_F32, s + s  # the product is exact
    h = first + second
    low = (second - (h - first)) + hvisa.fma(f32(k), LN2_LOW_F32, hvisa.fma(s * z, p, s_low + s_low))
    v = h + low
    return v, low - (v - h)


@private
def stirling_f32(z: f32, more: f32, h: f32, low: f32) -> tuple[f32, f32]:
    """log gamma(z + more) in two parts, for z >= 1; h + low is log z."""
    inverse = 1 / z
    q = (z - 1) / (z + 1)
    w = f32(BINET_F32[-1])
    for c in BINET_F32[-2::-1]:
        w = hvisa.fma(w, q, f32(c))
    half = z - 0.5
    half_low = (z - half) - 0.5
    p = half * h
    p_low = hvisa.fma(half_low, h, hvisa.fma(half, low, hvisa.fma(half, h, -p)))
    u, u_low = two_sum(p, -z)
    v, v_low = two_sum(u, HALF_LOG_F32[0])
    rest = hvisa.fma(more, h - 0.5 * inverse, u_low + v_low + p_low + HALF_LOG_F32[1])
    t, t_low = two_sum(v, hvisa.fma(w, inverse, rest))
    return t, t_low


@private
def sine_f32(a: f32) -> tuple[f32, f32, i32]:
    """sin(pi a) / pi in two parts, for a >= 0, with the sign (-1)^n; n is odd with the third one."""
    shifted = a + WHOLE_F32
    r = hvisa.select(a < WHOLE_F32, a - (shifted - WHOLE_F32), f32(0.0))
    z = r * r
    cube = r * z
    cube_low = hvisa.fma(r, z, -cube) + r * hvisa.fma(r, r, -z)
    w = f32(SINE_F32[-1])
    for c in SINE_F32[-2:0:-1]:
        w = hvisa.fma(w, z, f32(c))
    p = hvisa.fma(w, z, f32(SINE_F32[0]))
    p_low = hvisa.fma(w, z, f32(SINE_F32[0]) - p)
    s = hvisa.fma(cube, p, r)
    low = hvisa.fma(cube, p, r - s) + hvisa.fma(cube, p_low, cube_low * p)
    return s, low, hvisa.bitcast(i32, shifted) & 1


@public
def tgamma_f32(x: f32) -> f32:
    """The gamma function of x: at most 2 ULP."""
    a = abs(x)
    held = min(a, MOST_F32)  # NaN stays
    less = held < 1
    z = hvisa.select(less, held + 1, held)
    more = hvisa.select(less, held - (z - 1), f32(0.0))
    h, low = log_f32(z)
    e, e_low = stirling_f32(z, more, h, low)
    under = x < 0
    e, e_low = hvisa.select(under, -e, e), hvisa.select(under, -e_low, e_low)
    shifted = hvisa.fma(e, f32(LOG2E), MAGIC_F32)
    k = hvisa.bitcast(i32, shifted) - hvisa.bitcast(i32, f32(MAGIC_F32))
    whole = shifted - MAGIC_F32
    r = hvisa.fma(whole, -LN2_HIGH_F32, e) + hvisa.fma(whole, -LN2_LOW_F32, e_low)
    e = exp_part_f32(r)
    m = 1 + e
    m_low = e - (m - 1)
    s, s_low, odd = sine_f32(a)
    factor = hvisa.select(less, f32(1.0), a)
    product = factor * s
    lost = hvisa.fma(factor, s, -product) + factor * s_low
    # Below 0 the sign is that of n + 1; x keeps the sign of 0.
    divisor = hvisa.select(under, product, hvisa.select(less, x, f32(1.0)))
    d_low = hvisa.select(under, lost, f32(0.0))
    v = m / divisor
    rest = (hvisa.fma(-v, divisor, m) + hvisa.fma(-v, d_low, m_low)) / divisor
    v = hvisa.select(abs(v) < INF, v + rest, v)
    v = scale_f32(hvisa.select(under & (odd == 0), -v, v), k)
    return hvisa.select(under & (s == 0), f32(NAN), hvisa.select(x == INF, x, v))


@public
def lgamma_f32(x: f32) -> f32:
    """The logarithm of |gamma(x)|: at most 1.5 ULP, but near its zeros below 0 an absolute error."""
    a = abs(x)
    under = x < 0
    # w is what is taken the logarithm of for the shift or for Stirling's formula.
    near, low_, middle = a < 3, a < 1, a < 2
    y = hvisa.select(low_, a, hvisa.select(middle, a - 1, a - 2))
    w = hvisa.select(middle, f32(1.0), hvisa.select(near, a - 1, a))
    h, low = log_f32(w)
    q = f32(LOG_GAMMA_F32[-1])
    for c in LOG_GAMMA_F32[-2::-1]:
        q = hvisa.fma(q, y, f32(c))
    back = 1 - y
    g = y * back
    g_low = hvisa.fma(y, back, -g) + y * ((1 - back) - y)
    near_h, near_low = two_sum(h, g * -0.5)
    near_low = near_low + (low - hvisa.fma(g, q, 0.5 * g_low))
    far_h, far_low = stirling_f32(max(a, 3.0), f32(0.0), h, low)
    t, t_low = hvisa.select(near, near_h, far_h), hvisa.select(near, near_low, far_low)
    # The logarithm of a for the shift below 1, of a s(a) for the reflection.
    s, s_low, _ = sine_f32(a)
    factor = hvisa.select(low_, f32(1.0), a)
    product = factor * s
    lost = hvisa.fma(factor, s, -product) + factor * s_low
    v = hvisa.select(under, abs(product), hvisa.select(low_, a, f32(1.0)))
    v_low = hvisa.select(under, hvisa.select(product < 0, -lost, lost), f32(0.0))
    v_h, v_l = log_f32(v)
    v_l = v_l + v_low / v
    t, t_low = hvisa.select(under, -t, t), hvisa.select(under, -t_low, t_low)
    total, rest = two_sum(t, -v_h)
    found = total + (rest + (t_low - v_l))
    lower = h - 1
    far = hvisa.fma(a, lower, a * (((h - lower) - 1) + low))
    found = hvisa.select(a < FAR_F32, found, far)
    pole = (x == 0) | (under & (s == 0)) | (a == INF)
    return hvisa.select(pole, f32(INF), hvisa.select(hvisa.is_nan(x), x, found))


@private
def log_f64(x: f64) -> tuple[f64, f64]:
    """The logarithm of a finite x > 0 in two parts: log m = 2 s + s^3 p(s^2), s = (m - 1) / (m + 1)."""
    small = x < TINY_F64
    bits = hvisa.bitcast(i64, hvisa.select(small, x * RAISE_F64, x))
    k = (bits - ROOT_F64) >> 52
    m = hvisa.bitcast(f64, bits - (k << 52))
    k = k - hvisa.select(small, i64(54), i64(0))
    f = m - 1
    d = m + 1
    d_low = m - (d - 1)
    s = f / d
    s_low = hvisa.fma(-s, d_low, hvisa.fma(-s, d, f)) / d
    z = s * s
    p = f64(LOG_F64[-1])
    for c in LOG_F64[-2::-1]:
        p = hvisa.fma(p, z, c)
    first, second = f64(k) * LN2_HIGH_F64, s + s  # the product is exact
    h = first + second
    low = (second - (h - first)) + hvisa.fma(f64(k), LN2_LOW_F64, hvisa.fma(s * z, p, s_low + s_low))
    v = h + low
    return v, low - (v - h)


@private
def stirling_f64(z: f64, more: f64, h: f64, low: f64) -> tuple[f64, f64]:
    """log gamma(z + more) in two parts, for z >= 1; h + low is log z."""
    inverse = 1 / z
    q = (z - 1) / (z + 1)
    w = f64(BINET_F64[-1])
    for c in BINET_F64[-2::-1]:
        w = hvisa.fma(w, q, c)
    half = z - 0.5
    half_low = (z - half) - 0.5
    p = half * h
    p_low = hvisa.fma(half_low, h, hvisa.fma(half, low, hvisa.fma(half, h, -p)))
    u, u_low = two_sum(p, -z)
    v, v_low = two_sum(u, HALF_LOG_F64[0])
    rest = hvisa.fma(more, h - 0.5 * inverse, u_low + v_low + p_low + HALF_LOG_F64[1])
    t, t_low = two_sum(v, hvisa.fma(w, inverse, rest))
    return t, t_low


@private
def sine_f64(a: f64) -> tuple[f64, f64, i64]:
    """sin(pi a) / pi in two parts, for a >= 0, with the sign (-1)^n; n is odd with the third one."""
    shifted = a + WHOLE_F64
    r = hvisa.select(a < WHOLE_F64, a - (shifted - WHOLE_F64), 0.0)
    z = r * r
    cube = r * z
    cube_low = hvisa.fma(r, z, -cube) + r * hvisa.fma(r, r, -z)
    w = f64(SINE_F64[-1])
    for c in SINE_F64[-2:0:-1]:
        w = hvisa.fma(w, z, c)
    p = hvisa.fma(w, z, SINE_F64[0])
    p_low = hvisa.fma(w, z, SINE_F64[0] - p)
    s = hvisa.fma(cube, p, r)
    low = hvisa.fma(cube, p, r - s) + hvisa.fma(cube, p_low, cube_low * p)
    return s, low, hvisa.bitcast(i64, shifted) & 1


@public
def tgamma_f64(x: f64) -> f64:
    """The gamma function of x: at most 3 ULP."""
    a = abs(x)
    held = min(a, MOST_F64)  # NaN stays
    less = held < 1
    z = hvisa.select(less, held + 1, held)
    more = hvisa.select(less, held - (z - 1), 0.0)
    h, low = log_f64(z)
    e, e_low = stirling_f64(z, more, h, low)
    under = x < 0
    e, e_low = hvisa.select(under, -e, e), hvisa.select(under, -e_low, e_low)
    shifted = hvisa.fma(e, LOG2E, MAGIC_F64)
    k = hvisa.bitcast(i64, shifted) - hvisa.bitcast(i64, f64(MAGIC_F64))
    whole = shifted - MAGIC_F64
    r = hvisa.fma(whole, -LN2_HIGH_F64, e) + hvisa.fma(whole, -LN2_LOW_F64, e_low)
    e = exp_part_f64(r)
    m = 1 + e
    m_low = e - (m - 1)
    s, s_low, odd = sine_f64(a)
    factor = hvisa.select(less, 1.0, a)
    product = factor * s
    lost = hvisa.fma(factor, s, -product) + factor * s_low
    # Below 0 the sign is that of n + 1; x keeps the sign of 0.
    divisor = hvisa.select(under, product, hvisa.select(less, x, 1.0))
    d_low = hvisa.select(under, lost, 0.0)
    v = m / divisor
    rest = (hvisa.fma(-v, divisor, m) + hvisa.fma(-v, d_low, m_low)) / divisor
    v = hvisa.select(abs(v) < INF, v + rest, v)
    v = scale_f64(hvisa.select(under & (odd == 0), -v, v), k)
    return hvisa.select(under & (s == 0), NAN, hvisa.select(x == INF, x, v))


@public
def lgamma_f64(x: f64) -> f64:
    """The logarithm of |gamma(x)|: at most 2 ULP, but near its zeros below 0 an absolute error."""
    a = abs(x)
    under = x < 0
    # w is what is taken the logarithm of for the shift or for Stirling's formula.
    near, low_, middle = a < 3, a < 1, a < 2
    y = hvisa.select(low_, a, hvisa.select(middle, a - 1, a - 2))
    w = hvisa.select(middle, 1.0, hvisa.select(near, a - 1, a))
    h, low = log_f64(w)
    q = f64(LOG_GAMMA_F64[-1])
    for c in LOG_GAMMA_F64[-2::-1]:
        q = hvisa.fma(q, y, c)
    back = 1 - y
    g = y * back
    g_low = hvisa.fma(y, back, -g) + y * ((1 - back) - y)
    near_h, near_low = two_sum(h, g * -0.5)
    near_low = near_low + (low - hvisa.fma(g, q, 0.5 * g_low))
    far_h, far_low = stirling_f64(max(a, 3.0), 0.0, h, low)
    t, t_low = hvisa.select(near, near_h, far_h), hvisa.select(near, near_low, far_low)
    # The logarithm of a for the shift below 1, of a s(a) for the reflection.
    s, s_low, _ = sine_f64(a)
    factor = hvisa.select(low_, 1.0, a)
    product = factor * s
    lost = hvisa.fma(factor, s, -product) + factor * s_low
    v = hvisa.select(under, abs(product), hvisa.select(low_, a, 1.0))
    v_low = hvisa.select(under, hvisa.select(product < 0, -lost, lost), 0.0)
    v_h, v_l = log_f64(v)
    v_l = v_l + v_low / v
    t, t_low = hvisa.select(under, -t, t), hvisa.select(under, -t_low, t_low)
    total, rest = two_sum(t, -v_h)
    found = total + (rest + (t_low - v_l))
    lower = h - 1
    far = hvisa.fma(a, lower, a * (((h - lower) - 1) + low))
    found = hvisa.select(a < FAR_F64, found, far)
    pole = (x == 0) | (under & (s == 0)) | (a == INF)
    return hvisa.select(pole, INF, hvisa.select(hvisa.is_nan(x), x, found))
