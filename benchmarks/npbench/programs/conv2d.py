"""conv2d: a layer of convolutions without padding: images `(batch, height, width, in)` and square
filters `(k, k, in, out)`, and a bias for each output channel. The taps are added up one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def conv2d(x: In[f32, "b", "h", "w", "ci"], filters: In[f32, 3, 3, "ci", "co"],
           bias: In[f32, "co"]) -> Out[f32, "b", "h - 2", "w - 2", "co"]:
    h, w = x.shape[1] - 2, x.shape[2] - 2
    y = np.zeros((x.shape[0], h, w, bias.shape[0]), dtype=np.float32)
    for i in range(3):
        for j in range(3):
            y += x[:, i:i + h, j:j + w] @ filters[i, j]
    return y + bias


def reference(x: np.ndarray, filters: np.ndarray, bias: np.ndarray) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))
    return np.einsum("bhwcij,ijco->bhwo", windows, filters) + bias


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (rng.random((2, size + 2, size + 3, 3), dtype=np.float32),
            rng.random((3, 3, 3, 4), dtype=np.float32), rng.random(4, dtype=np.float32))
