"""2mm: two products of matrices in a row, `D = alpha A B C + beta D`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def k2mm(alpha: f64, beta: f64, a: In[f64, "m", "k"], b: In[f64, "k", "n"], c: In[f64, "n", "l"],
         d: InOut[f64, "m", "l"]):
    d[:] = alpha * a @ b @ c + beta * d


def reference(alpha: float, beta: float, a: np.ndarray, b: np.ndarray, c: np.ndarray,
              d: np.ndarray) -> Any:
    return alpha * (a @ b @ c) + beta * d


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    m, k, n, p = size, size + 3, size + 1, size + 4
    return (1.5, 1.2, rng.random((m, k)), rng.random((k, n)), rng.random((n, p)), rng.random((m, p)))
