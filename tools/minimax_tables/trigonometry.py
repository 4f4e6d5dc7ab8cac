"""Polynomials of the trigonometric functions and their inverses, in z = x^2.

An odd function is x + x^3 p(z), the cosine 1 - z/2 + z^2 p(z); errors are relative to the function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

from tools.minimax import Entry

TINY = mp.mpf(2)**-60  # keeps weights finite where z is 0
TURN = 0.6169  # (pi/4)^2, and a little more, since the quotient by pi/2 is rounded


def _odd(name: str, f: Callable[[Any], Any], high: float, counts: tuple[int, int]) -> list[Entry]:
    def tail(z: Any) -> Any:
        s = mp.sqrt(z)
        return (f(s) - s) / (z * s)

    def weight(z: Any) -> Any:
        s = mp.sqrt(z)
        return f(s) / (z * s + TINY)
    return [Entry(name, tail, 0.0, high, range(n), type_, weight)
            for n, type_ in zip(counts, ("f32", "f64"), strict=True)]


def _cos(z: Any) -> Any:
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def _cos_weight(z: Any) -> Any:
    return mp.cos(mp.sqrt(z)) / (z**2 + TINY)


TABLE: list[Entry] = [
    *_odd("sin", mp.sin, TURN, (3, 6)),
    Entry("cos", _cos, 0.0, TURN, range(3), "f32", _cos_weight),
    Entry("cos", _cos, 0.0, TURN, range(6), "f64", _cos_weight),
    *_odd("tan", mp.tan, TURN, (7, 14)),
    *_odd("atan", mp.atan, 0.25, (6, 13)),
    *_odd("asin", mp.asin, 0.25, (5, 12)),
]
