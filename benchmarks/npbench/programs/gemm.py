"""gemm: a general product of matrices, `C = alpha A B + beta C`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def gemm(alpha: f64, beta: f64, a: In[f64, "m", "k"], b: In[f64, "k", "n"], c: InOut[f64, "m", "n"]):
    c[:] = alpha * a @ b + beta * c


def reference(alpha: float, beta: float, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Any:
    return alpha * (a @ b) + beta * c


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    m, n, k = size, size + 2, size + 5
    return 1.5, 1.2, rng.random((m, k)), rng.random((k, n)), rng.random((m, n))
