"""Oracles of log and its kin, and of the powers."""

from __future__ import annotations

from typing import Any

import mpmath as mp  # type: ignore[import-untyped]


def _log(x: Any, base: int) -> Any:
    if mp.isnan(x) or x < 0:
        return mp.nan
    if x == 0:
        return -mp.inf
    return x if mp.isinf(x) else mp.log(x) / (mp.log(base) if base else 1)


def log(x: Any) -> Any:
    return _log(x, 0)


def log2(x: Any) -> Any:
    return _log(x, 2)


def log10(x: Any) -> Any:
    return _log(x, 10)


def log1p(x: Any) -> Any:
    if mp.isnan(x) or x < -1:
        return mp.nan
    if x == -1:
        return -mp.inf
    return x if mp.isinf(x) else _precisely(mp.log1p, x)


def _precisely(f: Any, x: Any) -> Any:
    """f(x), with digits enough for a small x next to 1."""
    lost = -int(mp.floor(mp.log(abs(x), 2))) if x else 0
    with mp.workprec(300 + 2 * max(lost, 0)):
        return f(x)


def asinh(x: Any) -> Any:
    if mp.isnan(x) or mp.isinf(x) or x == 0:
        return x
    sign = -1 if x < 0 else 1
    return sign * _precisely(lambda a: mp.log1p(a + a**2 / (1 + mp.sqrt(1 + a**2))), abs(x))


def acosh(x: Any) -> Any:
    if mp.isnan(x) or x < 1:
        return mp.nan
    return x if mp.isinf(x) else mp.log1p((x - 1) + mp.sqrt((x - 1) * (x + 1)))


def atanh(x: Any) -> Any:
    if mp.isnan(x) or abs(x) > 1:
        return mp.nan
    if abs(x) == 1:
        return x * mp.inf
    return _precisely(lambda a: mp.log1p(2 * a / (1 - a)) / 2, x)
