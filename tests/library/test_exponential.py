"""exp and its kin, and the hyperbolic functions, against what the catalogue promises."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from hvisa.library.catalogue import CATALOGUE
from hvisa.library.catalogue.exponential import ENTRIES
from tools import ulp

NAMES = [e.name for e in ENTRIES]
TYPES = ("f32", "f64")
POINTS = {"f32": 20_000, "f64": 2_000}
INF, NAN = np.inf, np.nan

compiled = functools.cache(ulp.compiled)


def call(name: str, type_: str, values: object, device: str | None = None) -> np.ndarray:
    return compiled(name, type_, device)(np.asarray(values, ulp.DTYPES[type_]))[0]


def bits(values: np.ndarray) -> np.ndarray:
    """Bits, every NaN the canonical one."""
    found = values.view(np.uint32 if values.dtype == np.float32 else np.uint64)
    return np.where(np.isnan(values), 0, found)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_errors_stay_below_the_bound(name: str, type_: str) -> None:
    worst, at = ulp.measure(name, type_, POINTS[type_], seed=7)
    assert worst <= CATALOGUE[name].bound(type_), (worst, at)


ENDS = [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (1e30, INF), (-1e30, 0.0)]
SPECIAL = {
    "exp": ENDS, "exp2": [*ENDS, (-3, 0.125), (10, 1024)], "exp10": [*ENDS, (3, 1000)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1), (NAN, NAN), (-1e30, -1), (1e30, INF)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (1e30, INF), (-1e30, -INF)],
    "cosh": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, INF), (NAN, NAN), (1e30, INF), (-1e30, INF)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN), (1e30, 1), (-1e30, -1)]}


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_special_values(name: str, type_: str) -> None:
    points, wanted = zip(*SPECIAL[name], strict=True)
    found = call(name, type_, points)
    assert bits(found).tolist() == bits(np.array(wanted, found.dtype)).tolist()


@pytest.mark.parametrize("type_", TYPES)
def test_whole_powers_of_two_are_exact(type_: str) -> None:
    low, high = (-149, 128) if type_ == "f32" else (-1074, 1024)
    k = np.arange(low, high)
    assert np.array_equal(call("exp2", type_, k), np.ldexp(ulp.DTYPES[type_](1), k))


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", ["exp", "tanh"])
def test_monotone(name: str, type_: str) -> None:
    """Neighbours at random places do not go down."""
    dtype = ulp.DTYPES[type_]
    low, high = CATALOGUE[name].interval(type_)
    x = np.random.default_rng(4).uniform(low, high, 300_000).astype(dtype)
    assert np.all(call(name, type_, np.nextafter(x, dtype(INF))) >= call(name, type_, x))


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_bits_are_equal_on_every_device(name: str, type_: str) -> None:
    (x,) = ulp.sample(CATALOGUE[name], type_, 600, seed=9)
    wanted = bits(call(name, type_, x, "reference"))
    for device in ("x86", "multicore"):
        assert np.array_equal(bits(call(name, type_, x, device)), wanted)
