"""What array expressions become: how many leaves and nodes, and what they read and write."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hvisa
from hvisa import In, InOut, Out, f32, f64, index
from hvisa.graph.model import walk

n, m, k = hvisa.dims("n m k")
RNG = np.random.default_rng(5)
DEVICES = ("x86", "reference")


def leaves(graph: Any) -> list[str]:
    return [name for name in graph.module.definitions if name.startswith(f"{graph.__name__}.")]


def count(graph: Any, name: str, mnemonic: str) -> int:
    """How often an instruction stands in a leaf or graph."""
    body = graph.module.definitions[name].body
    return sum(event == 0 and i.row.mnemonic == mnemonic for event, i, _ in walk(body))


@hvisa.graph
def chain(x: In[f32, n, m], y: In[f32, m], a: f32) -> Out[f32, n, m]:
    b = x - y
    c = np.sqrt(abs(b)) * a
    return np.where(c > 1, c, 0.5 * b) + 1


def test_a_chain_of_elementwise_operations_is_one_leaf() -> None:
    assert leaves(chain) == ["chain.c", "chain.result"]  # `c` is used twice and costs more than a few
    x, y = RNG.standard_normal((3, 4)).astype(np.float32), RNG.standard_normal(4).astype(np.float32)
    b = x - y
    c = np.sqrt(abs(b)) * np.float32(2)
    assert chain(x, y, 2.0).tobytes() == (np.where(c > 1, c, np.float32(0.5) * b) + np.float32(1)).tobytes()


@hvisa.graph
def once(x: In[f32, n, m], y: In[f32, m]) -> Out[f32, n, m]:
    b = x - y
    c = np.sqrt(abs(b)) * 3
    return np.where(x > 1, c, 0.5) + b


def test_what_is_used_once_is_never_stored() -> None:
    assert leaves(once) == ["once.result"]


@hvisa.graph
def gemm(alpha: f64, beta: f64, a: In[f64, n, k], b: In[f64, k, m], c: InOut[f64, n, m]):
    c = alpha * (a @ b) + beta * c


@hvisa.graph
def in_place(alpha: f64, beta: f64, a: In[f64, n, k], b: In[f64, k, m], c: InOut[f64, n, m]):
    product = a @ b
    c[:] = alpha * product + beta * c


@pytest.mark.parametrize("graph", [gemm, in_place])
def test_a_product_and_what_follows_are_one_leaf_in_place(graph: Any) -> None:
    assert leaves(graph) == [f"{graph.__name__}.c"]
    definition = graph.module.definitions[leaves(graph)[0]]
    assert [p.name for p in definition.ports if p.written] == ["out"]
    assert "in %c" not in graph.text.split("graph @")[0]  # its elements are read where they are written
    a, b, c = RNG.random((7, 5)), RNG.random((5, 19)), RNG.random((7, 19))
    np.testing.assert_allclose(graph(2.0, 3.0, a, b, c.copy()), 2 * (a @ b) + 3 * c, rtol=1e-12)


@hvisa.graph
def normalised(x: In[f64, n, m]) -> Out[f64, n, m]:
    return x / x.sum(axis=1, keepdims=True) + x.max()


def test_reductions_are_not_done_again_for_each_element() -> None:
    *first, last = leaves(normalised)
    assert len(first) == 2
    assert count(normalised, last, "reduce") == 0
    assert sum(count(normalised, name, "reduce") for name in first) == 2
    x = RNG.random((5, 9))
    np.testing.assert_allclose(normalised(x), x / x.sum(axis=1, keepdims=True) + x.max(), rtol=1e-12)


@hvisa.graph
def two_arrays(a: In[f64, n], b: InOut[f64, n]):
    b[1:-1] = 0.5 * (a[:-2] + a[2:])
    b[0] = a[-1]


def test_parts_are_written_in_place() -> None:
    assert len(leaves(two_arrays)) == 2
    assert two_arrays.text.count("zeros") == 0
    a, b = RNG.random(6), RNG.random(6)
    wanted = b.copy()
    wanted[1:-1] = 0.5 * (a[:-2] + a[2:])
    wanted[0] = a[-1]
    assert two_arrays(a, b).tobytes() == wanted.tobytes()


@hvisa.graph
def smoothed(a: InOut[f64, n, n]):
    a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])


@hvisa.graph
def shifted(a: InOut[f64, n], steps: index):
    for _ in range(steps):
        a[1:] = a[:-1]


@hvisa.graph
def turned(a: InOut[f64, n]):
    a[:] = a[::-1]


@pytest.mark.parametrize("device", DEVICES)
def test_a_right_side_sees_the_old_version(device: str) -> None:
    a = RNG.random((6, 6))
    wanted = a.copy()
    wanted[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    assert smoothed(a.copy(), device=device).tobytes() == wanted.tobytes()
    assert shifted(np.arange(5.0), 2, device=device).tolist() == [0, 0, 0, 1, 2]
    assert turned(np.arange(5.0), device=device).tolist() == [4, 3, 2, 1, 0]


@hvisa.graph
def rank_one(a: InOut[f64, n, n]):
    for p in range(a.shape[0]):
        a[:] = np.maximum(a, a[:, p, None] + a[p])


def test_small_parts_are_copied_rather_than_the_whole() -> None:
    *copies, _last = leaves(rank_one)
    assert len(copies) == 2  # a column and a row
    for name in copies:
        extents = [d for d in rank_one.module.definitions[name].grid if d.constant != 1]
        assert len(extents) == 1
    a = RNG.random((5, 5))
    wanted = a.copy()
    for p in range(5):
        wanted = np.maximum(wanted, wanted[:, [p]] + wanted[p])
    assert rank_one(a).tobytes() == wanted.tobytes()


@hvisa.graph
def swapped(a: InOut[f64, n, m], b: InOut[f64, n, m]):
    a[0], a[-1] = a[-1], a[0]
    kept = b[1] * 2
    b[1] = 0.0
    b[2] = kept


def test_what_is_needed_later_is_computed_before_it_changes() -> None:
    a, b = RNG.random((2, 3, 4))
    p, q = a.copy(), b.copy()
    p[[0, -1]] = p[[-1, 0]]
    q[2], q[1] = q[1] * 2, 0.0
    found = swapped(a, b)
    assert found.a.tobytes() == p.tobytes()
    assert found.b.tobytes() == q.tobytes()
    for name in leaves(swapped):  # rows, never the whole
        assert len(swapped.module.definitions[name].grid) == 1


@hvisa.graph
def scaled(alpha: f64, a: In[f64, n, m], x: In[f64, m]) -> Out[f64, n]:
    return alpha * a @ x


@hvisa.graph
def symmetric(a: In[f64, n, m]) -> Out[f64, m, m]:
    b = a - 1
    return b.T @ b


def test_products_copy_nothing_needlessly() -> None:
    assert leaves(scaled) == ["scaled.result"]
    assert len(leaves(symmetric)) == 2  # `b` once, and not its transpose
    a = RNG.random((6, 20))
    np.testing.assert_allclose(symmetric(a), (a - 1).T @ (a - 1), rtol=1e-12)
