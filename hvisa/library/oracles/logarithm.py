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
    return x if mp.isinf(x) else mp.log1p(x)


def asinh(x: Any) -> Any:
    if mp.isnan(x) or mp.isinf(x) or x == 0:
        return x
    a = abs(x)
    found = mp.log1p(a + a**2 / (1 + mp.sqrt(1 + a**2)))
    return -found if x < 0 else found


def acosh(x: Any) -> Any:
    if mp.isnan(x) or x < 1:
        return mp.nan
    return x if mp.isinf(x) else mp.log1p((x - 1) + mp.sqrt((x - 1) * (x + 1)))


def atanh(x: Any) -> Any:
    if mp.isnan(x) or abs(x) > 1:
        return mp.nan
    if abs(x) == 1:
        return x * mp.inf
    return mp.log1p(2 * x / (1 - x)) / 2


def pow(x: Any, y: Any) -> Any:
    """C23, F.10.4.5."""
    if x == 1 or y == 0:
        return mp.mpf(1)
    if mp.isnan(x) or mp.isnan(y):
        return mp.nan
    if mp.isinf(y):
        above = abs(x) > 1
        return mp.mpf(1) if x == -1 else mp.inf if above == (y > 0) else mp.mpf(0)
    odd = mp.isint(y) and int(y) % 2 == 1
    # The sign of a zero is not told: mpmath has none, and the base's own would be needed.
    sign = -1 if odd and x < 0 else 1
    if x == 0 or mp.isinf(x):
        if (x == 0) == (y > 0):
            return mp.mpf(0)
        return None if x == 0 and odd else sign * mp.inf
    if x < 0 and not mp.isint(y):
        return mp.nan
    with mp.workprec(300):
        power = y * mp.log(abs(x), 2)
        if abs(power) > 3000:
            return sign * mp.mpf(2)**(3000 if power > 0 else -3000)
        return sign * mp.mpf(2)**power


def powi(x: Any, n: int) -> Any:
    return pow(x, mp.mpf(n)) if n == 0 or not mp.isnan(x) else mp.nan


def rsqrt(x: Any) -> Any:
    if mp.isnan(x) or x < 0:
        return mp.nan
    if x == 0:
        return None  # infinite, with the sign of the zero
    return mp.mpf(0) if mp.isinf(x) else 1 / mp.sqrt(x)


def cbrt(x: Any) -> Any:
    if mp.isnan(x) or mp.isinf(x):
        return x
    return mp.cbrt(x) if x >= 0 else -mp.cbrt(-x)


def hypot(x: Any, y: Any) -> Any:
    if mp.isinf(x) or mp.isinf(y):
        return mp.inf
    if mp.isnan(x) or mp.isnan(y):
        return mp.nan
    return mp.sqrt(x**2 + y**2)
