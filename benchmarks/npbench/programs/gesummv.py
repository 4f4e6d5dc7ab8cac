"""gesummv: a sum of two products of a matrix and a vector, `y = alpha A x + beta B x`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def gesummv(alpha: f64, beta: f64, a: In[f64, "n", "n"], b: In[f64, "n", "n"],
            x: In[f64, "n"]) -> Out[f64, "n"]:
    return alpha * (a @ x) + beta * (b @ x)


def reference(alpha: float, beta: float, a: np.ndarray, b: np.ndarray, x: np.ndarray) -> Any:
    return alpha * (a @ x) + beta * (b @ x)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 1.5, 1.2, rng.random((size, size)), rng.random((size, size)), rng.random(size)
