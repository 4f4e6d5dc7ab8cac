"""Random numbers called from leaves, graphs and plain Python: the bits of the library's functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("mpmath")

import hvisa
from hvisa import HvisaError, In, Out, f16, f32, f64, index, u32, u64, vec
from hvisa.spec.types import BY_NAME
from tests.library.test_random import DTYPES, ELEMENTS, KNOWN, elements


@hvisa.leaf
def drawn(seed: u64, stream: index, n: index, x: Out[f32, "n"], y: Out[f64, "n"], w: Out[u32, "n"]):
    i = hvisa.grid("n")
    x[i] = hvisa.random_uniform(f32, seed, i)
    y[i] = hvisa.random_normal(f64, seed, i, stream)
    w[i] = hvisa.random_bits(u32, -1, i, 2)


@hvisa.leaf
def blocks(seed: u64, n: index, x: Out[f32, "n", 4], y: Out[f32, "n", 4], w: Out[u32, "n", 4]):
    b = hvisa.grid("n")
    x[b, 0], x[b, 1], x[b, 2], x[b, 3] = hvisa.random_uniform4(seed, b)
    y[b, 0], y[b, 1], y[b, 2], y[b, 3] = hvisa.random_normal4(seed, b, 9)
    w[b, 0], w[b, 1], w[b, 2], w[b, 3] = hvisa.philox4x32(b, 0, 0, 0, u32(seed), u32(seed >> 32))


@hvisa.leaf
def four_lanes(seed: u64, y: Out[f64, 4]):
    i = hvisa.grid(1)
    y.vec(4)[i] = hvisa.random_normal(f64, seed, vec(0, 1, 2, 3))


@hvisa.graph
def noisy(x: In[f32, "n", "m"], seed: u64) -> Out[f32, "n", "m"]:
    return x + hvisa.random_normal(f32, seed, hvisa.arange(x.shape[1]), 1)


@hvisa.graph
def filled(n: index, seed: u64) -> Out[f64, "n"]:
    return hvisa.random_uniform(np.float64, seed, hvisa.arange(n))


@hvisa.func
def philox4x32(a):
    return a + 1


@hvisa.leaf
def both(n: index, y: Out[u32, "n"]):
    i = hvisa.grid("n")
    y[i] = philox4x32(hvisa.philox4x32(i, 0, 0, 0, 0, 0)[0])


def test_a_function_of_the_same_name_stays_itself() -> None:
    assert both(3).tolist() == [v + 1 for v in elements("random_bits", "u32", 0, 0, [0, 4, 8]).tolist()]


def test_leaves() -> None:
    numbers = np.arange(9)
    for made in (drawn(1 << 40, 3, 9), drawn.emulate(1 << 40, 3, 9)):
        assert made.x.tobytes() == elements("random_uniform", "f32", 1 << 40, 0, numbers).tobytes()
        assert made.y.tobytes() == elements("random_normal", "f64", 1 << 40, 3, numbers).tobytes()
        assert made.w.tobytes() == elements("random_bits", "u32", (1 << 64) - 1, 2, numbers).tobytes()
    assert four_lanes(5).tobytes() == elements("random_normal", "f64", 5, 0, numbers[:4]).tobytes()


def test_leaves_of_blocks() -> None:
    seed, numbers = (1 << 50) + 3, np.arange(40)
    for made in (blocks(seed, 10), blocks.emulate(seed, 10)):
        assert made.x.tobytes() == elements("random_uniform", "f32", seed, 0, numbers).tobytes()
        assert made.y.tobytes() == elements("random_normal", "f32", seed, 9, numbers).tobytes()
        assert made.w.tobytes() == elements("random_bits", "u32", seed, 0, numbers).tobytes()


def test_graphs() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    wanted = x + elements("random_normal", "f32", 7, 1, np.arange(4))
    assert noisy(x, 7).tobytes() == wanted.tobytes()
    assert filled(5, 7).tobytes() == elements("random_uniform", "f64", 7, 0, np.arange(5)).tobytes()


def test_plain_numbers() -> None:
    for name, type_ in ELEMENTS:
        one = getattr(hvisa, name)(BY_NAME[type_], 7, 5, 2)
        assert one == elements(name, type_, 7, 2, [5])[0] and type(one) is DTYPES[type_]
    assert hvisa.random_uniform(f32, np.int8(-1), -2) == elements(
        "random_uniform", "f32", (1 << 64) - 1, 0, [(1 << 64) - 2])[0]
    assert [int(v) for v in hvisa.philox4x32(0, 0, 0, 0, 0, 0)] == [
        int(w, 16) for w in KNOWN[0].split()[6:]]
    assert hvisa.random_normal4(7, 0)[1] == hvisa.random_normal(f32, 7, 1)


@pytest.mark.parametrize(("arguments", "code"), [
    ((), "HV1211"), ((1, 2), "HV1211"), ((f32, 1), "HV1211"), ((f32, 1, 2, 3, 4), "HV1211"),
    ((f16, 1, 2), "HV1211"), ((u32, 1, 2), "HV1211"), ((f32, 1.0, 2), "HV1205"),
    ((f32, np.float32(1), 2), "HV1205"), ((f32, 1 << 64, 2), "HV1206"), ((f32, 1, -1 << 64), "HV1206"),
    ((f32, "1", 2), "HV1204")])
def test_plain_numbers_that_are_refused(arguments: tuple[Any, ...], code: str) -> None:
    with pytest.raises(HvisaError) as error:
        hvisa.random_uniform(*arguments)
    assert error.value.codes == [code]


def test_options_of_functions_are_refused_in_plain_python() -> None:
    with pytest.raises(HvisaError, match="takes no `fast`"):
        hvisa.exp(1.0, fast=True)
