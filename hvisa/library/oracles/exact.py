"""Oracles of the functions whose results are exact. mpmath numbers have no signed zero: what depends on its
sign is for the tests."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath as mp  # type: ignore[import-untyped]


def _fraction(x: Any) -> Fraction:
    return Fraction(float(x))  # arguments are numbers of the types, which are floats


def copysign(x: Any, y: Any) -> Any:
    return None if y == 0 else -abs(x) if y < 0 else abs(x)


def round_half_even(x: Any) -> Any:
    return mp.mpf(round(_fraction(x))) if mp.isfinite(x) else x


def ldexp(x: Any, n: int) -> Any:
    return mp.ldexp(x, n) if mp.isfinite(x) else x


def frexp(x: Any) -> tuple[Any, Any]:
    return (*mp.frexp(x),) if mp.isfinite(x) else (x, 0)


def modf(x: Any) -> tuple[Any, Any]:
    if mp.isnan(x) or mp.isinf(x):
        return (x if mp.isnan(x) else mp.mpf(0)), x
    whole = math.trunc(_fraction(x))
    return x - whole, mp.mpf(whole)


def nextafter(x: Any, y: Any) -> Any:
    return None  # it depends on the type


def _rest(x: Any, y: Any, whole: Any) -> Any:
    if mp.isnan(x) or mp.isnan(y) or mp.isinf(x) or y == 0:
        return mp.nan
    if mp.isinf(y):
        return x
    a, b = _fraction(x), _fraction(y)
    rest = a - whole(a / b) * b
    return mp.mpf(rest.numerator) / rest.denominator


def fmod(x: Any, y: Any) -> Any:
    return _rest(x, y, math.trunc)


def remainder(x: Any, y: Any) -> Any:
    return _rest(x, y, round)
