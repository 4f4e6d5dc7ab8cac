"""doitgen: each row of a three-dimensional array times a matrix,
`A[r, q, :] = A[r, q, :] C`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def doitgen(a: InOut[f64, "r", "q", "p"], c: In[f64, "p", "p"]):
    a[:] = a @ c


def reference(a: np.ndarray, c: np.ndarray) -> Any:
    return a @ c


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return rng.random((size, size + 1, size + 2)), rng.random((size + 2, size + 2))
