"""log, log2, log10, log1p, and the inverse hyperbolic functions, by one quotient and a polynomial.

x = 2^k m with 1/sqrt 2 <= m < sqrt 2, and log(m) = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172. The
quotient is a sum of two numbers, s and what its rounding left; atanh(s) = s + s^3 p(s^2), in which the
polynomial counts for less than a hundredth. So k ln 2 + 2 s is summed exactly, and all small parts are
added to it in one last rounding. log of f32 has no quotient: f - f^2 / 2 with f = m - 1 is two numbers,
and what follows a polynomial. The others are quotients too: with y = log(c + s), c and s its cosh and
sinh, tanh(y/2) = s / (1 + c), which is exact where c + s is near 1. Products and sums of two numbers: T.
J. Dekker, "A floating-point technique for extending the available precision", Numerische Mathematik 18,
1971, sections 3 to 5. Logarithms by atanh: J.-M. Muller, "Elementary Functions", 3rd edition, section
11.3.
"""

# Parameters without types are those of functions that serve f32 and f64.
# pyright: reportMissingParameterType=false

from __future__ import annotations

import math

import hvisa
from hvisa import f32, f64, i32, u32, u64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.double_word import fast_two_sum, two_prod, two_sum
from hvisa.library.mathematics.logarithm_coefficients import ATANH_F32, ATANH_F64, LOG_CUBIC_F32

INF, NAN = math.inf, math.nan
# LN2_HIGH and LOG10_2_HIGH have zeros at their end, so that k times them is exact.
LN2_HIGH_F64, LN2_LOW_F64 = 0.6931471805598903, 5.497923018708371e-14
LOG10_2_HIGH_F64, LOG10_2_LOW_F64 = 0.30102999566395283, 2.8363394551044964e-14
TWO_LOG2E_HIGH_F64, TWO_LOG2E_LOW_F64 = 2.8853900817779268, 4.0710547481862066e-17
TWO_LOG10E_HIGH_F64, TWO_LOG10E_LOW_F64 = 0.8685889638065036, 2.19663930043353e-17
LN2_HIGH_F32, LN2_LOW_F32 = f32(0.693145751953125), f32(1.428606765330187e-06)
LOG10_2_HIGH_F32, LOG10_2_LOW_F32 = f32(0.30103302001953125), f32(-3.024355464731343e-06)
TWO_LOG2E_HIGH_F32, TWO_LOG2E_LOW_F32 = f32(2.885390043258667), f32(3.851926067000022e-08)
TWO_LOG10E_HIGH_F32, TWO_LOG10E_LOW_F32 = f32(0.8685889840126038), f32(-2.0206099904385155e-08)
LEAST_F32, LEAST_F64 = f32(2.0**-126), 2.0**-1022  # that are not subnormal
LIFT_F32, LIFT_F64 = f32(2.0**24), 2.0**54  # makes subnormals normal
# 1 / sqrt 2, the least m; its distance to 1 in bits; the bits of a mantissa.
HALF_ROOT_F32, TO_ONE_F32, MANTISSA_F32 = 0x3F3504F3, 0x3F800000 - 0x3F3504F3, 0x007FFFFF
HALF_ROOT_F64, TO_ONE_F64 = 0x3FE6A09E667F3BCD, 0x3FF0000000000000 - 0x3FE6A09E667F3BCD
MANTISSA_F64 = 0x000FFFFFFFFFFFFF
COUNT_F64 = 0x4330000000000000  # 2^52: an integer in its low bits is added to it


@private
def quotient(n, n_low, d, d_low):
    """(n + n_low) / (d + d_low) as two numbers."""
    inverse = 1 / d
    s = n * inverse
    return s, (hvisa.fma(-s, d, n) + (n_low - s * d_low)) * inverse


@private
def root(g, g_low):
    """The square root of g + g_low as two numbers."""
    r = hvisa.sqrt(g)
    low = (hvisa.fma(-r, r, g) + g_low) * (0.5 / r)
    return r, low if g > 0 else g


@private
def parts_f32(x: f32) -> tuple[f32, f32, f32]:
    """k and m of x = 2^k m, and 2^-k or 0 where that is small; for positive x."""
    small = x < LEAST_F32
    t = hvisa.bitcast(u32, x * LIFT_F32 if small else x) + TO_ONE_F32
    exponent = i32(t >> 23)
    m = hvisa.bitcast(f32, (t & MANTISSA_F32) + HALF_ROOT_F32)
    k = f32(exponent - 127)
    return k - 24 if small else k, m, hvisa.bitcast(f32, (254 - min(exponent, 254)) << 23)


@private
def parts_f64(x: f64) -> tuple[f64, f64, f64]:
    """k and m of x = 2^k m, and 2^-k or 0 where that is small; for positive x."""
    small = x < LEAST_F64
    t = hvisa.bitcast(u64, x * LIFT_F64 if small else x) + TO_ONE_F64
    exponent = t >> 52
    m = hvisa.bitcast(f64, (t & MANTISSA_F64) + HALF_ROOT_F64)
    k = hvisa.bitcast(f64, exponent | COUNT_F64) - (2.0**52 + 1023)
    return k - 54 if small else k, m, hvisa.bitcast(f64, (2046 - min(exponent, u64(2046))) << 52)


@private
def atanh_low_f32(s: f32, s_low: f32) -> f32:
    """atanh(s + s_low) - s for |s| < 0.172."""
    z = s * s
    p = ATANH_F32[2]
    for c in ATANH_F32[1::-1]:
        p = hvisa.fma(f32(p), z, f32(c))
    return hvisa.fma(s * z, f32(p), s_low)


@private
def atanh_low_f64(s: f64, s_low: f64) -> f64:
    """atanh(s + s_low) - s for |s| < 0.172."""
    z = s * s
    p = ATANH_F64[6]
    for c in ATANH_F64[5::-1]:
        p = hvisa.fma(f64(p), z, c)
    return hvisa.fma(s * z, f64(p), s_low)


@private
def log_quotient_f32(k: f32, n: f32, n_low: f32, d: f32, d_low: f32) -> f32:
    """k ln 2 + 2 atanh((n + n_low) / (d + d_low))."""
    s, s_low = quotient(n, n_low, d, d_low)
    high, low = fast_two_sum(k * LN2_HIGH_F32, 2 * s)
    return high + (low + hvisa.fma(k, LN2_LOW_F32, 2 * atanh_low_f32(s, s_low)))


@private
def log_quotient_f64(k: f64, n: f64, n_low: f64, d: f64, d_low: f64) -> f64:
    """k ln 2 + 2 atanh((n + n_low) / (d + d_low))."""
    s, s_low = quotient(n, n_low, d, d_low)
    high, low = fast_two_sum(k * LN2_HIGH_F64, 2 * s)
    return high + (low + hvisa.fma(k, LN2_LOW_F64, 2 * atanh_low_f64(s, s_low)))


@private
def log_other_f32(x: f32, two_high: f32, two_low: f32, step_high: f32, step_low: f32) -> f32:
    """The logarithm of another base; given are 2 / ln(base) and log(2) / log(base), as two numbers each."""
    k, m, _ = parts_f32(x)
    f = m - 1
    d, d_low = fast_two_sum(f32(2), f)
    s, s_low = quotient(f, f32(0), d, d_low)
    g, g_low = two_prod(s, two_high)
    rest = hvisa.fma(atanh_low_f32(s, s_low), two_high, hvisa.fma(s, two_low, g_low))
    high, low = fast_two_sum(k * step_high, g)
    return specials(x, high + (low + hvisa.fma(k, step_low, rest)))


@private
def log_other_f64(x: f64, two_high: f64, two_low: f64, step_high: f64, step_low: f64) -> f64:
    """The logarithm of another base; given are 2 / ln(base) and log(2) / log(base), as two numbers each."""
    k, m, _ = parts_f64(x)
    f = m - 1
    d, d_low = fast_two_sum(f64(2), f)
    s, s_low = quotient(f, f64(0), d, d_low)
    g, g_low = two_prod(s, two_high)
    rest = hvisa.fma(atanh_low_f64(s, s_low), two_high, hvisa.fma(s, two_low, g_low))
    high, low = fast_two_sum(k * step_high, g)
    return specials(x, high + (low + hvisa.fma(k, step_low, rest)))


@private
def specials(x, found):
    """The logarithm of x: `found`, or what belongs to infinity, NaN, zeros and negative numbers."""
    found = found if x < INF else x
    found = NAN if x < 0 else found
    return -INF if x == 0 else found


@public
def log_f32(x: f32) -> f32:
    """The natural logarithm of x: at most 1 ULP, monotone."""
    k, m, _ = parts_f32(x)
    f = m - 1
    square, square_low = two_prod(f, f)
    high, low = fast_two_sum(f, square * -0.5)
    p = LOG_CUBIC_F32[7]
    for c in LOG_CUBIC_F32[6::-1]:
        p = hvisa.fma(f32(p), f, f32(c))
    low = hvisa.fma(f * square, f32(p), hvisa.fma(square_low, f32(-0.5), low))
    high, rest = fast_two_sum(k * LN2_HIGH_F32, high)
    return specials(x, high + (rest + hvisa.fma(k, LN2_LOW_F32, low)))


@public
def log_f64(x: f64) -> f64:
    """The natural logarithm of x: at most 1 ULP, monotone."""
    k, m, _ = parts_f64(x)
    f = m - 1
    d, d_low = fast_two_sum(f64(2), f)
    return specials(x, log_quotient_f64(k, f, f64(0), d, d_low))


@public
def log2_f32(x: f32) -> f32:
    """The logarithm of x to base 2: at most 1 ULP; exact of powers of 2."""
    return log_other_f32(x, TWO_LOG2E_HIGH_F32, TWO_LOG2E_LOW_F32, f32(1), f32(0))


@public
def log2_f64(x: f64) -> f64:
    """The logarithm of x to base 2: at most 1 ULP; exact of powers of 2."""
    return log_other_f64(x, TWO_LOG2E_HIGH_F64, TWO_LOG2E_LOW_F64, f64(1), f64(0))


@public
def log10_f32(x: f32) -> f32:
    """The logarithm of x to base 10: at most 1 ULP; exact of powers of 10."""
    return log_other_f32(x, TWO_LOG10E_HIGH_F32, TWO_LOG10E_LOW_F32, LOG10_2_HIGH_F32, LOG10_2_LOW_F32)


@public
def log10_f64(x: f64) -> f64:
    """The logarithm of x to base 10: at most 1 ULP; exact of powers of 10."""
    return log_other_f64(x, TWO_LOG10E_HIGH_F64, TWO_LOG10E_LOW_F64, LOG10_2_HIGH_F64, LOG10_2_LOW_F64)


@public
def log1p_f32(x: f32) -> f32:
    """log(1 + x): at most 1 ULP."""
    u, u_low = two_sum(f32(1), x)
    k, m, scale = parts_f32(u)
    near = k == 0
    n = x if near else m - 1
    n_low = 0.0 if near else u_low * scale
    d, d_low = fast_two_sum(f32(2), n)
    found = specials(u, log_quotient_f32(k, n, n_low, d, d_low + n_low))
    return x if abs(x) < 2.0**-26 else found  # so that -0 and subnormals stay


@public
def log1p_f64(x: f64) -> f64:
    """log(1 + x): at most 1 ULP."""
    u, u_low = two_sum(f64(1), x)
    k, m, scale = parts_f64(u)
    near = k == 0
    n = x if near else m - 1
    n_low = 0.0 if near else u_low * scale
    d, d_low = fast_two_sum(f64(2), n)
    found = specials(u, log_quotient_f64(k, n, n_low, d, d_low + n_low))
    return x if abs(x) < 2.0**-55 else found


@private
def area_f32(c: f32, c_low: f32, s: f32, s_low: f32, x: f32) -> f32:
    """log(c + s), where c + c_low is its cosh and s + s_low its sinh; log(2 x) where x is large."""
    large = x > 2.0**14
    u, u_low = two_sum(c, s)
    u = x if large else u
    u_low = 0.0 if large else u_low + (c_low + s_low)
    k, m, scale = parts_f32(u)
    near = k == 0
    n = s if near else m - 1
    n_low = s_low if near else u_low * scale
    d, d_low = two_sum(f32(1) if near else f32(2), c if near else n)
    return log_quotient_f32(k + 1 if large else k, n, n_low, d, d_low + (c_low if near else n_low))


@private
def area_f64(c: f64, c_low: f64, s: f64, s_low: f64, x: f64) -> f64:
    """log(c + s), where c + c_low is its cosh and s + s_low its sinh; log(2 x) where x is large."""
    large = x > 2.0**30
    u, u_low = two_sum(c, s)
    u = x if large else u
    u_low = 0.0 if large else u_low + (c_low + s_low)
    k, m, scale = parts_f64(u)
    near = k == 0
    n = s if near else m - 1
    n_low = s_low if near else u_low * scale
    d, d_low = two_sum(1.0 if near else f64(2), c if near else n)
    return log_quotient_f64(k + 1 if large else k, n, n_low, d, d_low + (c_low if near else n_low))


@private
def square_and(x, one):
    """The root of x^2 + one as two numbers; one is 1 or -1."""
    p, p_low = two_prod(x, x)
    g, g_low = two_sum(p, one)
    high, low = fast_two_sum(g, g_low + p_low)
    r, r_low = root(high, low)
    return r, r_low


@private
def signed(x, found, least):
    """An odd function of which `found` is the value at |x|; x itself where small, infinite or NaN."""
    a = abs(x)
    y = -found if x < 0 else found
    return y if a > least and a < INF else x


@public
def asinh_f32(x: f32) -> f32:
    """The inverse hyperbolic sine of x: at most 1 ULP."""
    a = abs(x)
    c, c_low = square_and(a, f32(1))
    return signed(x, area_f32(c, c_low, a, f32(0), a), f32(2.0**-13))


@public
def asinh_f64(x: f64) -> f64:
    """The inverse hyperbolic sine of x: at most 1 ULP."""
    a = abs(x)
    c, c_low = square_and(a, f64(1))
    return signed(x, area_f64(c, c_low, a, f64(0), a), 2.0**-28)


@public
def acosh_f32(x: f32) -> f32:
    """The inverse hyperbolic cosine of x: at most 1 ULP."""
    s, s_low = square_and(x, f32(-1))
    found = area_f32(x, f32(0), s, s_low, x)
    found = found if x < INF else x
    return f32(NAN) if x < 1 else found


@public
def acosh_f64(x: f64) -> f64:
    """The inverse hyperbolic cosine of x: at most 1 ULP."""
    s, s_low = square_and(x, f64(-1))
    found = area_f64(x, f64(0), s, s_low, x)
    found = found if x < INF else x
    return f64(NAN) if x < 1 else found


@private
def atanh_quotient(a, one, scale, near):
    """s, and its rest, of atanh(a) = atanh(s) + k / 2 ln 2; `scale` is 2^-k, `near` says whether k = 0."""
    u, u_low = two_sum(one, a)
    v, v_low = two_sum(one, -a)
    w, w_low = u * scale, u_low * scale
    d, d_low = two_sum(v, w)
    s, s_low = quotient(w - v, w_low - v_low, d, d_low + (v_low + w_low))
    return a if near else s, 0.0 if near else s_low


@public
def atanh_f32(x: f32) -> f32:
    """The inverse hyperbolic tangent of x: at most 1 ULP."""
    a = abs(x)
    k, _, scale = parts_f32((1 + a) / (1 - a))
    s, s_low = atanh_quotient(a, f32(1), scale, k == 0)
    high, low = fast_two_sum(k * (0.5 * LN2_HIGH_F32), s)
    found = high + (low + hvisa.fma(k, 0.5 * LN2_LOW_F32, atanh_low_f32(s, s_low)))
    found = INF if a == 1 else found
    return f32(NAN) if a > 1 else signed(x, found, f32(2.0**-13))


@public
def atanh_f64(x: f64) -> f64:
    """The inverse hyperbolic tangent of x: at most 1 ULP."""
    a = abs(x)
    k, _, scale = parts_f64((1 + a) / (1 - a))
    s, s_low = atanh_quotient(a, f64(1), scale, k == 0)
    high, low = fast_two_sum(k * (0.5 * LN2_HIGH_F64), s)
    found = high + (low + hvisa.fma(k, 0.5 * LN2_LOW_F64, atanh_low_f64(s, s_low)))
    found = INF if a == 1 else found
    return f64(NAN) if a > 1 else signed(x, found, 2.0**-28)
