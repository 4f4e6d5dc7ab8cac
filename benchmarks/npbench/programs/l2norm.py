"""l2norm: vectors, one in each row, over their Euclidean lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def l2norm(x: In[f32, "m", "n"]) -> Out[f32, "m", "n"]:
    return x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))


def reference(x: np.ndarray) -> Any:
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (rng.random((size, size + 7), dtype=np.float32),)
