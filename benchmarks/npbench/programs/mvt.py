"""mvt: products of a matrix and of its transpose with vectors, added up: `x += A y`, `z += A^T w`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def mvt(x: InOut[f64, "n"], z: InOut[f64, "n"], y: In[f64, "n"], w: In[f64, "n"],
        a: In[f64, "n", "n"]):
    x += a @ y
    z += w @ a


def reference(x: np.ndarray, z: np.ndarray, y: np.ndarray, w: np.ndarray, a: np.ndarray) -> Any:
    return x + a @ y, z + a.T @ w


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return *(rng.random(size) for _ in range(4)), rng.random((size, size))
