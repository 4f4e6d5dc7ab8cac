"""mandelbrot: in which step `z = z^2 + c` leaves a circle of radius 2, for a grid of points `c`; 0 for
those that stay. Real and imaginary parts are arrays of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f64, i32, index


@hvisa.graph
def mandelbrot(x: In[f64, "n"], y: In[f64, "m"], steps: index) -> Out[i32, "m", "n"]:
    re, im = np.zeros((len(y), len(x))), np.zeros((len(y), len(x)))
    count = np.zeros((len(y), len(x)), dtype=np.int32)
    for _ in range(steps):
        inside = re * re + im * im < 4.0
        count[inside] += 1
        re, im = (np.where(inside, re * re - im * im + x, re),
                  np.where(inside, 2.0 * re * im + y[:, None], im))
    count[re * re + im * im < 4.0] = 0
    return count


def reference(x: np.ndarray, y: np.ndarray, steps: int) -> Any:
    c = x + 1j * y[:, None]
    z, count = np.zeros(c.shape, complex), np.zeros(c.shape, np.int32)
    for _ in range(steps):
        inside = z.real**2 + z.imag**2 < 4.0
        count[inside] += 1
        z[inside] = z[inside] ** 2 + c[inside]
    count[z.real**2 + z.imag**2 < 4.0] = 0
    return count


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    # Off the axes, where rounding decides nothing within so few steps.
    return np.linspace(-2.03, 0.61, size), np.linspace(-1.27, 1.21, size + 1), 12
