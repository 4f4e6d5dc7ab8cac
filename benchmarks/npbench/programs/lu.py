"""lu: `A = L U` in place without pivots; `L` has ones on its diagonal, which is not stored."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, f64


@hvisa.graph
def lu(a: InOut[f64, "n", "n"]):
    for k in range(a.shape[0] - 1):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])


def reference(a: np.ndarray) -> Any:
    for i in range(len(a)):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, len(a)):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (rng.random((size, size)) + size * np.eye(size),)
