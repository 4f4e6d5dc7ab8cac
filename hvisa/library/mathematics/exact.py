"""Functions whose results are exact: parts of numbers, scaling, neighbours, remainders.

Exponents are taken out of the bits, subnormal numbers first made normal by a product that is exact. A
remainder is taken in steps of as many bits as a quotient has: with s = y 2^k and r / s < 2^p, the quotient
q that is rounded and truncated is the right one or one too large, and r - q s is exact with `fma`, since it
is a multiple of the last place of s that is at most s (S. Boldo, J.-M. Muller et al., "Handbook of
Floating-Point Arithmetic", 2nd edition, 2018, section 5.1, on remainders by `fma`; IEEE 754-2019, 5.3.1).
"""

from __future__ import annotations

import hvisa
from hvisa import f32, f64, i32, i64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.exponential import scale_f32, scale_f64

INF, NAN = float("inf"), float("nan")
WHOLE_F32, WHOLE_F64 = f32(8388608.0), 4503599627370496.0  # 2^23, 2^52: beyond, all numbers are integers
TINY_F32, TINY_F64 = f32(1.1754943508222875e-38), 2.2250738585072014e-308  # the least normal numbers
RAISE_F32, RAISE_F64 = f32(16777216.0), 18014398509481984.0  # 2^24, 2^54: make subnormals normal


@public
def copysign_f32(x: f32, y: f32) -> f32:
    """|x| with the sign of y; a NaN y counts as positive."""
    return hvisa.select(hvisa.sign_bit(y), -abs(x), abs(x))


@public
def copysign_f64(x: f64, y: f64) -> f64:
    """|x| with the sign of y; a NaN y counts as positive."""
    return hvisa.select(hvisa.sign_bit(y), -abs(x), abs(x))


@public
def round_half_even_f32(x: f32) -> f32:
    """The nearest integral value, halves to the even one; the sign of zero is kept."""
    a = abs(x)
    near = (a + WHOLE_F32) - WHOLE_F32  # the sum has no room for a fraction
    near = hvisa.select(hvisa.sign_bit(x), -near, near)
    return hvisa.select(a < WHOLE_F32, near, x)


@public
def round_half_even_f64(x: f64) -> f64:
    """The nearest integral value, halves to the even one; the sign of zero is kept."""
    a = abs(x)
    near = (a + WHOLE_F64) - WHOLE_F64  # the sum has no room for a fraction
    near = hvisa.select(hvisa.sign_bit(x), -near, near)
    return hvisa.select(a < WHOLE_F64, near, x)


@private
def parts_f32(x: f32) -> tuple[f32, i32]:
    """m and e with x = m 2^e and 1 <= |m| < 2, for a finite x that is not 0."""
    small = abs(x) < TINY_F32
    bits = hvisa.bitcast(i32, hvisa.select(small, x * RAISE_F32, x))
    e = ((bits >> 23) & 255) - hvisa.select(small, 127 + 24, 127)
    return hvisa.bitcast(f32, (bits & ~0x7F800000) | 0x3F800000), i32(e)


@private
def parts_f64(x: f64) -> tuple[f64, i64]:
    """m and e with x = m 2^e and 1 <= |m| < 2, for a finite x that is not 0."""
    small = abs(x) < TINY_F64
    bits = hvisa.bitcast(i64, hvisa.select(small, x * RAISE_F64, x))
    e = ((bits >> 52) & 2047) - hvisa.select(small, 1023 + 54, 1023)
    return hvisa.bitcast(f64, (bits & ~0x7FF0000000000000) | 0x3FF0000000000000), e


@public
def ldexp_f32(x: f32, n: i32) -> f32:
    """x 2^n, rounded once; zeros, infinities and NaN stay."""
    m, e = parts_f32(x)
    e = min(max(e + min(max(n, -500), 500), -160), 130)
    return hvisa.select((abs(x) < INF) & (x != 0), scale_f32(m, e), x)


@public
def ldexp_f64(x: f64, n: i32) -> f64:
    """x 2^n, rounded once; zeros, infinities and NaN stay."""
    m, e = parts_f64(x)
    e = min(max(e + i64(min(max(n, -3000), 3000)), -1100), 1030)
    return hvisa.select((abs(x) < INF) & (x != 0), scale_f64(m, e), x)


@public
def frexp_f32(x: f32) -> tuple[f32, i32]:
    """m and e with x = m 2^e and 0.5 <= |m| < 1; x and 0 for zeros, infinities and NaN."""
    m, e = parts_f32(x)
    some = (abs(x) < INF) & (x != 0)
    return hvisa.select(some, m * f32(0.5), x), hvisa.select(some, e + 1, 0)


@public
def frexp_f64(x: f64) -> tuple[f64, i32]:
    """m and e with x = m 2^e and 0.5 <= |m| < 1; x and 0 for zeros, infinities and NaN."""
    m, e = parts_f64(x)
    some = (abs(x) < INF) & (x != 0)
    return hvisa.select(some, m * 0.5, x), i32(hvisa.select(some, e + 1, 0))


@public
def modf_f32(x: f32) -> tuple[f32, f32]:
    """The fraction and the integral part of x, both with its sign."""
    a = abs(x)
    whole = hvisa.trunc(a)
    part = hvisa.select(a == INF, f32(0.0), a - whole)
    negative = hvisa.sign_bit(x)
    return hvisa.select(negative, -part, part), hvisa.select(negative, -whole, whole)


@public
def modf_f64(x: f64) -> tuple[f64, f64]:
    """The fraction and the integral part of x, both with its sign."""
    a = abs(x)
    whole = hvisa.trunc(a)
    part = hvisa.select(a == INF, 0.0, a - whole)
    negative = hvisa.sign_bit(x)
    return hvisa.select(negative, -part, part), hvisa.select(negative, -whole, whole)


@public
def nextafter_f32(x: f32, y: f32) -> f32:
    """The number next to x in the direction of y; y where they are equal."""
    bits = hvisa.bitcast(i32, x)
    away = hvisa.select(x < y, x > 0, x < 0)  # from zero
    moved = hvisa.bitcast(f32, bits + hvisa.select(away, i32(1), i32(-1)))
    least = hvisa.bitcast(f32, hvisa.select(y > 0, i32(1), i32(-0x7FFFFFFF)))
    moved = hvisa.select(x == 0, least, moved)
    return hvisa.select(x == y, y, hvisa.select(hvisa.is_nan(x) | hvisa.is_nan(y), x + y, moved))


@public
def nextafter_f64(x: f64, y: f64) -> f64:
    """The number next to x in the direction of y; y where they are equal."""
    bits = hvisa.bitcast(i64, x)
    away = hvisa.select(x < y, x > 0, x < 0)  # from zero
    moved = hvisa.bitcast(f64, bits + hvisa.select(away, i64(1), i64(-1)))
    least = hvisa.bitcast(f64, hvisa.select(y > 0, i64(1), i64(-0x7FFFFFFFFFFFFFFF)))
    moved = hvisa.select(x == 0, least, moved)
    return hvisa.select(x == y, y, hvisa.select(hvisa.is_nan(x) | hvisa.is_nan(y), x + y, moved))


@private
def modulo_f32(r: f32, y: f32) -> f32:
    """r modulo y, for a finite r >= 0 and y > 0."""
    _, ey = parts_f32(y)
    while r >= y:
        _, er = parts_f32(r)
        k = max(er - ey - 23, 0)
        s = scale_f32(y, k)
        r = hvisa.fma(-hvisa.trunc(r / s), s, r)
        r = hvisa.select(r < 0, r + s, r)
    return r


@private
def modulo_f64(r: f64, y: f64) -> f64:
    """r modulo y, for a finite r >= 0 and y > 0."""
    _, ey = parts_f64(y)
    while r >= y:
        _, er = parts_f64(r)
        k = max(er - ey - 52, 0)
        s = scale_f64(y, k)
        r = hvisa.fma(-hvisa.trunc(r / s), s, r)
        r = hvisa.select(r < 0, r + s, r)
    return r


@public
def fmod_f32(x: f32, y: f32) -> f32:
    """x - n y, n the quotient truncated; exact, with the sign of x."""
    a, b = abs(x), abs(y)
    fine = (a < INF) & (b > 0)
    r = modulo_f32(hvisa.select(fine, a, f32(0.0)), hvisa.select(fine, b, f32(1.0)))
    r = hvisa.select(fine, r, f32(NAN))
    return hvisa.select(hvisa.sign_bit(x), -r, r)


@public
def fmod_f64(x: f64, y: f64) -> f64:
    """x - n y, n the quotient truncated; exact, with the sign of x."""
    a, b = abs(x), abs(y)
    fine = (a < INF) & (b > 0)
    r = modulo_f64(hvisa.select(fine, a, 0.0), hvisa.select(fine, b, 1.0))
    r = hvisa.select(fine, r, NAN)
    return hvisa.select(hvisa.sign_bit(x), -r, r)


@public
def remainder_f32(x: f32, y: f32) -> f32:
    """x - n y, n the nearest integer, of two the even one; exact. Of x modulo 2 |y|, at most 2 |y| is
    taken off; both comparisons with half of y are exact, as doubling is."""
    a, b = abs(x), abs(y)
    fine = (a < INF) & (b > 0)
    divisor = hvisa.select(fine, b, f32(1.0))
    r = modulo_f32(hvisa.select(fine, a, f32(0.0)), divisor + divisor)
    more = (r + r > divisor) & (divisor < INF)
    r = hvisa.select(more, r - divisor, r)
    r = hvisa.select(more & (r + r >= divisor), r - divisor, r)
    r = hvisa.select(fine, r, f32(NAN))
    return hvisa.select(hvisa.sign_bit(x), -r, r)


@public
def remainder_f64(x: f64, y: f64) -> f64:
    """x - n y, n the nearest integer, of two the even one; exact. Of x modulo 2 |y|, at most 2 |y| is
    taken off; both comparisons with half of y are exact, as doubling is."""
    a, b = abs(x), abs(y)
    fine = (a < INF) & (b > 0)
    divisor = hvisa.select(fine, b, 1.0)
    r = modulo_f64(hvisa.select(fine, a, 0.0), divisor + divisor)
    more = (r + r > divisor) & (divisor < INF)
    r = hvisa.select(more, r - divisor, r)
    r = hvisa.select(more & (r + r >= divisor), r - divisor, r)
    r = hvisa.select(fine, r, NAN)
    return hvisa.select(hvisa.sign_bit(x), -r, r)
