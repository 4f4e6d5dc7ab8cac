"""ludcmp: `A x = b` by `A = L U`, a forward and a backward substitution."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, Out, f64


@hvisa.graph
def ludcmp(a: InOut[f64, "n", "n"], b: In[f64, "n"]) -> tuple[Out[f64, "n"], Out[f64, "n"]]:
    n = a.shape[0]
    for k in range(n - 1):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    x, y = np.zeros_like(b), np.zeros_like(b)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1:] @ x[i + 1:]) / a[i, i]
    return x, y


def reference(a: np.ndarray, b: np.ndarray) -> Any:
    x = np.linalg.solve(a, b)
    for k in range(len(a) - 1):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= a[k + 1:, k, None] * a[k, k + 1:]
    return a, x, np.triu(a) @ x


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return rng.random((size, size)) + size * np.eye(size), rng.random(size)
