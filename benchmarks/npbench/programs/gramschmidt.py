"""gramschmidt: `A = Q R` with orthonormal columns of `Q`, by the modified Gram-Schmidt process."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, Out, f64


@hvisa.graph
def gramschmidt(a: InOut[f64, "m", "n"]) -> tuple[Out[f64, "m", "n"], Out[f64, "n", "n"]]:
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1:] = q[:, k] @ a[:, k + 1:]
        a[:, k + 1:] -= np.outer(q[:, k], r[k, k + 1:])
    return q, r


def reference(a: np.ndarray) -> Any:
    q, r = np.linalg.qr(a)
    signs = np.sign(np.diag(r))
    q, r = q * signs, r * signs[:, None]
    for k in range(a.shape[1]):
        a[:, k + 1:] -= np.outer(q[:, k], q[:, k] @ a[:, k + 1:])
    return a, q, r


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (rng.random((size + 4, size)),)
