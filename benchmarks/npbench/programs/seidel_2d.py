"""seidel_2d: the mean of the nine points around each one in place, so that each point sees those before
it already changed. One instance walks over all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, f64, index


@hvisa.leaf
def seidel_2d(steps: index, a: InOut[f64, "n", "n"]):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                above = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1]
                beside = a[i, j - 1] + a[i, j] + a[i, j + 1]
                below = a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                a[i, j] = (above + beside + below) / 9.0


def reference(steps: int, a: np.ndarray) -> Any:
    for _ in range(steps):
        for i in range(1, len(a) - 1):
            a[i, 1:-1] += (a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:]
                           + a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:])
            for j in range(1, len(a) - 1):
                a[i, j] = (a[i, j] + a[i, j - 1]) / 9.0
    return a


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 3, rng.random((size, size))
