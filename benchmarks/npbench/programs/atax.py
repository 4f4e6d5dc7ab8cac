"""atax: a matrix and its transpose applied one after the other, `y = A^T (A x)`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def atax(a: In[f64, "m", "n"], x: In[f64, "n"]) -> Out[f64, "n"]:
    return (a @ x) @ a


def reference(a: np.ndarray, x: np.ndarray) -> Any:
    return (a @ x) @ a


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return rng.random((size, size + 3)), rng.random(size + 3)
