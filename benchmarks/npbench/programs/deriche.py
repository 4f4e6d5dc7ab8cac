"""deriche: smoothing of an image by a recursive filter, forwards and backwards along rows, then along
columns; `y1 = a1 x + a2 x' + b1 y' + b2 y''`. The eight coefficients come from outside."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, f32


@hvisa.leaf(private=True)
def along_rows(image: In[f32, "h", "w"], c: In[f32, 6], forward: Out[f32, "h", "w"],
               backward: Out[f32, "h", "w"]):
    y = hvisa.grid("h")
    w = image.shape[1]
    x1, y1, y2 = f32(0), f32(0), f32(0)
    for x in range(w):
        value = c[0] * image[y, x] + c[1] * x1 + c[4] * y1 + c[5] * y2
        x1, y2, y1 = image[y, x], y1, value
        forward[y, x] = value
    x1, x2, y1, y2 = f32(0), f32(0), f32(0), f32(0)
    for x in range(w):
        value = c[2] * x1 + c[3] * x2 + c[4] * y1 + c[5] * y2
        x2, x1, y2, y1 = x1, image[y, w - 1 - x], y1, value
        backward[y, w - 1 - x] = value


@hvisa.graph(private=True)
def rows(image: In[f32, "h", "w"], c: In[f32, 6]) -> Out[f32, "h", "w"]:
    forward, backward = along_rows(image, c)
    return forward + backward


@hvisa.graph
def deriche(image: In[f32, "h", "w"], c: In[f32, 6]) -> Out[f32, "h", "w"]:
    return rows(rows(image, c).T, c).T


def reference(image: np.ndarray, c: np.ndarray) -> Any:
    a1, a2, a3, a4, b1, b2 = c

    def columns(image: np.ndarray) -> np.ndarray:
        zero = np.zeros((2, image.shape[1]), np.float32)
        x, forward, backward = np.vstack([zero, image, zero]), [*zero], [*zero]
        for i in range(2, len(x) - 2):
            forward.append(a1 * x[i] + a2 * x[i - 1] + b1 * forward[-1] + b2 * forward[-2])
        for i in range(len(x) - 3, 1, -1):
            backward.append(a3 * x[i + 1] + a4 * x[i + 2] + b1 * backward[-1] + b2 * backward[-2])
        return np.array(forward[2:]) + np.array(backward[2:])[::-1]
    return columns(columns(image.T).T)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    e = np.exp(-0.25)
    k = (1 - e) ** 2 / (1 + 0.5 * e - e * e)
    c = [k, k * e * (0.25 - 1), k * e * (0.25 + 1), -k * e * e, 2.0**-0.25, -e * e]
    return rng.random((size, size + 3), dtype=np.float32), np.array(c, np.float32)
