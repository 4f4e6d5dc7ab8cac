"""numpy's ways with arrays in a graph: each function here is run by numpy and by hvisa, on two devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hvisa
from hvisa import HvisaError, In, InOut, Out, f32, f64, i1, i32, i64, index, u8

n, m, k, p = hvisa.dims("n m k p")
RNG = np.random.default_rng(11)
A, B = RNG.standard_normal((2, 5, 6))
V, W = RNG.standard_normal(6), RNG.standard_normal(5)
I = RNG.integers(-9, 9, (5, 6)).astype(np.int32)
T = RNG.standard_normal((2, 5, 6))
U = RNG.integers(0, 256, 7).astype(np.uint8)


@hvisa.graph
def new_axes(v: In[f64, n], w: In[f64, m]) -> Out[f64, m, n]:
    return v[None, :] - w[:, np.newaxis] + v[np.newaxis] * w[..., None]


@hvisa.graph
def steps(x: In[f64, n, m]) -> tuple[Out[f64, "ceildiv(n, 2)", m], Out[f64, n, m], Out[f64, "m - 1"]]:
    return x[::2, ::-1], x[::-1], x[-1, -1:0:-1]


@hvisa.graph
def rows(x: In[f64, n, m]) -> tuple[Out[f64, m], Out[f64, n], f64]:
    return x[1] + x[-2], x[:, 0] * x[:, -1], x[0, 0] + x[-1, 2]


@hvisa.graph
def dots(x: In[f64, k, n, m]) -> tuple[Out[f64, k, n], Out[f64, n, m]]:
    return x[..., 1], x[0, ...]


@hvisa.graph
def least(x: In[f64, n, m], i: In[i32, n, m]) -> tuple[Out[i64, n], Out[i64, m], i64, i64]:
    return (np.argmax(x, axis=1).astype(np.int64), i.argmin(axis=0).astype(np.int64),
            i64(np.argmax(i)), i64(np.argmin(x)))


@hvisa.graph
def reductions(x: In[f64, k, n, m]) -> tuple[Out[f64, n], Out[f64, k, 1, 1], f64, f64, f64]:
    return (np.sum(x, axis=(0, 2)), x.mean(axis=(1, 2), keepdims=True), np.max(x), np.min(x, axis=0).sum(),
            np.prod(x[0, 0]))


@hvisa.graph
def truth(x: In[f64, n, m]) -> tuple[Out[i1, n], Out[i1, m], i1, i1, i64]:
    positive = x > 0
    return (np.any(positive, axis=1), (positive | (x < -1)).all(axis=0), positive.any(),
            (x < 9).all(), np.sum(positive & ~(x > 1)))


@hvisa.graph
def integers(i: In[i32, n, m], u: In[u8, k]) -> tuple[i64, Out[i64, m], Out[i32, n, m], Out[u8, k], f64]:
    return i.sum(), np.sum(i, axis=0), i * 3 // 2 - (i & 5), u + u, np.mean(u)


@hvisa.graph
def masks(x: InOut[f64, n, m], count: InOut[i32, n, m]):
    x[x > 1] = 0.0
    x[(x < -0.5) & (x > -1)] *= 2.0
    count[np.logical_and(x < 0.3, x >= 0)] += 1
    count[0 < x] = 7


@hvisa.graph
def between(x: In[f64, n, m]) -> Out[f64, n, m]:
    return np.where((x > -0.5) & (x < 0.5), np.clip(x, -0.2, 0.2), np.clip(x, None, 1.0))


@hvisa.graph
def made(x: In[f32, n, m], v: In[f64, m]) -> tuple[
        Out[f32, n, m], Out[f32, n, m], Out[f64, m], Out[i64, n], Out[i32, 3, n]]:
    a, b = np.zeros_like(x), np.full_like(x, 2.5)
    a[1:] = np.ones_like(x)[1:] + b[1:]
    c = np.empty_like(v)
    c[:] = v[::-1]
    c[0] += 1
    e = np.zeros((3, x.shape[0]), dtype=np.int32)
    e[1] = 4
    counted = np.arange(x.shape[0]) * 2 + np.arange(1, x.shape[0] + 1)
    return a, b, c, counted, e + np.ones((3, 1), dtype=np.int32)


@hvisa.graph
def products(a: In[f64, n, m], b: In[f64, n, m], v: In[f64, m], w: In[f64, n]) -> tuple[
        Out[f64, n, n], Out[f64, m, m], Out[f64, n], Out[f64, m], f64, Out[f64, n, m], Out[f64, m]]:
    return a @ b.T, np.matmul(a.T, b), np.dot(a, v), w @ b, v.dot(a[0]), np.outer(w, v), b.T @ w


@hvisa.graph
def stacks(t: In[f64, k, n, m], a: In[f64, n, m], v: In[f64, m]) -> tuple[
        Out[f64, k, n, n], Out[f64, k, n, n], Out[f64, k, n]]:
    return t @ a.T, a @ np.transpose(t, (0, 2, 1)), t @ v


@hvisa.graph
def whole_numbers(i: In[i32, n, m]) -> tuple[Out[i32, n, n], Out[f64, n]]:
    return i @ i.T, i @ (i[0] * 0.5)


@hvisa.graph
def mixed(i: In[i32, n, m], x: In[f64, n, m], u: In[u8, k], f: In[f32, n, m]) -> tuple[
        Out[f64, n, m], Out[f64, n, m], Out[f32, k], Out[f64, n, m]]:
    return i + x, i / 2, u * np.float32(1.5), f * x


@hvisa.graph
def changed(x: InOut[f32, n, m], y: InOut[f64, n, m], v: In[f64, m]):
    x += 1
    x *= x.T.T
    y -= v
    y[1:, 0] /= 2.0
    y[0] = y[1] = v


@hvisa.graph
def axes(t: In[f64, k, n, m]) -> tuple[Out[f64, m, k, n], Out[f64, m, n, k], Out[f64, k, n, m]]:
    return t.transpose(2, 0, 1), t.T, np.flip(t, axis=1)


@hvisa.graph
def nested(x: InOut[f64, n, m]):
    for i in range(1, x.shape[0]):
        for j in range(1, x.shape[1]):
            x[i, j] += 0.5 * x[i - 1, j] - x[i, j - 1] * x[0, 0]


@hvisa.graph
def four(t: In[f64, k, n, m]) -> tuple[Out[f64, k, n, m, n], f64]:
    x = t[..., None] * t[:, None, 0, 0:1, None] + np.arange(t.shape[1])
    return x, x.sum()


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (new_axes, (V, W)), (steps, (A,)), (rows, (A,)), (dots, (T,)), (least, (A, I)), (reductions, (T,)),
    (truth, (A,)), (integers, (I, U)), (masks, (A, I)), (between, (A,)), (made, (A.astype("f4"), V)),
    (products, (A, B, V, W)), (stacks, (T, A, V)), (whole_numbers, (I,)),
    (mixed, (I, A, U, A.astype("f4"))), (changed, (A.astype("f4"), B, V)), (axes, (T,)), (nested, (A,)),
    (four, (T,))]


@pytest.mark.parametrize(("graph", "arguments"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_as_numpy(graph: Any, arguments: tuple[Any, ...]) -> None:
    there = [a.copy() for a in arguments]
    given = graph.python(*there)
    given = () if given is None else given if isinstance(given, tuple) else (given,)
    given = sorted(given, key=lambda v: np.ndim(v) == 0)  # hvisa gives arrays first, then numbers
    wanted = [a for a, port in zip(there, graph.entry.signature.taken, strict=True) if port.written]
    wanted += given
    for device in ("x86", "reference"):
        found = graph(*(a.copy() for a in arguments), device=device)
        found = found if isinstance(found, tuple) else (found,)
        assert len(found) == len(wanted)
        for got, right in zip(found, wanted, strict=True):
            close = 1e-6 if np.asarray(right).dtype == np.float32 else 1e-12
            np.testing.assert_allclose(got, right, rtol=close, atol=1e-12)
            assert np.asarray(got).dtype == np.asarray(right).dtype


@hvisa.graph
def data_index(x: In[f64, n, 3], i: In[i32, n]) -> Out[f64, n]:
    return x[i]


@hvisa.graph
def array_behind_mask(x: InOut[f64, n], y: In[f64, n]):
    x[y > 0] = y


@hvisa.graph
def wrong_axis(x: In[f64, n]) -> f64:
    return x.sum(axis=1)


@hvisa.graph
def from_the_end(x: In[f64, n]) -> Out[f64, n]:
    y = np.zeros_like(x)
    for i in range(1, x.shape[0]):
        y[-i] = x[i]
    return y


@hvisa.graph
def no_condition(x: In[f64, n]) -> Out[f64, n]:
    if x > 0:
        y = x
    else:
        y = -x
    return y


@hvisa.graph
def out_argument(x: In[f64, n], y: InOut[f64, n]):
    y = np.add(x, y, out=y)


@hvisa.graph
def zero_step(x: In[f64, n]) -> Out[f64, n]:
    return x[::0]


@pytest.mark.parametrize(("graph", "code", "text"), [
    (data_index, "HV1221", "index with arrays in a leaf"),
    (array_behind_mask, "HV1203", "hvisa.where"), (wrong_axis, "HV1212", "there is no axis 1"),
    (from_the_end, "HV1212", "only a constant counts from the end"),
    (no_condition, "HV1204", "an array is no condition"), (out_argument, "HV1211", "no argument `out`"),
    (zero_step, "HV1212", "constant and not 0")])
def test_what_is_refused(graph: Any, code: str, text: str) -> None:
    with pytest.raises(HvisaError) as error:
        graph.text  # noqa: B018
    assert error.value.codes == [code]
    assert text in str(error.value)


@hvisa.graph
def grown(steps: index, x: In[f64, n]) -> Out[f64, n]:
    y = x * 1.0
    for _ in range(steps):
        y = 0.5 * (y + x[::-1])
    return y


def test_arrays_carried_by_loops_are_computed_in_place() -> None:
    wanted = V.copy()
    for _ in range(4):
        wanted = 0.5 * (wanted + V[::-1])
    assert grown(4, V).tobytes() == wanted.tobytes()
    assert "inout %out" in grown.text


@hvisa.graph
def middle(x: In[i64, "n"]) -> f64:
    return np.mean(x)


def test_the_mean_of_large_whole_numbers_does_not_wrap() -> None:
    x = np.full(5, 2**62)
    assert middle(x) == 2.0**62
