"""gemver: a matrix changed by two outer products, and products with it: `A += u1 v1^T + u2 v2^T`,
`x += beta A^T y + z`, `w += alpha A x`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def gemver(alpha: f64, beta: f64, a: InOut[f64, "n", "n"], u1: In[f64, "n"], v1: In[f64, "n"],
           u2: In[f64, "n"], v2: In[f64, "n"], w: InOut[f64, "n"], x: InOut[f64, "n"],
           y: In[f64, "n"], z: In[f64, "n"]):
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ a + z
    w += alpha * a @ x


def reference(alpha: float, beta: float, a: np.ndarray, u1: np.ndarray, v1: np.ndarray, u2: np.ndarray,
              v2: np.ndarray, w: np.ndarray, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> Any:
    a = a + u1[:, None] * v1 + u2[:, None] * v2
    x = x + beta * (a.T @ y) + z
    return a, w + alpha * (a @ x), x


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 1.5, 1.2, rng.random((size, size)), *(rng.random(size) for _ in range(8))
