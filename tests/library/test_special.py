"""The error functions and the gamma functions: errors, special values, exact cases, equal bits."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mpmath")

from hvisa.library.catalogue import CATALOGUE
from hvisa.library.catalogue.special import ENTRIES
from tools.ulp import DTYPES, compiled, largest_error, measure, sample

NAMES = [entry.name for entry in ENTRIES]
POINTS = {"f32": 20_000, "f64": 2_000}  # mpmath is slow
INF, NAN = float("inf"), float("nan")
BITS = {"f32": np.uint32, "f64": np.uint64}
LEAST = {"f32": float(np.finfo(np.float32).smallest_subnormal), "f64": 5e-324}
MOST = {"f32": float(np.finfo(np.float32).max), "f64": 1.7976931348623157e308}
SPECIAL: dict[str, list[tuple[float, float]]] = {
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN), (30, 1), (-30, -1)],
    "erfc": [(0.0, 1), (-0.0, 1), (INF, 0.0), (-INF, 2), (NAN, NAN), (30, 0.0), (-30, 2), (1e30, 0.0)],
    "tgamma": [(0.0, INF), (-0.0, -INF), (INF, INF), (-INF, NAN), (NAN, NAN), (-1, NAN), (-2, NAN),
               (-1e30, NAN), (200, INF), (-200.5, -0.0), (-201.5, 0.0), (1, 1), (2, 1), (3, 2)],
    "lgamma": [(0.0, INF), (-0.0, INF), (INF, INF), (-INF, INF), (NAN, NAN), (-1, INF), (-2, INF),
               (-1e30, INF), (1, 0.0), (2, 0.0)],
}


@functools.cache
def function(name: str, type_: str, device: str = "x86") -> Any:
    return compiled(name, type_, device)


def canonical(found: np.ndarray) -> np.ndarray:
    """The bits, NaN as one number (semantics 13)."""
    return np.where(np.isnan(found), 1, found.view(BITS[f"f{found.itemsize * 8}"]))


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_errors(name: str, type_: str) -> None:
    worst, at = measure(name, type_, POINTS[type_], seed=7)
    assert worst <= CATALOGUE[name].bound(type_), at


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_equal_bits(name: str, type_: str) -> None:
    x = np.concatenate([sample(CATALOGUE[name], type_, 200, seed=3)[0][::23],
                        np.array([0.0, -0.0, INF, -INF, NAN, MOST[type_], -MOST[type_]], DTYPES[type_])])
    wanted = function(name, type_, "reference")(x)[0]
    for device in ("x86", "multicore"):
        found = function(name, type_, device)(x)[0]
        np.testing.assert_array_equal(canonical(wanted), canonical(found), f"{name} {type_} {device}")


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_special_values(name: str, type_: str) -> None:
    dtype = DTYPES[type_]
    x, wanted = (np.array(column, dtype) for column in zip(*SPECIAL[name], strict=True))
    found = function(name, type_)(x)[0]
    wrong = np.nonzero(canonical(found) != canonical(wanted))[0]
    assert not len(wrong), [(x[n], found[n]) for n in wrong]


@pytest.mark.parametrize("type_", DTYPES)
def test_erf_is_odd(type_: str) -> None:
    x = sample(CATALOGUE["erf"], type_, 2_000)[0]
    f = function("erf", type_)
    np.testing.assert_array_equal(canonical(-f(x)[0]), canonical(f(-x)[0]))
    # Of the least numbers the result is the nearest to 2 / sqrt(pi) times them.
    least = LEAST[type_] * np.arange(1, 9)
    np.testing.assert_array_equal(f(least.astype(DTYPES[type_]))[0] / DTYPES[type_](LEAST[type_]),
                                  [1, 2, 3, 5, 6, 7, 8, 9])


@pytest.mark.parametrize("type_", DTYPES)
def test_factorials(type_: str) -> None:
    """Exact as long as they are numbers of the type."""
    x = np.arange(1, 15 if type_ == "f32" else 24)
    wanted = [math.factorial(int(n) - 1) for n in x]
    np.testing.assert_array_equal(function("tgamma", type_)(x.astype(DTYPES[type_]))[0],
                                  np.array(wanted, DTYPES[type_]))


@pytest.mark.parametrize("type_", DTYPES)
def test_gamma_at_its_edges(type_: str) -> None:
    """Where results become infinite, and next to the pole at 0."""
    dtype = DTYPES[type_]
    at = dtype(35.04009628) if type_ == "f32" else dtype(171.62437695630272)
    near = [at, *(at + dtype(d) for d in np.linspace(-0.01, 0.01, 41))]
    for toward in (0, 200):
        step = at
        for _ in range(6):
            step = np.nextafter(step, dtype(toward))
            near.append(step)
    least = LEAST[type_]
    x = np.array([*near, 4 / MOST[type_], least, -least, 9 * least, 1.01 / MOST[type_]], dtype)
    entry = CATALOGUE["tgamma"]
    worst, place = largest_error(entry, type_, [x], function("tgamma", type_)(x)[0])
    assert worst <= entry.bound(type_), x[place]


# The first zeros of lgamma below 0.
ZEROS = (-2.4570247382208006, -2.7476826467274127, -3.1435808883499798, -3.9552942848585979,
         -4.0392618405717424, -4.9915446046138305, -5.0082181680780146, -5.9986420893665394)


@pytest.mark.parametrize("type_", DTYPES)
def test_lgamma_near_its_zeros(type_: str) -> None:
    dtype = DTYPES[type_]
    near = np.array(ZEROS, dtype)
    points = [near]
    for toward in (0, -10):
        at = near
        for _ in range(20):
            at = np.nextafter(at, dtype(toward))
            points.append(at)
    x = np.concatenate([*points, *(near + dtype(d) for d in np.linspace(-0.01, 0.01, 21))])
    entry = CATALOGUE["lgamma"]
    worst, at = largest_error(entry, type_, [x], function("lgamma", type_)(x)[0])
    assert worst <= entry.bound(type_), x[at]


@pytest.mark.parametrize("type_", DTYPES)
def test_lgamma_of_large_numbers(type_: str) -> None:
    """Where x - 1/2 has no place for the half, and up to where the result becomes infinite."""
    dtype = DTYPES[type_]
    rng = np.random.default_rng(2)
    exponents = (15, 126) if type_ == "f32" else (45, 1022)
    x = np.concatenate([np.exp2(rng.uniform(exponents[0], exponents[0] + 20, 2_000)),
                        np.exp2(rng.uniform(*exponents, 2_000))]).astype(dtype)
    entry = CATALOGUE["lgamma"]
    worst, at = largest_error(entry, type_, [x], function("lgamma", type_)(x)[0])
    assert worst <= entry.bound(type_), x[at]
