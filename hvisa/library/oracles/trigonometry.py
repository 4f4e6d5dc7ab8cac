"""Oracles of the trigonometric functions and their inverses.

mpmath numbers have no signed zero: the sign of a zero argument is taken as positive, and results that
depend on it are for the tests of special values.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp  # type: ignore[import-untyped]


def _finite(x: Any, f: Any) -> Any:
    return f(x) if mp.isfinite(x) else mp.nan


def sin(x: Any) -> Any:
    return _finite(x, mp.sin)


def cos(x: Any) -> Any:
    return _finite(x, mp.cos)


sincos = sin


def tan(x: Any) -> Any:
    return _finite(x, mp.tan)


def atan(x: Any) -> Any:
    return mp.atan(x)


def atan2(y: Any, x: Any) -> Any:
    if mp.isnan(x) or mp.isnan(y):
        return mp.nan
    if y == 0 or mp.isinf(x) or mp.isinf(y):
        return None  # by the signs of zeros and infinities: a table of its own
    return mp.atan2(y, x)


def _inside(x: Any, f: Any) -> Any:
    return f(x) if abs(x) <= 1 else mp.nan


def asin(x: Any) -> Any:
    return _inside(x, mp.asin)


def acos(x: Any) -> Any:
    return _inside(x, mp.acos)
