"""Leaves that read and write in each way that there is, with what they give."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import Accumulate, Checked, In, Out, f32, i32, u8
from hvisa.decorated import Compiled

n, m = hvisa.dims("n m")
A32 = np.array([3, -4, 9, 0], np.int32)
F32 = np.array([0.5, -2.0, 7.25, 0.0], np.float32)
TAPS = np.array([0.25, 0.5, 0.25], np.float32)
SCALE = np.float32(1.5)
Z4 = np.zeros(4, np.int32)


@hvisa.leaf
def bounds_forms(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = x.clamp[i - 1] * 100 + x.zero[i + 1]


@hvisa.leaf
def outside(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = x[i + 1]


@hvisa.leaf
def negative(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = x[i - 1]


@hvisa.leaf
def by_zero(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = 7 % x[i]


@hvisa.leaf
def asserted(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    assert x[i] != 9, "nine"
    y[i] = x[i]


@hvisa.leaf
def skipped(y: Checked[i32, n]):
    i = hvisa.grid(n)
    if i == 0:
        y.skip[i - 1] = 5
    y[i] += 1


@hvisa.leaf
def private_array(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    t = hvisa.local(i32, 2, 3)
    for a in range(2):
        for b in range(3):
            t[a, b] = x[b] * (a + 1)
    t[1, i % 3] += 100
    y[i] = t[1, 0] + t[1, 1] + t[0, 2]


@hvisa.leaf
def histogram(x: In[i32, n], h: Accumulate["add", u8, 3]):
    i = hvisa.grid(n)
    h[abs(x[i]) % 3] += 200


@hvisa.leaf
def least_of_all(x: In[i32, n], h: Accumulate["min", i32, 2]):
    i = hvisa.grid(n)
    hvisa.update("min", h[i % 2], x[i])


@hvisa.leaf
def vectors(x: In[f32, 4], y: Out[f32, 4]):
    hvisa.grid(1)
    v = x.vec(4)[0] * 2 + 1.0
    v[2] = 9
    w = hvisa.select(v > 5.0, v, hvisa.splat(v[0], 4))
    y.vec(4)[0] = hvisa.permute(w, 3, 2, 1, 0) + hvisa.fold_lanes("max", x.vec(4)[0])


@hvisa.leaf
def packed(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    v = hvisa.vec(x[i], 1, x[0])
    w = hvisa.vec[i32, 3](7)
    y[i] = hvisa.fold_lanes("add", v * w)


@hvisa.leaf
def constants(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = sum(TAPS[k] * x.clamp[i + k - 1] for k in range(TAPS.shape[0])) * SCALE


@hvisa.leaf
def moved(x: In[i32, n], y: Checked[i32, n]):
    i = hvisa.grid(n)
    y[3 - i] = x[i]


@hvisa.leaf
def two_axes(x: In[i32, n, m], y: Out[i32, m, n]):
    i, j = hvisa.grid(m, n)
    y[i, j] = x[j, i] * 10 + i


@hvisa.leaf
def operations(x: In[i32, n], y: Out[i32, n], z: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = hvisa.popcount(x[i]) + hvisa.clz(x[i]) * 100
    z[i] = hvisa.fma(f32(x[i]), 2.0, 1) + np.sqrt(f32(4)) + np.floor(f32(-0.5))


def scaled_by(factor: int) -> Compiled:
    @hvisa.leaf
    def scaled(x: In[i32, n], y: Out[i32, n]):
        i = hvisa.grid(n)
        y[i] = x[i] * factor
    return scaled


CASES: list[tuple[Any, ...]] = [
    (bounds_forms, (A32,), [296, 309, -400, 900]), (outside, (A32,), "HV0902"),
    (negative, (A32,), "HV0902"), (by_zero, (A32,), "HV0901"), (asserted, (A32,), "HV0903"),
    (skipped, (A32,), [4, -3, 10, 1]), (private_array, (A32,), [107, 107, 7, 107]),
    (histogram, (A32, np.array([1, 2, 3], np.uint8)), [89, 202, 3]),
    (least_of_all, (A32, np.array([5, 5], np.int32)), [3, -4]),
    (vectors, (F32,), [9.25, 16.25, 9.25, 9.25]), (packed, (A32,), [49, 0, 91, 28]),
    (constants, (F32,), [-0.1875, 1.40625, 4.6875, 2.71875]), (moved, (A32, Z4), [0, 9, -4, 3]),
    (two_axes, (np.arange(6, dtype=np.int32).reshape(2, 3),), [[0, 30], [11, 41], [22, 52]]),
    (operations, (A32,), [3002, 30, 2802, 3200], [8, -6, 20, 2]),
    (scaled_by(7), (A32,), [21, -28, 63, 0]),
]
