"""vadv: vertical advection of weather models: along each column of cells a tridiagonal system
`a x[k-1] + b x[k] + c x[k+1] = d`, whose coefficients come from the wind, is solved by elimination
upwards and substitution downwards."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def vadv(wind: In[f64, "i", "j", "k"], stage: In[f64, "i", "j", "k"],
         rate: f64) -> Out[f64, "i", "j", "k"]:
    k = stage.shape[2]
    c, d = np.zeros_like(stage), np.zeros_like(stage)
    c[:, :, 0] = 0.25 * wind[:, :, 1] / (rate - 0.25 * wind[:, :, 1])
    d[:, :, 0] = (rate * stage[:, :, 0]
                  - 0.25 * wind[:, :, 1] * (stage[:, :, 1] - stage[:, :, 0])) / (
                      rate - 0.25 * wind[:, :, 1])
    for level in range(1, k - 1):
        below, above = -0.25 * wind[:, :, level], 0.25 * wind[:, :, level + 1]
        right = (rate * stage[:, :, level]
                 - below * (stage[:, :, level - 1] - stage[:, :, level])
                 - above * (stage[:, :, level + 1] - stage[:, :, level]))
        divided = 1.0 / (rate - below - above - c[:, :, level - 1] * below)
        c[:, :, level] = above * divided
        d[:, :, level] = (right - d[:, :, level - 1] * below) * divided
    last = -0.25 * wind[:, :, -1]
    right = rate * stage[:, :, -1] - last * (stage[:, :, -2] - stage[:, :, -1])
    x = np.zeros_like(stage)
    x[:, :, -1] = (right - d[:, :, -2] * last) / (rate - last - c[:, :, -2] * last)
    for level in range(k - 2, -1, -1):
        x[:, :, level] = d[:, :, level] - c[:, :, level] * x[:, :, level + 1]
    return x


def reference(wind: np.ndarray, stage: np.ndarray, rate: float) -> Any:
    k = stage.shape[2]
    below, above = -0.25 * wind, 0.25 * np.roll(wind, -1, axis=2)
    below[:, :, 0] = above[:, :, -1] = 0.0
    matrix = np.zeros((*stage.shape, k))
    step = np.arange(k)
    matrix[:, :, step, step] = rate - below - above
    matrix[:, :, step[1:], step[:-1]] = below[:, :, 1:]
    matrix[:, :, step[:-1], step[1:]] = above[:, :, :-1]
    right = 2.0 * rate * stage - (matrix @ stage[..., None])[..., 0]
    return np.linalg.solve(matrix, right[..., None])[..., 0]


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    shape = (size, size + 1, size // 2 + 3)
    return rng.random(shape), rng.random(shape), 3.0
