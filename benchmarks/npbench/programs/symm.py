"""symm: a product with a symmetric matrix of which the lower triangle is stored,
`C = alpha A B + beta C`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def symm(alpha: f64, beta: f64, c: InOut[f64, "m", "n"], a: In[f64, "m", "m"], b: In[f64, "m", "n"]):
    c *= beta
    for i in range(c.shape[0]):
        c[:i] += alpha * a[i, :i, np.newaxis] * b[i]
        c[i] += alpha * (b[i] * a[i, i] + a[i, :i] @ b[:i])


def reference(alpha: float, beta: float, c: np.ndarray, a: np.ndarray, b: np.ndarray) -> Any:
    full = np.tril(a) + np.tril(a, -1).T
    return alpha * (full @ b) + beta * c


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 1.5, 1.2, rng.random((size, size + 1)), rng.random((size, size)), rng.random((size, size + 1))
