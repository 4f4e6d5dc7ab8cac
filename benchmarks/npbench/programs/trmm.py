"""trmm: a product with a triangular matrix of unit diagonal in place, `B = alpha L^T B`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def trmm(alpha: f64, a: In[f64, "m", "m"], b: InOut[f64, "m", "n"]):
    for i in range(b.shape[0]):
        b[i] += a[i + 1:, i] @ b[i + 1:]
    b *= alpha


def reference(alpha: float, a: np.ndarray, b: np.ndarray) -> Any:
    return alpha * ((np.tril(a, -1) + np.eye(len(a))).T @ b)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 1.5, rng.random((size, size)), rng.random((size, size + 3))
