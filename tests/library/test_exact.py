"""Functions whose results are exact: against numpy and Python bit by bit, special values, equal bits."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mpmath")

from hvisa.library.catalogue import CATALOGUE
from hvisa.library.catalogue.exact import ENTRIES
from tools.ulp import DTYPES, compiled, measure, sample

NAMES = [entry.name for entry in ENTRIES]
INF, NAN = float("inf"), float("nan")
BITS = {"f32": np.uint32, "f64": np.uint64}


@functools.cache
def function(name: str, type_: str, device: str = "x86") -> Any:
    return compiled(name, type_, device)


def canonical(found: np.ndarray) -> np.ndarray:
    """The bits, NaN as one number (semantics 13)."""
    if found.dtype == np.int32:
        return found
    return np.where(np.isnan(found), 1, found.view(BITS[f"f{found.itemsize * 8}"]))


def points(name: str, type_: str, count: int) -> list[np.ndarray]:
    """Arguments of the catalogue's ranges, near pairs, and all pairs of special values."""
    entry, dtype = CATALOGUE[name], DTYPES[type_]
    arguments = sample(entry, type_, count, seed=5)
    info = np.finfo(dtype)
    special = [0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 7.0, INF, NAN, float(info.max), float(info.tiny),
               float(info.smallest_subnormal), 3 * float(info.smallest_subnormal), 0.75 * float(info.tiny)]
    edges = np.array(special + [-v for v in special], dtype)
    if entry.arguments == 1:
        return [np.concatenate([arguments[0], edges])]
    if entry.integer:
        limits = np.array([0, 1, -1, 23, -23, 160, -160, 1100, -1100, 2098, -2098, 2**31 - 1, -2**31],
                          np.int32)
        first, second = (m.ravel() for m in np.meshgrid(edges, limits))
    else:
        first, second = (m.ravel() for m in np.meshgrid(edges, edges))
    x, y = np.concatenate([arguments[0], first]), np.concatenate([arguments[1], second])
    if entry.integer:
        return [x, y]
    rng = np.random.default_rng(8)  # multiples and halves of multiples, and their neighbours
    b = rng.uniform(-4, 4, count).astype(dtype)
    with np.errstate(all="ignore"):
        a = (b * (rng.integers(-40, 40, count) / 2).astype(dtype)).astype(dtype)
        a = np.nextafter(a, (a + rng.integers(-1, 2, count)).astype(dtype))
    return [np.concatenate([x, a]), np.concatenate([y, b])]


def _remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Exact in f64, also of f32."""
    fine = np.isfinite(x) & (y != 0) & ~np.isnan(y)
    return np.array([math.remainder(float(a), float(b)) if ok else NAN
                     for a, b, ok in zip(x, y, fine, strict=True)], x.dtype)


def _frexp(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    m, e = np.frexp(x)
    return m, np.where(np.isfinite(x), e, 0).astype(np.int32)


def _nextafter(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(x == y, y, np.nextafter(x, y))


ORACLES: dict[str, Callable[..., Any]] = {
    "copysign": lambda x, y: np.copysign(x, np.where(np.isnan(y), 1, y)), "round_half_even": np.rint,
    "ldexp": np.ldexp, "frexp": _frexp, "modf": np.modf, "nextafter": _nextafter, "fmod": np.fmod,
    "remainder": _remainder}


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_every_bit(name: str, type_: str) -> None:
    arguments = points(name, type_, 20_000)
    with np.errstate(all="ignore"):
        wanted = ORACLES[name](*arguments)
    found = function(name, type_)(*arguments)
    for a, b in zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        assert a.dtype == b.dtype
        wrong = np.nonzero(canonical(a) != canonical(b))[0]
        assert not len(wrong), [(*(v[n] for v in arguments), a[n], b[n]) for n in wrong[:5]]


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_against_the_catalogue(name: str, type_: str) -> None:
    worst, at = measure(name, type_, 1_000, seed=7)
    assert worst <= CATALOGUE[name].bound(type_), at


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_equal_bits(name: str, type_: str) -> None:
    arguments = [a[::7] for a in points(name, type_, 200)]
    wanted = function(name, type_, "reference")(*arguments)
    for device in ("x86", "multicore"):
        found = function(name, type_, device)(*arguments)
        for a, b in zip(wanted, found, strict=True):
            np.testing.assert_array_equal(canonical(a), canonical(b), err_msg=f"{name} {type_} {device}")


LEAST = {"f32": float(np.finfo(np.float32).smallest_subnormal), "f64": 5e-324}
MOST = {"f32": float(np.finfo(np.float32).max), "f64": 1.7976931348623157e308}


@pytest.mark.parametrize("type_", DTYPES)
def test_special_values(type_: str) -> None:
    """Arguments, then results."""
    least, most = LEAST[type_], MOST[type_]
    cases: dict[str, list[tuple[list[float], list[float]]]] = {
        "copysign": [([1, -0.0], [-1]), ([-INF, 0.0], [INF]), ([2, NAN], [2]), ([2, -NAN], [2]),
                     ([0, -1], [-0.0]), ([NAN, -1], [NAN])],
        "round_half_even": [([0.5], [0.0]), ([-0.5], [-0.0]), ([1.5], [2]), ([2.5], [2]), ([-1.5], [-2]),
                            ([-0.0], [-0.0]), ([INF], [INF]), ([NAN], [NAN]), ([least], [0]),
                            ([-least], [-0.0]), ([most], [most])],
        "ldexp": [([1, 0], [1]), ([-0.0, 5], [-0.0]), ([INF, -9999], [INF]), ([1, 5000], [INF]),
                  ([-1, -5000], [-0.0]), ([NAN, 1], [NAN]), ([least, 1], [2 * least]),
                  ([least, -1], [0.0]), ([3 * least, -1], [2 * least]), ([5 * least, -1], [2 * least])],
        "frexp": [([1], [0.5, 1]), ([-8], [-0.5, 4]), ([0.0], [0.0, 0]), ([-0.0], [-0.0, 0]),
                  ([INF], [INF, 0]), ([NAN], [NAN, 0]),
                  ([least], [0.5, -148 if type_ == "f32" else -1073])],
        "modf": [([1.5], [0.5, 1]), ([-1.5], [-0.5, -1]), ([-2], [-0.0, -2]), ([-0.0], [-0.0, -0.0]),
                 ([INF], [0.0, INF]), ([-INF], [-0.0, -INF]), ([NAN], [NAN, NAN]),
                 ([-0.25], [-0.25, -0.0])],
        "nextafter": [([0.0, -0.0], [-0.0]), ([-0.0, 1], [least]), ([0.0, -1], [-least]),
                      ([least, 0], [0.0]),
                      ([-least, 0], [-0.0]), ([most, INF], [INF]), ([INF, 0], [most]), ([NAN, 1], [NAN]),
                      ([1, NAN], [NAN]), ([INF, INF], [INF])],
        "fmod": [([5, 3], [2]), ([-5, 3], [-2]), ([-6, 3], [-0.0]), ([1, INF], [1]), ([INF, 1], [NAN]),
                 ([1, 0], [NAN]), ([-0.0, 1], [-0.0]), ([0, 0], [NAN]), ([NAN, 1], [NAN]),
                 ([1, NAN], [NAN]), ([most, least], [0.0]), ([most, most], [0.0])],
        "remainder": [([5, 3], [-1]), ([-5, 3], [1]), ([3, 2], [-1]), ([1, 2], [1]), ([5, 2], [1]),
                      ([-6, 3], [-0.0]), ([1, INF], [1]), ([most, INF], [most]), ([INF, 1], [NAN]),
                      ([1, 0], [NAN]), ([-0.0, 1], [-0.0]), ([NAN, 1], [NAN]), ([1, NAN], [NAN]),
                      ([most, most], [0.0]), ([least, 2 * least], [least]),
                      ([3 * least, 2 * least], [-least])]}
    for name, rows in cases.items():
        for given, wanted in rows:
            arrays = [np.array([v], DTYPES[type_]) for v in given]
            if name == "ldexp":
                arrays[1] = np.array([given[1]], np.int32)
            for a, b in zip(function(name, type_)(*arrays), wanted, strict=True):
                assert canonical(a) == canonical(np.array([b], a.dtype)), (name, given, a)
