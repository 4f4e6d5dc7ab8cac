"""fdtd_2d: Maxwell's equations in the plane by finite differences in time: the electric field `(ex, ey)`
and the magnetic field `hz` change each other; a source sets the first row of `ey`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, f64


@hvisa.graph
def fdtd_2d(ex: InOut[f64, "n", "m"], ey: InOut[f64, "n", "m"], hz: InOut[f64, "n", "m"],
            source: In[f64, "t"]):
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def reference(ex: np.ndarray, ey: np.ndarray, hz: np.ndarray, source: np.ndarray) -> Any:
    for value in source:
        ey[0] = value
        ey[1:] -= 0.5 * np.diff(hz, axis=0)
        ex[:, 1:] -= 0.5 * np.diff(hz, axis=1)
        hz[:-1, :-1] -= 0.7 * (np.diff(ex, axis=1)[:-1] + np.diff(ey, axis=0)[:, :-1])
    return ex, ey, hz


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return *(rng.random((size, size + 3)) for _ in range(3)), rng.random(8)
