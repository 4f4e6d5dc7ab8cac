"""Polynomials of exp and its kin."""

from __future__ import annotations

import mpmath as mp

from tools.minimax import Entry


def _expm1_quotient(x: object) -> object:
    """(exp(x) - 1 - x) / x^2, whose value at 0 is 1/2."""
    return (mp.expm1(x) - x) / x**2 if x else mp.mpf(1) / 2


HALF_LN2 = 0.34657359027997264
TABLE: list[Entry] = [
    # exp(r) = 1 + r + r^2 p(r), |r| <= ln 2 / 2; measured against exp(r).
    Entry("exp", _expm1_quotient, -HALF_LN2, HALF_LN2, range(5), "f32",
          lambda x: mp.exp(x) / (x**2 + mp.mpf(2)**-60)),
    Entry("exp", _expm1_quotient, -HALF_LN2, HALF_LN2, range(11), "f64",
          lambda x: mp.exp(x) / (x**2 + mp.mpf(2)**-60)),
]
