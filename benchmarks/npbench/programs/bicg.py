"""bicg: the two products of a step of the biconjugate gradient method, `s = A^T r` and `q = A p`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def bicg(a: In[f64, "m", "n"], p: In[f64, "n"],
         r: In[f64, "m"]) -> tuple[Out[f64, "n"], Out[f64, "m"]]:
    return r @ a, a @ p


def reference(a: np.ndarray, p: np.ndarray, r: np.ndarray) -> Any:
    return r @ a, a @ p


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return rng.random((size, size + 5)), rng.random(size + 5), rng.random(size)
