"""3mm: the product of two products, `G = (A B) (C D)`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def k3mm(a: In[f64, "m", "k"], b: In[f64, "k", "n"], c: In[f64, "n", "p"],
         d: In[f64, "p", "q"]) -> Out[f64, "m", "q"]:
    return (a @ b) @ (c @ d)


def reference(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> Any:
    return (a @ b) @ (c @ d)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    m, k, n, p, q = (size + x for x in range(5))
    return rng.random((m, k)), rng.random((k, n)), rng.random((n, p)), rng.random((p, q))
