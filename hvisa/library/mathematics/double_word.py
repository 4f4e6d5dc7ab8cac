"""Sums and products as two numbers, the rounded one and what its rounding left.

T. J. Dekker, "A floating-point technique for extending the available precision", Numerische Mathematik 18,
1971, sections 3 and 4; D. E. Knuth, "The Art of Computer Programming", volume 2, section 4.2.2.
"""

# The functions serve f32 and f64.
# pyright: reportMissingParameterType=false

from __future__ import annotations

import hvisa
from hvisa.library.mathematics.declare import private


@private
def fast_two_sum(a, b):
    """a + b, and what its rounding left, for |a| >= |b| or a = 0."""
    s = a + b
    return s, b - (s - a)


@private
def two_sum(a, b):
    """a + b, and what its rounding left."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@private
def two_prod(a, b):
    """a * b, and what its rounding left."""
    p = a * b
    return p, hvisa.fma(a, b, -p)
