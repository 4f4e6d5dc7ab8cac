"""Graphs written in Python: nodes, control, array expressions, streams."""

from __future__ import annotations

import numpy as np
import pytest

import hvisa
from hvisa import HvisaError, In, InOut, Out, Shared, Stream, f32, i1, i32, index

n, m, k = hvisa.dims("n m k")
RNG = np.random.default_rng(3)
X = RNG.standard_normal((4, 5)).astype(np.float32)


@hvisa.leaf
def scale(a: f32, x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = a * x[i]


@hvisa.leaf
def row_sum(x: In[f32, n, m]) -> f32:
    i = hvisa.grid(n)
    return sum(x[i, j] for j in range(m))


@hvisa.leaf
def plus(a: f32, x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = a + x[i]


@hvisa.graph
def chain(x: In[f32, n], y: Out[f32, n]):
    y = scale(3.0, x=scale(2.0, x))


@hvisa.graph
def one_to_one(x: In[f32, n, m], y: Out[f32, n]):
    y = scale(1.0, hvisa.collect(row_sum(x)))


@hvisa.graph
def joined(x: In[f32, n, m]) -> f32:
    return hvisa.reduce("max", row_sum(x))


@hvisa.graph
def fused(x: In[f32, n, m], b: In[f32, m]) -> Out[f32, n, m]:
    return hvisa.where(x > b, x - b, 0) * 2 + hvisa.sqrt(abs(x))


@hvisa.graph
def softmax_like(x: In[f32, n, m]) -> Out[f32, n, m]:
    e = (x - x.max(axis=1, keepdims=True)) * 0.5 + 4
    return e / e.sum(axis=1, keepdims=True)


@hvisa.graph
def gemm(alpha: f32, beta: f32, a: In[f32, n, k], b: In[f32, k, m], c: InOut[f32, n, m]):
    c = alpha * (a @ b) + beta * c


@hvisa.graph
def jacobi(a: InOut[f32, n, n], b: InOut[f32, n, n], steps: index):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.25 * (a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.25 * (b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


@hvisa.graph
def newton(a: f32) -> tuple[f32, i32]:
    x, rounds, done = a, i32(0), False
    while not done:
        y = 0.5 * (x + a / x)
        done = abs(y - x) < 1e-6
        x = y
        rounds += 1
    return x, rounds


@hvisa.graph
def choose(flag: i1, x: In[f32, n]) -> Out[f32, n]:
    if flag:
        y = scale(2.0, x)
    else:
        y = plus(1.0, x)
    return y


@hvisa.graph
def triangle(a: In[f32, n, n], x: In[f32, n]) -> Out[f32, n]:
    y = x + 0
    for i in range(n):
        y[i] = (x[i] - hvisa.sum(a[i, :i] * y[:i])) / a[i, i]
    return y


@hvisa.graph
def downward(x: In[f32, n]) -> Out[f32, n]:
    y = x * 1
    for i in range(n - 2, -1, -1):
        y[i] = y[i] + y[i + 1]
    return y


@hvisa.graph
def halves(x: In[f32, n], cut: index) -> Out[f32, n]:
    a, b = hvisa.split(x, cut)
    return hvisa.join(scale(2.0, a), scale(3.0, b))


@hvisa.graph
def swapped(x: In[f32, n, 4]) -> Out[f32, n, 4]:
    a, b = hvisa.split(x, 3, axis=-1)
    return hvisa.join(b, a, axis=-1)


@hvisa.leaf
def blend(frame: In[f32, n], last: In[f32, n], rate: f32, out: Out[f32, n]):
    i = hvisa.grid(n)
    out[i] = last[i] + (frame[i] - last[i]) * rate


@hvisa.graph
def smooth(frames: Stream[f32, n], rate: f32) -> Stream[f32, n]:
    last = hvisa.delay(hvisa.zeros(f32, n))
    smoothed = blend(frames, last, rate)
    last.next = smoothed
    return smoothed


@hvisa.leaf(effect="nondeterministic")
def block(x: In[f32, "p"], t: Shared[f32, 64]):
    i = hvisa.grid(64)
    t[i] = x.zero[i]
    hvisa.barrier()
    half, last = 32, 0.0
    while half > 0:
        if i < half:
            last = t[i] + t[i + half]
            t[i] = last
        hvisa.barrier()
        half //= 2


@hvisa.leaf
def first(t: In[f32, 64]) -> f32:
    return t[0]


@hvisa.graph
def block_sum(x: In[f32, "p"]) -> f32:
    return first(block(x, hvisa.scratch(f32, 64)))


@hvisa.graph
def blocks(x: In[f32, n]) -> f32:
    for b in hvisa.grid(hvisa.ceildiv("n", 64)):
        total = hvisa.reduce("add", block_sum(x[64 * b:64 * b + 64]))
    return total


def test_nodes_and_edges() -> None:
    x = np.arange(4, dtype=np.float32)
    assert chain(x).tolist() == [0, 6, 12, 18]
    np.testing.assert_allclose(one_to_one(X), X.sum(axis=1), rtol=1e-6)
    assert joined(X) == one_to_one(X).max()


def test_elementwise_expressions_are_one_leaf() -> None:
    b = RNG.standard_normal(5).astype(np.float32)
    wanted = np.where(X > b, X - b, np.float32(0)) * np.float32(2) + np.sqrt(np.abs(X))
    assert fused(X, b).tobytes() == wanted.tobytes()
    assert len(fused.module.definitions) == 2


def test_reductions_and_products() -> None:
    e = (X - X.max(axis=1, keepdims=True)) * np.float32(0.5) + 4
    np.testing.assert_allclose(softmax_like(X), e / e.sum(axis=1, keepdims=True), rtol=1e-6)
    a, b, c = X[:, :3].copy(), X[:3].copy(), np.ones((4, 5), np.float32)
    np.testing.assert_allclose(gemm(2.0, 3.0, a, b, c.copy()), 2 * (a @ b) + 3 * c, rtol=1e-5)


def test_parts_of_buffers_are_assigned_in_loops() -> None:
    a, b = RNG.random((2, 7, 7)).astype(np.float32)
    x, y = a.copy(), b.copy()
    for _ in range(3):
        for p, q in ((x, y), (y, x)):
            total = p[1:-1, :-2] + p[1:-1, 2:] + p[2:, 1:-1] + p[:-2, 1:-1]
            q[1:-1, 1:-1] = np.float32(0.25) * total
    found = jacobi(a, b, 3)
    assert found.a.tobytes() == x.tobytes()
    assert found.b.tobytes() == y.tobytes()


def test_control() -> None:
    root, rounds = newton(2.0)
    assert abs(root - 2**0.5) < 1e-6
    assert rounds == 5
    x = np.arange(3, dtype=np.float32)
    assert choose(True, x).tolist() == [0, 2, 4]
    assert choose(False, x).tolist() == [1, 2, 3]
    assert downward(x).tolist() == [3, 3, 2]
    assert downward(x[:1]).tolist() == [0]


def test_counters_index_arrays() -> None:
    a = np.tril(RNG.random((6, 6)) + 1).astype(np.float32)
    x = RNG.random(6).astype(np.float32)
    np.testing.assert_allclose(triangle(a, x), np.linalg.solve(a, x), rtol=1e-4)


def test_split_and_join() -> None:
    assert halves(np.ones(5, np.float32), 2).tolist() == [2, 2, 3, 3, 3]
    assert swapped(np.array([[1, 2, 3, 4]], np.float32)).tolist() == [[4, 1, 2, 3]]


def test_streams_with_state() -> None:
    frames = [np.full(2, v, np.float32) for v in (1, 1, 0)]
    assert [v.tolist() for v in smooth(frames, 0.5)] == [[0.5, 0.5], [0.75, 0.75], [0.375, 0.375]]


@pytest.mark.parametrize("device", ["reference", "x86", "multicore"])
def test_barriers_in_a_loop(device: str) -> None:
    x = np.arange(150, dtype=np.float32)
    assert blocks(x, device=device) == x.sum()


def test_shapes_that_do_not_fit() -> None:
    @hvisa.graph
    def wrong(x: In[f32, n], y: In[f32, m]) -> Out[f32, n]:
        return x + y
    with pytest.raises(HvisaError, match=r"do not fit together") as error:
        wrong.text  # noqa: B018
    assert error.value.codes == ["HV1225"]

    @hvisa.graph
    def right(x: In[f32, n], y: In[f32, m]) -> Out[f32, n]:
        hvisa.match(x.shape[0], y.shape[0])
        return x + y
    assert right(np.ones(2, np.float32), np.ones(2, np.float32)).tolist() == [2, 2]
    with pytest.raises(HvisaError):
        right(np.ones(2, np.float32), np.ones(3, np.float32))


@hvisa.graph
def array_and_number(x: In[f32, n]) -> tuple[Out[f32, n], f32]:
    return x + 1, hvisa.sum(x)


@pytest.mark.parametrize("device", ["reference", "x86"])
def test_arrays_and_numbers_behind_the_arrow_are_told_apart(device: str) -> None:
    array, number = array_and_number(np.arange(3, dtype=np.float32), device=device)
    assert (array.tolist(), number) == ([1, 2, 3], 3)


@hvisa.graph
def counted(most: i32) -> i32:
    rounds = i32(0)
    while rounds < most:
        rounds = rounds + 1
    return rounds


@hvisa.graph
def halved(x: In[f32, n], tolerance: f32) -> Out[f32, n]:
    y, change = x * 1, f32(1)
    while change > tolerance:
        smaller = y * 0.5
        change = hvisa.max(abs(smaller - y))
        y = smaller
    return y


@hvisa.graph
def bounded(most: i32) -> i32:
    rounds, done = i32(0), False
    while not done and rounds < 10:
        rounds += 1
        done = rounds >= most
    return rounds


@hvisa.graph
def widened(s: f32) -> hvisa.f64:
    total = i32(0)
    for _ in range(3):
        total = total + s
    return total


def test_any_condition_ends_a_loop() -> None:
    assert [counted(v) for v in (5, 0, -1)] == [5, 0, 0]
    assert halved(np.ones(3, np.float32), 0.1).tolist() == [0.0625] * 3
    assert [bounded(v) for v in (4, 99)] == [4, 10]
    assert widened(1.5) == 4.5


def test_nothing_changes_kind_where_a_graph_returns() -> None:
    @hvisa.graph
    def number(s: f32) -> i32:
        return s

    @hvisa.graph
    def array(x: In[f32, n]) -> Out[i32, n]:
        return x * 2.0

    @hvisa.graph
    def asked(x: In[f32, n]) -> Out[i32, n]:
        return i32(x * 2.0)
    for graph in (number, array):
        with pytest.raises(HvisaError, match="does not become i32 by itself") as error:
            graph.text  # noqa: B018
        assert error.value.codes == ["HV1205"]
    assert asked(np.array([1.7, -1.7], np.float32)).tolist() == [3, -3]
