"""Oracles of the error functions and the gamma functions."""

from __future__ import annotations

from typing import Any

import mpmath as mp  # type: ignore[import-untyped]


def erf(x: Any) -> Any:
    return mp.erf(x)


def erfc(x: Any) -> Any:
    return mp.erfc(x) if not x > 1000 else mp.mpf(0)  # which is less than any number of the types


def _pole(x: Any) -> bool:
    return bool(mp.isfinite(x) and x <= 0 and x == mp.floor(x))


def tgamma(x: Any) -> Any:
    """The sign at 0 is that of zero, which mpmath does not have."""
    if x == 0:
        return None
    if mp.isnan(x) or x == -mp.inf or _pole(x):
        return mp.nan
    if x > 2000:
        return mp.inf
    return mp.mpf(0) if x < -2000 else mp.gamma(x)


def lgamma(x: Any) -> Any:
    if mp.isnan(x):
        return mp.nan
    if mp.isinf(x) or _pole(x):
        return mp.inf
    if x > 0:
        return mp.loggamma(x)
    # log |gamma(-a)| = -log |a sin(pi a) / pi| - log gamma(a), with digits for what cancels.
    a = -x
    with mp.extraprec(120):
        sine = mp.sin(mp.pi * (a - mp.nint(a))) / mp.pi
        return -mp.log(abs(a * sine)) - mp.loggamma(a)
