"""Polynomials of exp and its kin."""

from __future__ import annotations

import mpmath as mp

from tools.minimax import Entry


def _expm1_quotient(x: object) -> object:
    """(exp(x) - 1 - x) / x^2, whose value at 0 is 1/2."""
    return (mp.expm1(x) - x) / x**2 if x else mp.mpf(1) / 2


def _exp2_quotient(x: object) -> object:
    """(2^x - 1 - x ln 2) / x^2, whose value at 0 is (ln 2)^2 / 2."""
    return (mp.power(2, x) - 1 - x * mp.ln2) / x**2 if x else mp.ln2**2 / 2


HALF_LN2 = 0.34657359027997264
TABLE: list[Entry] = [
    # exp(r) = 1 + r + r^2 p(r), |r| <= ln 2 / 2; measured against exp(r).
    Entry("exp", _expm1_quotient, -HALF_LN2, HALF_LN2, range(5), "f32",
          lambda x: mp.exp(x) / (x**2 + mp.mpf(2)**-60)),
    Entry("exp", _expm1_quotient, -HALF_LN2, HALF_LN2, range(11), "f64",
          lambda x: mp.exp(x) / (x**2 + mp.mpf(2)**-60)),
    # 2^r = 1 + r ln 2 + r^2 p(r), |r| <= 1/2; measured against 2^r.
    Entry("exp2", _exp2_quotient, -0.5, 0.5, range(6), "f32",
          lambda x: mp.power(2, x) / (x**2 + mp.mpf(2)**-60)),
    Entry("exp2", _exp2_quotient, -0.5, 0.5, range(12), "f64",
          lambda x: mp.power(2, x) / (x**2 + mp.mpf(2)**-60)),
]
