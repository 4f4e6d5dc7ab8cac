"""What editors have to find nothing wrong with; compiled by no test. See `test_stubs`."""

from __future__ import annotations

import numpy as np

import hvisa
from hvisa import (
    Accumulate,
    Checked,
    In,
    InOut,
    Out,
    Shared,
    Stream,
    f32,
    f64,
    i1,
    i32,
    index,
    u8,
    u32,
    u64,
    vec,
)

n, m = hvisa.dims("n m")
k = hvisa.dims("k")
WEIGHTS = np.array([0.25, 0.5, 0.25], np.float32)


@hvisa.func
def relu(x):
    return x if x > 0 else 0


@hvisa.func
def norm(x: f32, y: f32) -> f32:
    return hvisa.sqrt(x * x + y * y)


@hvisa.leaf
def saxpy(a: f32, x: In[f32, "n"], y: InOut[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = a * x[i] + y[i]


@hvisa.leaf(effect="inexact", fast=("contract",), attributes={"hint": {"unroll": 4}})
def blur(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = WEIGHTS[0] * x.clamp[i - 1] + WEIGHTS[1] * x[i] + 0.25 * x.zero[i + 1]
    y.skip[i + 1] = norm(x[i], 2.0)


@hvisa.leaf
def histogram(x: In[u8, n], h: Accumulate["add", i32, 256], t: Shared[i32, 1], c: Checked[i32, "2*n"]):
    i = hvisa.grid(n)
    h[x[i]] += 1
    hvisa.update("add", h[x[i]], 1)
    old = hvisa.atomic("add", t[0], 1)
    c[2 * i] = old
    hvisa.barrier()


@hvisa.leaf
def rows(x: In[f32, n, m], y: Out[f32, n], best: Out[i32, n]) -> tuple[f32, i1]:
    i = hvisa.grid(x.shape[0])
    s = 0.0
    at = 0
    for j in range(x.shape[1]):
        v = x[i, j]
        if v < 0 or not (v == v and v < 9):
            continue
        s += relu(v) ** 2
        if s > 10:
            break
        at = j
    y[i] = s + sum(x[i, j] for j in range(m)) + max(x[i, j] for j in range(1, m))
    best[i] = at if s > 1 and x[i, at] > 0.5 else -1
    assert s >= 0, "a sum of squares"
    return hvisa.sum(x[i, j] for j in range(m)), hvisa.any(x[i, j] > 0 for j in range(m))


@hvisa.leaf
def sort(x: In[i32, n, 8], y: Out[i32, n, 8]):
    r = hvisa.grid(n)
    t = hvisa.local(i32, 8)
    for a in range(8):
        t[a] = x[r, a]
    for a in range(1, 8):
        v, b = t[a], a - 1
        while b >= 0 and t[b] > v:
            t[b + 1] = t[b]
            b -= 1
        t[b + 1] = v
    for a in range(7, -1, -1):
        y[r, a] = t[a]


@hvisa.leaf
def lanes(x: In[f32, "4*n"], y: Out[f32, "4*n"], n: index, p: vec[f32, 4]):
    i = hvisa.grid(n)
    v = x.vec(4)[4 * i]
    v[1] = 7
    w = v * p + hvisa.vec(1, 2, 3, 4)
    y.vec(4)[4 * i] = hvisa.select(v > 2, w, v * 2.0 + 1)
    y[4 * i] = hvisa.fold_lanes("add", v)


@hvisa.leaf
def numbers(x: In[f32, m, n], y: Out[f64, m, n], z: Out[i32, m, n]):
    i, j = hvisa.grid(m, hvisa.ceildiv(n, 2))
    a, b = x[i, j], i32(x[i, j])
    bits = hvisa.bitcast(u32, a) >> 3
    b = (b // 2 if b % 2 == 0 else 3 * b + 1) & 255
    c = hvisa.popcount(b) ^ ~b | 1 << b
    z[i, j] = c + bits.astype(i32) - hvisa.min(b, 3)
    y[i, j] = b / 2 + hvisa.fma(a, 2.0, a) * b - abs(a) * np.pi + index(2) - (-b)
    hvisa.print("x = {}", x[i, j])
    least, where = hvisa.argmin(x[i, q] for q in range(n))
    y[i, where] = least + float(k)


@hvisa.graph
def pipeline(x: In[f32, n], s: Stream[u8, "h", "w"], y: Out[f32, n]):
    t = blur(x)
    u = hvisa.zeros(f32, n)
    y = saxpy(2.0, t, u)
    last = hvisa.delay(y)
    last.next = y
    return hvisa.collect(y)


out = saxpy(2.0, np.zeros(3, np.float32), np.zeros(3, np.float32), timeout=5)
saxpy.save("saxpy.hvbc")
text: str = saxpy.text
saxpy.graph().save("saxpy.svg")
ports = [p.name for p in saxpy.entry.signature.ports]
print(hvisa.load("saxpy.hvbc").entry()(2.0, out, out), saxpy.module.name, text, ports)


@hvisa.leaf
def noise(seed: u64, k: i32, y: InOut[f32, n, 4], z: InOut[f64, n], w: InOut[u32, n]):
    i = hvisa.grid("n")
    y[i, 0], y[i, 1], y[i, 2], y[i, 3] = hvisa.random_normal4(seed, i)
    z[i] = hvisa.random_uniform(f64, seed, i) + hvisa.random_normal(f64, 1, k, 2)
    w[i] = hvisa.random_bits(u32, seed, i) ^ hvisa.philox4x32(i, 0, 0, 0, k, 0)[1]


@hvisa.graph
def noisy(x: In[f32, n], seed: u64) -> Out[f32, n]:
    return x + hvisa.random_normal(f32, seed, hvisa.arange(x.shape[0]))


one: float = float(hvisa.random_uniform(f32, 1, 2))
