"""Kernels that the tests of the front end compile from this file."""

from __future__ import annotations

import numpy as np

import hvisa
from hvisa import Accumulate, In, InOut, Out, Shared, f32, i32, index, u8

n, m = hvisa.dims("n m")
TAPS = np.array([0.25, 0.5, 0.25], np.float32)


@hvisa.func
def square(x):
    if x < 0:
        return -x * x
    return x * x


@hvisa.leaf
def saxpy(a: f32, x: In[f32, "n"], y: InOut[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = a * x[i] + y[i]


@hvisa.leaf
def blur(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = TAPS[0] * x.clamp[i - 1] + TAPS[1] * x[i] + TAPS[2] * x.clamp[i + 1]


@hvisa.leaf
def histogram(x: In[u8, n], h: Accumulate["add", i32, 256]):
    i = hvisa.grid(n)
    h[x[i]] += 1


@hvisa.leaf(effect="nondeterministic")
def tickets(t: Shared[i32, 1], y: Out[i32, "k"], k: index):
    i = hvisa.grid(k)
    y[i] = hvisa.atomic("add", t[0], 1)


@hvisa.leaf
def rows(x: In[f32, n, m], y: Out[f32, n], c: Out[i32, n]):
    i = hvisa.grid(x.shape[0])
    s, best = 0.0, 0
    for k in range(x.shape[1]):
        v = x[i, k]
        if v < 0:
            continue
        s += square(v)
        if s > 10:
            break
        best = k
    y[i] = s + sum(x[i, k] for k in range(x.shape[1]))
    c[i] = best if s > 1 and x[i, best] > 0.5 else -1


@hvisa.leaf(private=True)
def largest(x: In[f32, n, m]) -> f32:
    i = hvisa.grid(n)
    return max(x[i, k] for k in range(m))


@hvisa.leaf
def sort_rows(x: In[i32, n, 8], y: Out[i32, n, 8]):
    r = hvisa.grid(n)
    t = hvisa.local(i32, 8)
    for k in range(8):
        t[k] = x[r, k]
    for a in range(1, 8):
        v = t[a]
        b = a - 1
        while b >= 0 and t[b] > v:
            t[b + 1] = t[b]
            b -= 1
        t[b + 1] = v
    for k in range(7, -1, -1):
        y[r, k] = t[k]


@hvisa.leaf
def quads(x: In[f32, "4*n"], y: Out[f32, "4*n"], n: index):
    i = hvisa.grid(n)
    v = x.vec(4)[4 * i]
    v[1] = 7
    y.vec(4)[4 * i] = v * 2.0 + 1


if __name__ == "__main__":
    raise SystemExit("what a script does is not run")
