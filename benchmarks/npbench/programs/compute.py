"""compute: whole-number arithmetic on every element, `clip(A, 2, 10) a + B b + c`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, i64


@hvisa.graph
def compute(x: In[i64, "m", "n"], y: In[i64, "m", "n"], a: i64, b: i64, c: i64) -> Out[i64, "m", "n"]:
    return np.clip(x, 2, 10) * a + y * b + c


def reference(x: np.ndarray, y: np.ndarray, a: int, b: int, c: int) -> Any:
    return np.clip(x, 2, 10) * a + y * b + c


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (*(rng.integers(0, 1000, (size, size + 1)) for _ in range(2)), 4, 3, 9)
