"""erf and erfc.

Below 3/4, erf(x) is x + x p(x^2), which is subtracted from 1 for erfc. From there on

    erfc(a) = exp(-a^2) c(q) / (1 + 2 a),  q = (a - t) / (a + t),

where c is nearly constant: one polynomial serves all of the half-line (M. M. Shepherd, J. G. Laframboise,
"Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < inf", Mathematics of Computation 36(153),
1981). a^2 is two numbers, by `fma`; the product and the quotient carry what rounding loses (T. J. Dekker,
"A floating-point technique for extending the available precision", Numerische Mathematik 18, 1971,
section 4), so that they are rounded once, at the end.
"""

from __future__ import annotations

import hvisa
from hvisa import f32, f64, i32, i64
from hvisa.library.mathematics.declare import private, public
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
from hvisa.library.mathematics.special_coefficients import ERF_F32, ERF_F64, ERFCX_F32, ERFCX_F64

TURN_F32, TURN_F64 = f32(4.0), 3.0
MIDDLE = 1.25  # c is this and a small polynomial
SMALL = 0.75  # up to here a polynomial of x^2
ONE_F32, ONE_F64 = f32(3.95), 5.95  # from here on erf is 1
NONE_F32, NONE_F64 = f32(10.2), 27.4  # from here on erfc is 0


@private
def small_erf_f32(x: f32) -> f32:
    """erf(x) - x for |x| <= SMALL; what x^2 loses when it is rounded is added."""
    z = x * x
    p = f32(ERF_F32[-1])
    for c in ERF_F32[-2:0:-1]:
        p = hvisa.fma(p, z, f32(c))
    more = hvisa.fma(-x, x, z)  # z - x^2; this way round the sign of a zero x is kept
    return hvisa.fma(x, hvisa.fma(p, z, f32(ERF_F32[0])), -x * (p * more))


@private
def tail_f32(a: f32) -> tuple[f32, f32, i32]:
    """h, l and k with erfc(a) = (h + l) 2^k, for SMALL <= a <= NONE_F32."""
    square = a * a
    lost = hvisa.fma(a, a, -square)
    shifted = hvisa.fma(square, f32(-LOG2E), MAGIC_F32)
    k = hvisa.bitcast(i32, shifted) - hvisa.bitcast(i32, f32(MAGIC_F32))
    whole = shifted - MAGIC_F32
    first = hvisa.fma(whole, -LN2_HIGH_F32, -square)  # exact
    second = hvisa.fma(whole, -LN2_LOW_F32, -lost)
    r = first + second
    rest = second - (r - first)
    e = exp_part_f32(r)
    q = (a - TURN_F32) / (a + TURN_F32)
    w = f32(ERFCX_F32[-1])
    for n in ERFCX_F32[-2::-1]:
        w = hvisa.fma(w, q, f32(n))
    c = f32(MIDDLE) + w
    c_low = w - (c - f32(MIDDLE))
    p = hvisa.fma(c, e, c)
    p_low = hvisa.fma(c, e, c - p) + hvisa.fma(c, rest, hvisa.fma(c_low, e, c_low))
    d = 1 + 2 * a
    d_low = 1 - (d - 2 * a)
    h = p / d
    return h, (hvisa.fma(-h, d, p) + hvisa.fma(-h, d_low, p_low)) / d, k


@private
def less_tail_f32(whole: f32, a: f32) -> f32:
    """whole - erfc(a), rounded once."""
    h, low, k = tail_f32(a)
    h, low = scale_f32(h, k), scale_f32(low, k)
    v = whole - h
    return v + (((whole - v) - h) - low)


@public
def erf_f32(x: f32) -> f32:
    """The error function of x: at most 1 ULP."""
    a = abs(x)
    v = less_tail_f32(f32(1.0), min(max(a, SMALL), ONE_F32))  # NaN stays
    v = hvisa.select(hvisa.sign_bit(x), -v, v)
    return hvisa.select(a < SMALL, x + small_erf_f32(x), v)


@public
def erfc_f32(x: f32) -> f32:
    """1 - erf(x), with small errors also where it is near 0: at most 1 ULP."""
    a = abs(x)
    h, low, k = tail_f32(min(max(a, SMALL), NONE_F32))
    positive = scale_f32(h + low, k)
    h, low = scale_f32(h, k), scale_f32(low, k)
    v = 2 - h
    negative = v + (((2 - v) - h) - low)
    t = 1 - x
    small = t + (((1 - t) - x) - small_erf_f32(x))
    return hvisa.select(a < SMALL, small, hvisa.select(x < 0, negative, positive))


@private
def small_erf_f64(x: f64) -> f64:
    """erf(x) - x for |x| <= SMALL; what x^2 loses when it is rounded is added."""
    z = x * x
    p = f64(ERF_F64[-1])
    for c in ERF_F64[-2:0:-1]:
        p = hvisa.fma(p, z, c)
    more = hvisa.fma(-x, x, z)  # z - x^2; this way round the sign of a zero x is kept
    return hvisa.fma(x, hvisa.fma(p, z, f64(ERF_F64[0])), -x * (p * more))


@private
def tail_f64(a: f64) -> tuple[f64, f64, i64]:
    """h, l and k with erfc(a) = (h + l) 2^k, for SMALL <= a <= NONE_F64."""
    square = a * a
    lost = hvisa.fma(a, a, -square)
    shifted = hvisa.fma(square, -LOG2E, MAGIC_F64)
    k = hvisa.bitcast(i64, shifted) - hvisa.bitcast(i64, f64(MAGIC_F64))
    whole = shifted - MAGIC_F64
    first = hvisa.fma(whole, -LN2_HIGH_F64, -square)  # exact
    second = hvisa.fma(whole, -LN2_LOW_F64, -lost)
    r = first + second
    rest = second - (r - first)
    e = exp_part_f64(r)
    q = (a - TURN_F64) / (a + TURN_F64)
    w = f64(ERFCX_F64[-1])
    for n in ERFCX_F64[-2::-1]:
        w = hvisa.fma(w, q, n)
    c = MIDDLE + w
    c_low = w - (c - MIDDLE)
    p = hvisa.fma(c, e, c)
    p_low = hvisa.fma(c, e, c - p) + hvisa.fma(c, rest, hvisa.fma(c_low, e, c_low))
    d = 1 + 2 * a
    d_low = 1 - (d - 2 * a)
    h = p / d
    return h, (hvisa.fma(-h, d, p) + hvisa.fma(-h, d_low, p_low)) / d, k


@private
def less_tail_f64(whole: f64, a: f64) -> f64:
    """whole - erfc(a), rounded once."""
    h, low, k = tail_f64(a)
    h, low = scale_f64(h, k), scale_f64(low, k)
    v = whole - h
    return v + (((whole - v) - h) - low)


@public
def erf_f64(x: f64) -> f64:
    """The error function of x: at most 1 ULP."""
    a = abs(x)
    v = less_tail_f64(f64(1.0), min(max(a, SMALL), ONE_F64))  # NaN stays
    v = hvisa.select(hvisa.sign_bit(x), -v, v)
    return hvisa.select(a < SMALL, x + small_erf_f64(x), v)


@public
def erfc_f64(x: f64) -> f64:
    """1 - erf(x), with small errors also where it is near 0: at most 1 ULP."""
    a = abs(x)
    h, low, k = tail_f64(min(max(a, SMALL), NONE_F64))
    positive = scale_f64(h + low, k)
    h, low = scale_f64(h, k), scale_f64(low, k)
    v = 2 - h
    negative = v + (((2 - v) - h) - low)
    t = 1 - x
    small = t + (((1 - t) - x) - small_erf_f64(x))
    return hvisa.select(a < SMALL, small, hvisa.select(x < 0, negative, positive))
