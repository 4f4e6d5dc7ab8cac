"""cholesky: `A = L L^T` of a positive definite matrix in place, column by column; the upper triangle
stays."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, f64


@hvisa.graph
def cholesky(a: InOut[f64, "n", "n"]):
    for j in range(a.shape[0]):
        a[j:, j] -= a[j:, :j] @ a[j, :j]
        a[j, j] = np.sqrt(a[j, j])
        a[j + 1:, j] /= a[j, j]


def reference(a: np.ndarray) -> Any:
    return np.tril(np.linalg.cholesky(a)) + np.triu(a, 1)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    a = rng.random((size, size))
    return (a @ a.T + size * np.eye(size),)
