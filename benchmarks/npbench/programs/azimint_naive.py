"""azimint_naive: the mean of samples by their distance from a centre, in rings of equal width; a ring
without samples gives 0."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64, index


@hvisa.graph
def azimint_naive(data: In[f64, "n"], radius: In[f64, "n"], rings: index) -> Out[f64, "rings"]:
    widest = radius.max()
    found = np.zeros(rings)
    for i in range(rings):
        inside = (widest * i / rings <= radius) & (radius < widest * (i + 1) / rings)
        count = np.sum(inside)
        total = np.sum(np.where(inside, data, 0.0))
        found[i] = np.where(count > 0, total / np.maximum(count, 1), 0.0)
    return found


def reference(data: np.ndarray, radius: np.ndarray, rings: int) -> Any:
    widest = radius.max()
    found = np.zeros(rings)
    for i in range(rings):
        inside = (widest * i / rings <= radius) & (radius < widest * (i + 1) / rings)
        if inside.any():
            found[i] = data[inside].mean()
    return found


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return rng.random(size * size), rng.random(size * size), 10
