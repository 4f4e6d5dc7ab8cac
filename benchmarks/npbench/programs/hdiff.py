"""hdiff: horizontal diffusion of weather models: the Laplacian of a field, its differences as fluxes
that are zero where they would sharpen the field, and their divergence."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64


@hvisa.graph
def hdiff(x: In[f64, "i + 4", "j + 4", "k"],
          coeff: In[f64, "i", "j", "k"]) -> Out[f64, "i", "j", "k"]:
    lap = 4.0 * x[1:-1, 1:-1, :] - (x[2:, 1:-1, :] + x[:-2, 1:-1, :]
                                    + x[1:-1, 2:, :] + x[1:-1, :-2, :])
    flux = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    along = np.where(flux * (x[2:-1, 2:-2, :] - x[1:-2, 2:-2, :]) > 0, 0.0, flux)
    flux = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    across = np.where(flux * (x[2:-2, 2:-1, :] - x[2:-2, 1:-2, :]) > 0, 0.0, flux)
    return x[2:-2, 2:-2, :] - coeff * (along[1:, :, :] - along[:-1, :, :]
                                       + across[:, 1:, :] - across[:, :-1, :])


def reference(x: np.ndarray, coeff: np.ndarray) -> Any:
    lap = 6.0 * x[1:-1, 1:-1] - x[:-2, 1:-1] - x[1:-1, 1:-1] - x[2:, 1:-1]
    lap -= x[1:-1, :-2] + x[1:-1, 1:-1] + x[1:-1, 2:]
    divergence = 0.0
    for axis in (0, 1):
        other = (slice(None), slice(1, -1)) if axis == 0 else (slice(1, -1), slice(None))
        flux = np.diff(lap[other], axis=axis)
        slope = np.diff(x[1:-1, 1:-1][other], axis=axis)
        flux[flux * slope > 0] = 0.0
        divergence = divergence + np.diff(flux, axis=axis)
    return x[2:-2, 2:-2] - coeff * divergence


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return rng.random((size + 4, size + 5, 3)), rng.random((size, size + 1, 3))
