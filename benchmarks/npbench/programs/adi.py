"""adi: heat in the plane by alternating directions. Each half step solves a tridiagonal system along
every column, then every row: forward elimination into `p` and `q`, and substitution backwards."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, f64, index


@hvisa.graph
def adi(steps: index, u: InOut[f64, "n", "n"]):
    n = u.shape[0]
    dx, dt = 1.0 / n, 1.0 / steps
    first, second = 2.0 * dt / (dx * dx), dt / (dx * dx)
    a, d = -first / 2.0, -second / 2.0
    b, e = 1.0 + first, 1.0 + second
    v, p, q = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = 1.0
        for j in range(1, n - 1):
            p[1:-1, j] = -a / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (-d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - d * u[j, 2:]
                          - a * q[1:-1, j - 1]) / (a * p[1:-1, j - 1] + b)
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -d / (d * p[1:-1, j - 1] + e)
            q[1:-1, j] = (-a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - a * v[2:, j]
                          - d * q[1:-1, j - 1]) / (d * p[1:-1, j - 1] + e)
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]


def reference(steps: int, u: np.ndarray) -> Any:
    n = len(u)
    first, second = 2.0 * n * n / steps, 1.0 * n * n / steps
    a, d = -first / 2.0, -second / 2.0

    def sweep(low: float, diagonal: float, right: np.ndarray) -> np.ndarray:
        """Systems with ones at both ends, one in each column of `right`."""
        p, q = np.zeros(right.shape), np.ones(right.shape)
        for j in range(1, n - 1):
            p[j] = -low / (low * p[j - 1] + diagonal)
            q[j] = (right[j] - low * q[j - 1]) / (low * p[j - 1] + diagonal)
        found = np.ones(right.shape)
        for j in range(n - 2, 0, -1):
            found[j] = p[j] * found[j + 1] + q[j]
        return found

    v = np.zeros(u.shape)
    for _ in range(steps):
        right = -d * u[:, :-2] + (1.0 + 2.0 * d) * u[:, 1:-1] - d * u[:, 2:]
        v[:, 1:-1] = sweep(a, 1.0 + first, right)
        right = -a * v[:-2] + (1.0 + 2.0 * a) * v[1:-1] - a * v[2:]
        u[1:-1] = sweep(d, 1.0 + second, right.T).T
    return u


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 4, rng.random((size, size))
