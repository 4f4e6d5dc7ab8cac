"""heat_3d: the heat equation in space, second differences along three axes, there and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, f64, index


@hvisa.graph
def heat_3d(steps: index, a: InOut[f64, "n", "n", "n"], b: InOut[f64, "n", "n", "n"]):
    for _ in range(1, steps):
        b[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, 1:-1, :-2])
            + a[1:-1, 1:-1, 1:-1])
        a[1:-1, 1:-1, 1:-1] = (
            0.125 * (b[2:, 1:-1, 1:-1] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[:-2, 1:-1, 1:-1])
            + 0.125 * (b[1:-1, 2:, 1:-1] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[1:-1, :-2, 1:-1])
            + 0.125 * (b[1:-1, 1:-1, 2:] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[1:-1, 1:-1, :-2])
            + b[1:-1, 1:-1, 1:-1])


def reference(steps: int, a: np.ndarray, b: np.ndarray) -> Any:
    for _ in range(1, steps):
        for x, y in ((a, b), (b, a)):
            inner = x[1:-1, 1:-1, 1:-1]
            y[1:-1, 1:-1, 1:-1] = inner + 0.125 * (
                x[2:, 1:-1, 1:-1] + x[:-2, 1:-1, 1:-1] + x[1:-1, 2:, 1:-1] + x[1:-1, :-2, 1:-1]
                + x[1:-1, 1:-1, 2:] + x[1:-1, 1:-1, :-2] - 6 * inner)
    return a, b


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 5, rng.random((size,) * 3), rng.random((size,) * 3)
