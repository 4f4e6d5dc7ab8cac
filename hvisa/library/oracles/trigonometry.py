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
