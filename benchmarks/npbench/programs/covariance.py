"""covariance: of the columns of a table, each less its mean, `D^T D / (n - 1)`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def covariance(data: In[f64, "n", "m"]) -> Out[f64, "m", "m"]:
    centred = data - np.mean(data, axis=0)
    return centred.T @ centred / (data.shape[0] - 1.0)


def reference(data: np.ndarray) -> Any:
    return np.cov(data, rowvar=False)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (rng.random((size + 3, size)),)
