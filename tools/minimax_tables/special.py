"""Polynomials of the error functions and the gamma functions."""

from __future__ import annotations

import functools
from typing import Any

import mpmath as mp

from tools.minimax import Entry, remez, rounded

TURN = 4  # q = (a - TURN) / (a + TURN), as in `special.py`, for f32; TURN_F64 for f64
TURN_F64 = 3
ERF_FROM = 0.75  # where the polynomial of erf ends


@functools.cache
def _erf(z: Any) -> Any:
    """erf(x) / x - 1, of z = x^2."""
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1


@functools.cache
def _erfcx(q: Any, turn: int) -> Any:
    """(1 + 2 a) exp(a^2) erfc(a) - 1.25, which is small, so that its coefficients are rounded little."""
    a = turn * (1 + q) / (1 - q)
    return (1 + 2 * a) * mp.exp(a * a) * mp.erfc(a) - mp.mpf(5) / 4


def _place(a: float, turn: int) -> float:
    return (a - turn) / (a + turn)


@functools.cache
def _binet(q: Any) -> Any:
    """z times what Stirling's formula leaves of log gamma(z), q = (z - 1) / (z + 1): near 1/12."""
    z = (1 + q) / (1 - q)
    return z * (mp.loggamma(z) - (z - 0.5) * mp.log(z) + z - mp.log(2 * mp.pi) / 2)


@functools.cache
def _log_gamma(y: Any) -> Any:
    """log gamma(1 + y) without its zeros at 0 and 1, less 1/2."""
    return mp.loggamma(1 + y) / (y * (y - 1)) - mp.mpf(1) / 2


@functools.cache
def _sine(z: Any) -> Any:
    """(sin(pi r) / (pi r) - 1) / r^2, of z = r^2."""
    r = mp.sqrt(z)
    return (mp.sin(mp.pi * r) / (mp.pi * r) - 1) / z


@functools.cache
def _log(z: Any) -> Any:
    """(log((1 + s) / (1 - s)) - 2 s) / s^3, of z = s^2."""
    s = mp.sqrt(z)
    return (mp.log((1 + s) / (1 - s)) - 2 * s) / (s * z)


def _together(entry: Entry) -> Entry:
    """Coefficients rounded at once: where 0 is inside of the interval, powers without the lowest ones are
    no Chebyshev system, so that they can't be fitted again."""
    found, _ = remez(entry, entry.f, entry.powers)
    entry.exact = [float(rounded(c, entry.type)) for c in found]
    return entry


def _half(_: Any) -> Any:
    return mp.mpf(1) / 2


def _one(_: Any) -> Any:
    return mp.mpf(1)


TABLE: list[Entry] = [
    Entry("erf", _erf, 0.0, ERF_FROM**2, range(7), "f32"),
    Entry("erf", _erf, 0.0, ERF_FROM**2, range(13), "f64"),
    _together(Entry("erfcx", lambda q: _erfcx(q, TURN), _place(0.749, TURN), _place(10.2, TURN), range(11),
                    "f32", _one)),
    _together(Entry("erfcx", lambda q: _erfcx(q, TURN_F64), _place(0.749, TURN_F64), _place(27.4, TURN_F64),
                    range(22), "f64", _one)),
    Entry("log", _log, 0.0, 0.02946, range(4), "f32"),
    Entry("log", _log, 0.0, 0.02946, range(8), "f64"),
    Entry("sine", _sine, 0.0, 0.25, range(5), "f32"),
    Entry("sine", _sine, 0.0, 0.25, range(8), "f64"),
    Entry("binet", _binet, 0.0, 1.0, range(9), "f32"),
    Entry("binet", _binet, 0.0, 1.0, range(20), "f64"),
    Entry("log_gamma", _log_gamma, 0.0, 1.0, range(11), "f32", _half),
    Entry("log_gamma", _log_gamma, 0.0, 1.0, range(22), "f64", _half),
]
