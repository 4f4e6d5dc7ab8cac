"""trisolv: `L x = b` for a lower triangular matrix, by forward substitution."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def trisolv(l: In[f64, "n", "n"], b: In[f64, "n"]) -> Out[f64, "n"]:
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


def reference(l: np.ndarray, b: np.ndarray) -> Any:
    return np.linalg.solve(np.tril(l), b)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return rng.random((size, size)) / size + np.eye(size), rng.random(size)
