"""Oracles of exp and its kin."""

from __future__ import annotations

from typing import Any

import mpmath as mp  # type: ignore[import-untyped]


def exp(x: Any) -> Any:
    return mp.exp(x)


def exp2(x: Any) -> Any:
    return mp.power(2, x)


def exp10(x: Any) -> Any:
    return mp.power(10, x)


def expm1(x: Any) -> Any:
    return mp.expm1(x)


def sinh(x: Any) -> Any:
    return mp.sinh(x)


def cosh(x: Any) -> Any:
    return mp.cosh(x)


def tanh(x: Any) -> Any:
    return mp.tanh(x)
