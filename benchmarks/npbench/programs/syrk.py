"""syrk: the lower triangle of `C = alpha A A^T + beta C`, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def syrk(alpha: f64, beta: f64, c: InOut[f64, "n", "n"], a: In[f64, "n", "m"]):
    for i in range(a.shape[0]):
        c[i, :i + 1] = beta * c[i, :i + 1] + alpha * (a[:i + 1] @ a[i])


def reference(alpha: float, beta: float, c: np.ndarray, a: np.ndarray) -> Any:
    return np.where(np.tri(len(c), dtype=bool), beta * c + alpha * (a @ a.T), c)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 1.5, 1.2, rng.random((size, size)), rng.random((size, size + 4))
