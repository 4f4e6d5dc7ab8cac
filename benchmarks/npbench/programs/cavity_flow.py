"""cavity_flow: a viscous fluid in a box whose lid moves: a pressure equation solved by sweeps, then a
step of the Navier-Stokes equations for the velocities `u` and `v`."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, f64, index


@hvisa.graph
def cavity_flow(steps: index, sweeps: index, dt: f64, h: f64, rho: f64, nu: f64,
                u: InOut[f64, "n", "n"], v: InOut[f64, "n", "n"], p: InOut[f64, "n", "n"]):
    for _ in range(steps):
        ux, uy = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * h), (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * h)
        vx, vy = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * h), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * h)
        b = rho * ((ux + vy) / dt - ux**2 - 2 * (uy * vx) - vy**2)
        for _ in range(sweeps):
            p[1:-1, 1:-1] = (p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1]) / 4 - h**2 / 4 * b
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0.0
        un, vn = u.copy(), v.copy()
        u[1:-1, 1:-1] = (un[1:-1, 1:-1] - un[1:-1, 1:-1] * dt / h * (un[1:-1, 1:-1] - un[1:-1, :-2])
                         - vn[1:-1, 1:-1] * dt / h * (un[1:-1, 1:-1] - un[:-2, 1:-1])
                         - dt / (2 * rho * h) * (p[1:-1, 2:] - p[1:-1, :-2])
                         + nu * dt / h**2 * (un[1:-1, 2:] + un[1:-1, :-2] + un[2:, 1:-1] + un[:-2, 1:-1]
                                             - 4 * un[1:-1, 1:-1]))
        v[1:-1, 1:-1] = (vn[1:-1, 1:-1] - un[1:-1, 1:-1] * dt / h * (vn[1:-1, 1:-1] - vn[1:-1, :-2])
                         - vn[1:-1, 1:-1] * dt / h * (vn[1:-1, 1:-1] - vn[:-2, 1:-1])
                         - dt / (2 * rho * h) * (p[2:, 1:-1] - p[:-2, 1:-1])
                         + nu * dt / h**2 * (vn[1:-1, 2:] + vn[1:-1, :-2] + vn[2:, 1:-1] + vn[:-2, 1:-1]
                                             - 4 * vn[1:-1, 1:-1]))
        u[0, :] = u[:, 0] = u[:, -1] = 0.0
        u[-1, :] = 1.0
        v[0, :] = v[-1, :] = v[:, 0] = v[:, -1] = 0.0


def reference(steps: int, sweeps: int, dt: float, h: float, rho: float, nu: float, u: np.ndarray,
              v: np.ndarray, p: np.ndarray) -> Any:
    inner = (slice(1, -1), slice(1, -1))

    def around(a: np.ndarray) -> np.ndarray:
        return a[1:-1, 2:] + a[1:-1, :-2] + a[2:, 1:-1] + a[:-2, 1:-1]

    def centred(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (a[1:-1, 2:] - a[1:-1, :-2]) / (2 * h), (a[2:, 1:-1] - a[:-2, 1:-1]) / (2 * h)
    for _ in range(steps):
        (ux, uy), (vx, vy) = centred(u), centred(v)
        b = rho * ((ux + vy) / dt - ux**2 - 2 * uy * vx - vy**2)
        for _ in range(sweeps):
            p[inner] = (around(p) - h * h * b) / 4
            p[:, -1], p[0], p[:, 0], p[-1] = p[:, -2], p[1], p[:, 1], 0.0
            p[0, 0], p[0, -1], p[-1] = p[1, 1], p[1, -1], 0.0
        px, py = centred(p)
        new = [a[inner] - dt / h * (u[inner] * (a[inner] - a[1:-1, :-2])
                                    + v[inner] * (a[inner] - a[:-2, 1:-1]))
               - dt / rho * slope + nu * dt / h**2 * (around(a) - 4 * a[inner])
               for a, slope in ((u, px), (v, py))]
        u[...] = v[...] = 0.0
        u[inner], v[inner] = new
        u[-1] = 1.0
    return u, v, p


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return 3, 8, 1e-4, 2.0 / (size - 1), 1.0, 0.1, *(rng.random((size, size)) for _ in range(3))
