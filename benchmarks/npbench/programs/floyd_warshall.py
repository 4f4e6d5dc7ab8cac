"""floyd_warshall: the lengths of the shortest ways between all pairs of points; whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, i32


@hvisa.graph
def floyd_warshall(path: InOut[i32, "n", "n"]):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, path[:, k, np.newaxis] + path[k, :])


def reference(path: np.ndarray) -> Any:
    for k in range(len(path)):
        path = np.minimum(path, path[:, [k]] + path[[k], :])
    return path


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    path = rng.integers(1, 100, (size, size), dtype=np.int32)
    path[rng.random((size, size)) < 0.6] = 999
    np.fill_diagonal(path, 0)
    return (path,)
