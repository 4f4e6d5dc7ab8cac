"""atan, atan2, asin and acos, by polynomials on small intervals.

atan is that of t = x up to 1/2, of (x - 1)/(x + 1) up to 2 and of -1/x beyond, to which pi/4 and pi/2
are added; |t| is at most 1/2. atan2 chooses in the same way, with the larger of |x| and |y| below. The
quotient is corrected by its remainder (P. W. Markstein, "Computation of elementary functions on the IBM
RISC System/6000 processor", IBM J. Res. Dev. 34(1), 1990), since its rounding would show in the sum. asin
beyond 1/2 is pi/2 - 2 asin(sqrt((1 - x)/2)), with the square root corrected in the same way. The
identities: M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 1964, section 4.4.
"""

from __future__ import annotations

import hvisa
from hvisa import f32, f64, i1, i32, i64, u32
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.trigonometry import flipped_f32, flipped_f64
from hvisa.library.mathematics.trigonometry_coefficients import (
    ASIN_F32,
    ASIN_F64,
    ATAN_F32,
    ATAN_F64,
)

EIGHTH_F32 = f32(0.7853981852531433), f32(-2.1855694143368964e-08)  # pi/4 in two parts
EIGHTH_F64 = 0.7853981633974483, 3.061616997868383e-17
INFINITE_F32, INFINITE_F64 = f32(float("inf")), float("inf")
# 3/2 (127 - 0.045) 2^23: less half of the bits of z, these are the bits of 1/sqrt(z) within 4 %.
ROOT_F32 = 0x5F375C29
ROOT_F64 = 0x5FE6EB851EB85400


@private
def quotient_f32(n: f32, d: f32, d_low: f32) -> tuple[f32, f32]:
    """n / (d + d_low) in two parts."""
    inverse = 1 / d
    t = n * inverse
    return t, (hvisa.fma(-t, d, n) - t * d_low) * inverse


@private
def eighths_f32(count: f32, t: f32, low: f32, back: i1) -> f32:
    """count pi/4 + atan(t + low), or count pi/4 - atan(t + low) if `back`."""
    z = t * t
    p = ATAN_F32[-1]
    for c in ATAN_F32[-2::-1]:
        p = hvisa.fma(f32(p), z, f32(c))
    rest = hvisa.fma(t * z, f32(p), low)
    t = -t if back else t
    rest = -rest if back else rest
    base = count * EIGHTH_F32[0]
    base_low = hvisa.fma(count, EIGHTH_F32[0], -base) + count * EIGHTH_F32[1]
    total = base + t
    return total + (((base - total) + t) + (base_low + rest))


@private
def quotient_f64(n: f64, d: f64, d_low: f64) -> tuple[f64, f64]:
    """n / (d + d_low) in two parts."""
    inverse = 1 / d
    t = n * inverse
    return t, (hvisa.fma(-t, d, n) - t * d_low) * inverse


@private
def eighths_f64(count: f64, t: f64, low: f64, back: i1) -> f64:
    """count pi/4 + atan(t + low), or count pi/4 - atan(t + low) if `back`."""
    z = t * t
    p = ATAN_F64[-1]
    for c in ATAN_F64[-2::-1]:
        p = hvisa.fma(f64(p), z, c)
    rest = hvisa.fma(t * z, f64(p), low)
    t = -t if back else t
    rest = -rest if back else rest
    base = count * EIGHTH_F64[0]
    base_low = hvisa.fma(count, EIGHTH_F64[0], -base) + count * EIGHTH_F64[1]
    total = base + t
    return total + (((base - total) + t) + (base_low + rest))


@public
def atan_f32(x: f32) -> f32:
    """The arc tangent of x: at most 1 ULP."""
    a = min(abs(x), f32(2.0**30))  # beyond, the result is pi/2; NaN stays
    middle, far = a > 0.5, a > 2
    n = hvisa.select(far, f32(-1.0), hvisa.select(middle, a - 1, a))
    d = hvisa.select(far, a, hvisa.select(middle, a + 1, f32(1.0)))
    d_low = (a - (d - 1)) if middle and not far else f32(0.0)
    count = hvisa.select(far, f32(2.0), hvisa.select(middle, f32(1.0), f32(0.0)))
    t, low = quotient_f32(n, d, d_low)
    return flipped_f32(eighths_f32(count, t, low, False), hvisa.bitcast(u32, x))


@public
def atan_f64(x: f64) -> f64:
    """The arc tangent of x: at most 1 ULP."""
    a = min(abs(x), 2.0**60)  # beyond, the result is pi/2; NaN stays
    middle, far = a > 0.5, a > 2
    n = hvisa.select(far, f64(-1.0), hvisa.select(middle, a - 1, a))
    d = hvisa.select(far, a, hvisa.select(middle, a + 1, f64(1.0)))
    d_low = (a - (d - 1)) if middle and not far else f64(0.0)
    count = hvisa.select(far, f64(2.0), hvisa.select(middle, f64(1.0), f64(0.0)))
    t, low = quotient_f64(n, d, d_low)
    return flipped_f64(eighths_f64(count, t, low, False), hvisa.bitcast(i64, x))


@public
def atan2_f32(y: f32, x: f32) -> f32:
    """The angle of the point (x, y): at most 1 ULP."""
    a, b = abs(y), abs(x)
    steep = a > b
    n, d = min(a, b), max(a, b)
    # Infinities become 1 and zeros 0/1; a power of two keeps n + d finite, and the remainder exact.
    endless = d == INFINITE_F32
    n = hvisa.select(endless, hvisa.select(n == INFINITE_F32, f32(1.0), f32(0.0)), n)
    d = hvisa.select(endless or d == 0, f32(1.0), d)
    scale = hvisa.select(d > f32(2.0**100), f32(2.0**-30), hvisa.select(d < 1, f32(2.0**64), f32(1.0)))
    n, d = n * scale, d * scale
    middle = n + n > d
    over = n + d
    over_low = (d - over) + n if middle else f32(0.0)
    t, low = quotient_f32(n - d if middle else n, over if middle else d, over_low)
    # The half plane on the left is counted back from pi, the steep part from pi/2.
    left = hvisa.bitcast(i32, x) < 0
    back = steep != left
    one = hvisa.select(middle, hvisa.select(back, f32(-1.0), f32(1.0)), f32(0.0))
    start = hvisa.select(steep, f32(2.0), hvisa.select(left, f32(4.0), f32(0.0)))
    return flipped_f32(eighths_f32(start + one, t, low, back), hvisa.bitcast(u32, y))


@public
def atan2_f64(y: f64, x: f64) -> f64:
    """The angle of the point (x, y): at most 1 ULP."""
    a, b = abs(y), abs(x)
    steep = a > b
    n, d = min(a, b), max(a, b)
    # Infinities become 1 and zeros 0/1; a power of two keeps n + d finite, and the remainder exact.
    endless = d == INFINITE_F64
    n = hvisa.select(endless, hvisa.select(n == INFINITE_F64, f64(1.0), f64(0.0)), n)
    d = hvisa.select(endless or d == 0, f64(1.0), d)
    scale = hvisa.select(d > f64(2.0**900), f64(2.0**-100), hvisa.select(d < 1, f64(2.0**300), f64(1.0)))
    n, d = n * scale, d * scale
    middle = n + n > d
    over = n + d
    over_low = (d - over) + n if middle else f64(0.0)
    t, low = quotient_f64(n - d if middle else n, over if middle else d, over_low)
    # The half plane on the left is counted back from pi, the steep part from pi/2.
    left = hvisa.bitcast(i64, x) < 0
    back = steep != left
    one = hvisa.select(middle, hvisa.select(back, f64(-1.0), f64(1.0)), f64(0.0))
    start = hvisa.select(steep, f64(2.0), hvisa.select(left, f64(4.0), f64(0.0)))
    return flipped_f64(eighths_f64(start + one, t, low, back), hvisa.bitcast(i64, y))


@private
def arc_f32(a: f32) -> tuple[f32, f32]:
    """For 0 <= a <= 1: s + rest is asin(a), or half of acos(a) where a > 1/2."""
    beyond = a > 0.5
    z = hvisa.fma(a, f32(-0.5), f32(0.5)) if beyond else a * a
    root = hvisa.sqrt(z)
    near = hvisa.bitcast(f32, i32(ROOT_F32) - (hvisa.bitcast(i32, z) >> 1))
    lost = hvisa.fma(-root, root, z) * f32(0.5) * near
    p = ASIN_F32[-1]
    for c in ASIN_F32[-2::-1]:
        p = hvisa.fma(f32(p), z, f32(c))
    s = root if beyond else a
    return s, hvisa.fma(s * z, f32(p), lost if beyond else f32(0.0))


@public
def asin_f32(x: f32) -> f32:
    """The arc sine of x: at most 1 ULP."""
    s, rest = arc_f32(abs(x))
    beyond = abs(x) > 0.5
    # pi/2 - 2 (s + rest)
    high = 2 * EIGHTH_F32[0]
    far = hvisa.fma(s, f32(-2.0), high)
    far_low = hvisa.fma(s, f32(-2.0), high - far) + hvisa.fma(rest, f32(-2.0), 2 * EIGHTH_F32[1])
    return flipped_f32(far + far_low if beyond else s + rest, hvisa.bitcast(u32, x))


@public
def acos_f32(x: f32) -> f32:
    """The arc cosine of x: at most 1 ULP."""
    s, rest = arc_f32(abs(x))
    beyond = abs(x) > 0.5
    negative = x < 0
    # 2 (s + rest), pi - 2 (s + rest), or pi/2 -+ (s + rest)
    factor = hvisa.select(beyond, f32(2.0), f32(1.0))
    factor = factor if negative != beyond else -factor
    t, t_low = s * factor, rest * factor
    count = hvisa.select(beyond, hvisa.select(negative, f32(4.0), f32(0.0)), f32(2.0))
    base, base_low = count * EIGHTH_F32[0], count * EIGHTH_F32[1]
    total = base + t
    return total + (((base - total) + t) + (base_low + t_low))


@private
def arc_f64(a: f64) -> tuple[f64, f64]:
    """For 0 <= a <= 1: s + rest is asin(a), or half of acos(a) where a > 1/2."""
    beyond = a > 0.5
    z = hvisa.fma(a, f64(-0.5), f64(0.5)) if beyond else a * a
    root = hvisa.sqrt(z)
    near = hvisa.bitcast(f64, i64(ROOT_F64) - (hvisa.bitcast(i64, z) >> 1))
    lost = hvisa.fma(-root, root, z) * f64(0.5) * near
    p = ASIN_F64[-1]
    for c in ASIN_F64[-2::-1]:
        p = hvisa.fma(f64(p), z, c)
    s = root if beyond else a
    return s, hvisa.fma(s * z, f64(p), lost if beyond else f64(0.0))


@public
def asin_f64(x: f64) -> f64:
    """The arc sine of x: at most 1 ULP."""
    s, rest = arc_f64(abs(x))
    beyond = abs(x) > 0.5
    # pi/2 - 2 (s + rest)
    high = 2 * EIGHTH_F64[0]
    far = hvisa.fma(s, f64(-2.0), high)
    far_low = hvisa.fma(s, f64(-2.0), high - far) + hvisa.fma(rest, f64(-2.0), 2 * EIGHTH_F64[1])
    return flipped_f64(far + far_low if beyond else s + rest, hvisa.bitcast(i64, x))


@public
def acos_f64(x: f64) -> f64:
    """The arc cosine of x: at most 1 ULP."""
    s, rest = arc_f64(abs(x))
    beyond = abs(x) > 0.5
    negative = x < 0
    # 2 (s + rest), pi - 2 (s + rest), or pi/2 -+ (s + rest)
    factor = hvisa.select(beyond, f64(2.0), f64(1.0))
    factor = factor if negative != beyond else -factor
    t, t_low = s * factor, rest * factor
    count = hvisa.select(beyond, hvisa.select(negative, f64(4.0), f64(0.0)), f64(2.0))
    base, base_low = count * EIGHTH_F64[0], count * EIGHTH_F64[1]
    total = base + t
    return total + (((base - total) + t) + (base_low + t_low))
