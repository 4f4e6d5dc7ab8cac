"""Values that travel, are swapped, meet themselves in place or are empty: as numpy has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hvisa
from hvisa import In, InOut, Out, f32, i1, i32, i64, index

CASES: list[Any] = []


def case(name: str, function: Any, arguments: tuple[Any, ...], wanted: Any) -> None:
    CASES.append(pytest.param(function, arguments, wanted, id=name))


n, m = hvisa.dims("n m")


@hvisa.graph
def swap(a: InOut[f32, n], b: InOut[f32, n], k: index):
    for _ in range(k):
        a, b = b, a * 2


@hvisa.graph
def rev(a: InOut[f32, n]):
    a += a[::-1]


@hvisa.graph
def tr(a: InOut[f32, n, n]):
    a[:] = a.T


@hvisa.graph
def shift(a: InOut[f32, n]):
    a[1:] = a[:-1]


@hvisa.graph
def shift2(a: InOut[f32, n]):
    a[:-1] = a[1:] + a[:-1]


@hvisa.graph
def twice(x: In[f32, n]) -> tuple[Out[f32, n], Out[f32, n]]:
    y = x + 1
    return y, y


@hvisa.graph
def ident(x: In[f32, n]) -> Out[f32, n]:
    return x


@hvisa.graph
def zero(x: In[f32, n], k: index) -> Out[f32, n]:
    y = x
    for _ in range(k):
        y = y * 2
    return y


@hvisa.graph
def branch(x: In[f32, n], c: i1) -> Out[f32, n]:
    if c:
        y = x
    else:
        y = x * 3
    return y


@hvisa.leaf
def inc(x: InOut[f32, n]):
    i = hvisa.grid(n)
    x[i] = x[i] + 1


@hvisa.graph
def two_uses(x: In[f32, n]) -> tuple[Out[f32, n], Out[f32, n]]:
    a = x * 2
    b = inc(a)
    return a + 0, b


@hvisa.graph
def inout_in(x: In[f32, n]) -> tuple[Out[f32, n], Out[f32, n]]:
    b = inc(x)
    return b, x + b


@hvisa.graph
def nested(x: In[f32, n, m]) -> Out[f32, n, m]:
    y = x * 1
    for i in range(n):
        for j in range(m):
            y[i, j] = y[i, j] * (i + 1) + j
    return y


@hvisa.graph
def nevercalled(x: InOut[f32, n], y: In[f32, n]) -> f32:
    return hvisa.sum(y)


@hvisa.graph
def emptysum(x: In[f32, n, m]) -> Out[f32, n]:
    return hvisa.sum(x, axis=1)


@hvisa.graph
def argm(x: In[f32, n, m]) -> Out[i64, n]:
    return hvisa.argmax(x, axis=1)


@hvisa.graph
def boolsum(x: In[f32, n]) -> i64:
    return hvisa.sum(x > 0)


@hvisa.graph
def bc(x: In[f32, n, 1], y: In[f32, 1, m]) -> Out[f32, n, m]:
    return x * y + x


x = np.arange(1, 6, dtype=np.float32)
z = np.arange(5, 10, dtype=np.float32)


def pswap(a, b, k):
    for _ in range(k):
        a, b = b, a * 2
    return a, b


for k in (0, 1, 2, 3):
    case(f"swap{k}", swap, (x, z, k), pswap(x, z, k))
case("rev", rev, (x,), x + x[::-1])
A = np.arange(9, dtype=np.float32).reshape(3, 3)
case("tr", tr, (A,), A.T)
w = x.copy()
w[1:] = x[:-1]
case("shift", shift, (x,), w)
w = x.copy()
w[:-1] = x[1:] + x[:-1]
case("shift2", shift2, (x,), w)
case("twice", twice, (x,), (x + 1, x + 1))
case("ident", ident, (x,), x)
for k in (0, 2):
    case("zero", zero, (x, k), x * 2**k)
for c in (True, False):
    case("branch", branch, (x, c), x if c else x * 3)
case("two_uses", two_uses, (x,), (x * 2, x * 2 + 1))
case("inout_in", inout_in, (x,), (x + 1, x + x + 1))
B = np.arange(6, dtype=np.float32).reshape(2, 3)
w = B.copy()
for i in range(2):
    for j in range(3):
        w[i, j] = w[i, j] * (i + 1) + j
case("nested", nested, (B,), w)
case("never", nevercalled, (x, z), (x, z.sum()))
case("emptysum", emptysum, (np.zeros((2, 0), np.float32),), np.zeros(2, np.float32))
case("empty rows", emptysum, (np.zeros((0, 3), np.float32),), np.zeros(0, np.float32))
C = np.array([[1, np.nan, 3], [2, 2, 1]], np.float32)
case("argm", argm, (C,), np.argmax(C, 1))
case("boolsum", boolsum, (np.array([1, -1, 2], np.float32),), 2)
case("bc", bc, (x[:, None].copy(), z[None].copy()), x[:, None] * z[None] + x[:, None])


@hvisa.leaf
def lswap(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    a, b = 0, 1
    for _ in range(x[i]):
        a, b = b, a + b
    y[i] = a


def fib(k):
    a, b = 0, 1
    for _ in range(k):
        a, b = b, a + b
    return a


case("fib", lswap, (np.arange(8, dtype=np.int32),), np.array([fib(k) for k in range(8)], np.int32))


@hvisa.leaf
def nest(x: In[i32, n, m], y: Out[i32, n]):
    r = hvisa.grid(n)
    total = 0
    for a in range(m):
        for b in range(m):
            if x[r, b] == a:
                break
            if x[r, b] > 3:
                continue
            total += x[r, b]
        else:
            total += 100
        if total > 250:
            y[r] = -total
            return
    y[r] = total


def pn(x):
    o = []
    for row in x:
        t = 0
        done = False
        for a in range(len(row)):
            for b in range(len(row)):
                if row[b] == a:
                    break
                if row[b] > 3:
                    continue
                t += int(row[b])
            else:
                t += 100
            if t > 250:
                o.append(-t)
                done = True
                break
        if not done:
            o.append(t)
    return np.array(o, np.int32)


R = np.random.default_rng(0).integers(0, 8, (6, 5)).astype(np.int32)
case("nest", nest, (R,), pn(R))


@hvisa.leaf
def guard(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = 1 if (i > 0 and x[i - 1] == 2) or (x[i] == 5 and 10 // x[i] == 2) else 0


case("guard", guard, (np.array([2, 0, 5, 2], np.int32),), np.array([0, 1, 1, 0], np.int32))


@pytest.mark.parametrize("device", ["reference", "x86", "multicore"])
@pytest.mark.parametrize(("function", "arguments", "wanted"), CASES)
def test_as_numpy_has_it(function: Any, arguments: tuple[Any, ...], wanted: Any, device: str) -> None:
    passed = [v.copy() if isinstance(v, np.ndarray) else v for v in arguments]
    found = function(*passed, device=device)
    for mine, theirs in zip(
        found if isinstance(found, tuple) else (found,),
        wanted if isinstance(wanted, tuple) else (wanted,),
        strict=True,
    ):
        assert np.array_equal(np.asarray(mine), np.asarray(theirs), equal_nan=True)
