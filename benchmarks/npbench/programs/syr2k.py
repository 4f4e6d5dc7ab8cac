"""syr2k: the lower triangle of `C = alpha (A B^T + B A^T) + beta C`, as rank-one steps."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def syr2k(alpha: f64, beta: f64, c: InOut[f64, "n", "n"], a: In[f64, "n", "m"], b: In[f64, "n", "m"]):
    for i in range(a.shape[0]):
        c[i, :i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, :i + 1] += a[:i + 1, k] * alpha * b[i, k] + b[:i + 1, k] * alpha * a[i, k]


def reference(alpha: float, beta: float, c: np.ndarray, a: np.ndarray, b: np.ndarray) -> Any:
    return np.where(np.tri(len(c), dtype=bool), beta * c + alpha * (a @ b.T + b @ a.T), c)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 1.5, 1.2, rng.random((size, size)), rng.random((size, size + 2)), rng.random((size, size + 2))
