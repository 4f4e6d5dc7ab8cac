"""nbody: bodies that attract each other, moved by leapfrog steps; softened gravity
`a_i = G sum_j m_j (x_j - x_i) / (|x_j - x_i|^2 + s^2)^(3/2)`, and the energies after each step."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, InOut, Out, f64, index


@hvisa.graph(private=True)
def acceleration(pos: In[f64, "n", 3], mass: In[f64, "n"], g: f64,
                 soft: f64) -> Out[f64, "n", 3]:
    d = pos[np.newaxis, :, :] - pos[:, np.newaxis, :]
    squares = np.sum(d * d, axis=2) + soft * soft
    weights = g * mass / (squares * np.sqrt(squares))
    return np.sum(d * weights[:, :, np.newaxis], axis=1)


@hvisa.graph
def nbody(mass: In[f64, "n"], pos: InOut[f64, "n", 3], vel: InOut[f64, "n", 3], steps: index, dt: f64,
          g: f64, soft: f64) -> Out[f64, "steps"]:
    vel -= np.mean(mass[:, np.newaxis] * vel, axis=0) / np.mean(mass)
    acc = acceleration(pos, mass, g, soft)
    kinetic = np.zeros(steps)
    for step in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos, mass, g, soft)
        vel += acc * dt / 2.0
        kinetic[step] = 0.5 * np.sum(mass[:, np.newaxis] * vel * vel)
    return kinetic


def reference(mass: np.ndarray, pos: np.ndarray, vel: np.ndarray, steps: int, dt: float, g: float,
              soft: float) -> Any:
    def pull() -> np.ndarray:
        d = pos[None] - pos[:, None]
        inverse = ((d**2).sum(axis=2) + soft**2) ** -1.5
        return g * np.einsum("ijk,ij,j->ik", d, inverse, mass)
    vel -= np.mean(mass[:, None] * vel, axis=0) / np.mean(mass)
    acc, kinetic = pull(), np.zeros(steps)
    for step in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = pull()
        vel += acc * dt / 2.0
        kinetic[step] = 0.5 * np.sum(mass[:, None] * vel**2)
    return pos, vel, kinetic


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (20.0 * rng.random(size) / size, rng.standard_normal((size, 3)),
            rng.standard_normal((size, 3)), 5, 0.01, 1.0, 0.1)
