"""durbin: a Toeplitz system `T y = -r` whose first column is `1, r[0], r[1], ...`, by Durbin's
recursion: each step mixes the solution with itself turned round."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def durbin(r: In[f64, "n"]) -> Out[f64, "n"]:
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def reference(r: np.ndarray) -> Any:
    column = np.concatenate([[1.0], r[:-1]])
    places = np.arange(len(r))
    return np.linalg.solve(column[np.abs(places[:, None] - places)], -r)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (0.4 * rng.random(size) / np.arange(1, size + 1) ** 2,)
