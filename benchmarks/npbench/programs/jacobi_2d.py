"""jacobi_2d: the mean of each point and its four neighbours, from one array into the other and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, f64, index


@hvisa.graph
def jacobi_2d(steps: index, a: InOut[f64, "n", "n"], b: InOut[f64, "n", "n"]):
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def reference(steps: int, a: np.ndarray, b: np.ndarray) -> Any:
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a, b


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 10, rng.random((size, size)), rng.random((size, size))
