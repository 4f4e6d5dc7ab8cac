"""correlation: of the columns of a table, each less its mean and over its standard deviation."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def correlation(data: In[f64, "n", "m"]) -> Out[f64, "m", "m"]:
    centred = data - data.mean(axis=0)
    deviation = np.sqrt(np.mean(centred * centred, axis=0))
    deviation = np.where(deviation <= 0.1, 1.0, deviation)
    centred = centred / (np.sqrt(data.shape[0]) * deviation)
    found = centred.T @ centred
    for i in range(data.shape[1]):
        found[i, i] = 1.0
    return found


def reference(data: np.ndarray) -> Any:
    centred = data - data.mean(axis=0)
    deviation = data.std(axis=0)
    deviation[deviation <= 0.1] = 1.0
    centred = centred / (np.sqrt(len(data)) * deviation)
    found = centred.T @ centred
    np.fill_diagonal(found, 1.0)
    return found


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (rng.random((size + 3, size)),)
