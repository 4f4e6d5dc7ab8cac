"""Polynomials of log and its kin, and of the powers."""

from __future__ import annotations

from typing import Any

import mpmath as mp

from tools.minimax import Entry

TINY = mp.mpf(2)**-60


def _atanh_rest(z: Any) -> Any:
    """(atanh(s) / s - 1) / z with z = s^2, whose value at 0 is 1/3."""
    s = mp.sqrt(z)
    return (mp.atanh(s) / s - 1) / z if z > TINY else mp.mpf(1) / 3 + z / 5


def _atanh_second_rest(z: Any) -> Any:
    """What follows 1/3 in the above, divided by z; 1/5 at 0."""
    return (_atanh_rest(z) - mp.mpf(1) / 3) / z if z > TINY else mp.mpf(1) / 5 + z / 7


def _exp2_quotient(x: Any) -> Any:
    """(2^x - 1 - x ln 2) / x^2, whose value at 0 is (ln 2)^2 / 2."""
    return (mp.expm1(x * mp.ln2) - x * mp.ln2) / x**2 if abs(x) > TINY else mp.ln2**2 / 2


def _log_cubic(f: Any) -> Any:
    """What follows f - f^2 / 2 in log(1 + f), divided by f^3."""
    return (mp.log1p(f) - f + f**2 / 2) / f**3


def _log_cubic_weight(f: Any) -> Any:
    return abs(mp.log1p(f)) / (abs(f)**3 + TINY)


SQUARE = float((3 - 2 * mp.sqrt(2))**2)  # of s where m = sqrt 2 or 1 / sqrt 2
TABLE: list[Entry] = [
    # atanh(s) = s + s z a(z); the weight is atanh(s) / (s z), for small z a part of the sum.
    Entry("atanh", _atanh_rest, 0, SQUARE, range(3), "f32", lambda z: 1 / (z + mp.mpf(2)**-9)),
    Entry("atanh", _atanh_rest, 0, SQUARE, range(7), "f64", lambda z: 1 / (z + mp.mpf(2)**-9)),
    # atanh(s) = s + s z (1/3 + z b(z)), for pow.
    Entry("atanh_second", _atanh_second_rest, 0, SQUARE, range(3), "f32",
          lambda z: 1 / (z**2 + mp.mpf(2)**-18)),
    Entry("atanh_second", _atanh_second_rest, 0, SQUARE, range(8), "f64",
          lambda z: 1 / (z**2 + mp.mpf(2)**-18)),
    # log(1 + f) = f - f^2 / 2 + f^3 c(f).
    Entry("log_cubic", _log_cubic, 2**-0.5 - 1, 2**0.5 - 1, range(8), "f32", _log_cubic_weight,
          together=True),
    # 2^r = 1 + r ln 2 + r^2 p(r), |r| <= 1/2.
    Entry("exp2_rest", _exp2_quotient, -0.5, 0.5, range(5), "f32", lambda x: mp.mpf(2)**x / (x**2 + TINY)),
    Entry("exp2_rest", _exp2_quotient, -0.5, 0.5, range(11), "f64",
          lambda x: mp.mpf(2)**x / (x**2 + TINY)),
    # 1 / cbrt(m) on [1, 2], to be refined.
    Entry("inverse_cbrt", lambda m: 1 / mp.cbrt(m), 1, 2, range(4), "f32"),
    Entry("inverse_cbrt", lambda m: 1 / mp.cbrt(m), 1, 2, range(4), "f64"),
]
