"""log and its kin, and the powers, against what the catalogue promises."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from hvisa.library.catalogue import CATALOGUE
from hvisa.library.catalogue.logarithm import ENTRIES
from tools import ulp

NAMES = [e.name for e in ENTRIES]
TYPES = ("f32", "f64")
POINTS = {"f32": 20_000, "f64": 1_500}
INF, NAN = np.inf, np.nan

compiled = functools.cache(ulp.compiled)


def call(name: str, type_: str, *columns: object, device: str | None = None) -> np.ndarray:
    entry = CATALOGUE[name]
    arrays = [np.asarray(c, np.int32 if entry.integer and n == len(columns) - 1 else ulp.DTYPES[type_])
              for n, c in enumerate(columns)]
    return compiled(name, type_, device)(*arrays)[0]


def bits(values: np.ndarray) -> np.ndarray:
    """Bits, every NaN the canonical one."""
    found = values.view(np.uint32 if values.dtype == np.float32 else np.uint64)
    return np.where(np.isnan(values), 0, found)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_errors_stay_below_the_bound(name: str, type_: str) -> None:
    worst, at = ulp.measure(name, type_, POINTS[type_], seed=7)
    assert worst <= CATALOGUE[name].bound(type_), (worst, at)


LOGS = [(0.0, -INF), (-0.0, -INF), (-1, NAN), (-INF, NAN), (INF, INF), (NAN, NAN), (1, 0.0)]
SPECIAL = {
    "log": LOGS, "log2": LOGS, "log10": LOGS,
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1, -INF), (-1.5, NAN), (-INF, NAN), (INF, INF), (NAN, NAN)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)],
    "acosh": [(1, 0.0), (0.5, NAN), (0.0, NAN), (-1, NAN), (-INF, NAN), (INF, INF), (NAN, NAN)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1, INF), (-1, -INF), (1.5, NAN), (-1.5, NAN), (INF, NAN),
              (-INF, NAN), (NAN, NAN)],
    "rsqrt": [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, NAN), (-1, NAN), (NAN, NAN), (1, 1), (0.25, 2)],
    "cbrt": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (-27, -3)],
    "hypot": [(0.0, 0.0, 0.0), (-0.0, -0.0, 0.0), (-0.0, -3, 3), (INF, NAN, INF), (NAN, -INF, INF),
              (-INF, 1, INF), (2, -INF, INF), (INF, -INF, INF), (NAN, 0.0, NAN), (1, NAN, NAN),
              (NAN, NAN, NAN), (3, -4, 5)],
    # C23, F.10.4.5, line by line; then what follows from it.
    "pow": [(0.0, -3, INF), (-0.0, -3, -INF), (-0.0, -1, -INF),
            (0.0, -2, INF), (-0.0, -2, INF), (0.0, -0.5, INF), (-0.0, -0.5, INF), (-0.0, -2.0**80, INF),
            (0.0, -INF, INF), (-0.0, -INF, INF),
            (0.0, 3, 0.0), (-0.0, 3, -0.0), (-0.0, 1, -0.0),
            (0.0, 2, 0.0), (-0.0, 2, 0.0), (-0.0, 0.5, 0.0), (0.0, INF, 0.0), (-0.0, INF, 0.0),
            (-1, INF, 1), (-1, -INF, 1),
            (1, 5, 1), (1, INF, 1), (1, -INF, 1), (1, NAN, 1), (1, -0.0, 1),
            (5, 0.0, 1), (5, -0.0, 1), (NAN, 0.0, 1), (NAN, -0.0, 1), (0.0, 0.0, 1), (-INF, -0.0, 1),
            (-1, 0.5, NAN), (-2, 1.5, NAN), (-2, -1e-30, NAN), (-1e-30, 1e-30, NAN),
            (0.5, -INF, INF), (-0.5, -INF, INF), (1.5, -INF, 0.0), (-1.5, -INF, 0.0),
            (0.5, INF, 0.0), (-0.5, INF, 0.0), (1.5, INF, INF), (-1.5, INF, INF),
            (-INF, -3, -0.0), (-INF, -2, 0.0), (-INF, -0.5, 0.0), (-INF, -INF, 0.0),
            (-INF, 3, -INF), (-INF, 2, INF), (-INF, 0.5, INF), (-INF, INF, INF),
            (INF, -1, 0.0), (INF, -0.5, 0.0), (INF, -INF, 0.0), (INF, 1, INF), (INF, 0.5, INF),
            (INF, INF, INF), (NAN, 1, NAN), (NAN, INF, NAN), (2, NAN, NAN), (0.0, NAN, NAN), (-1, NAN, NAN),
            (NAN, NAN, NAN), (-1, 2.0**100, 1), (-1, 3, -1), (-2, 3, -8), (-2, -3, -0.125),
            (-10, 1001, -INF), (-10, -1001, -0.0), (10, 1e30, INF), (0.5, 1e30, 0.0), (4, 0.5, 2),
            (3, 2, 9), (-3, 2, 9)],
    "powi": [(0.0, -3, INF), (-0.0, -3, -INF), (0.0, -2, INF), (-0.0, -2, INF), (0.0, 3, 0.0),
             (-0.0, 3, -0.0), (0.0, 2, 0.0), (-0.0, 2, 0.0), (NAN, 0, 1), (0.0, 0, 1), (INF, 0, 1),
             (-5, 0, 1), (1, 7, 1), (-1, 2**31 - 1, -1), (-1, -2**31, 1), (INF, -1, 0.0), (-INF, -1, -0.0),
             (-INF, -2, 0.0), (-INF, 3, -INF), (-INF, 2, INF),
             (INF, 5, INF), (NAN, 1, NAN), (NAN, -3, NAN), (2, -2**31, 0.0),
             (-2, 2**31 - 1, -INF), (0.5, -2**31, INF), (-2, 3, -8), (3, 2, 9)],
}


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_special_values(name: str, type_: str) -> None:
    *columns, wanted = zip(*SPECIAL[name], strict=True)
    found = call(name, type_, *columns)
    assert bits(found).tolist() == bits(np.array(wanted, ulp.DTYPES[type_])).tolist(), found


@pytest.mark.parametrize("name", ["log1p", "asinh", "atanh"])
@pytest.mark.parametrize("type_", TYPES)
def test_small_arguments_are_their_own_results(name: str, type_: str) -> None:
    least = np.finfo(ulp.DTYPES[type_]).smallest_subnormal
    x = np.array([least, 3 * least, np.finfo(ulp.DTYPES[type_]).tiny], ulp.DTYPES[type_])
    assert call(name, type_, x).tolist() == x.tolist()
    assert call(name, type_, -x).tolist() == (-x).tolist()


@pytest.mark.parametrize("type_", TYPES)
def test_logarithms_of_powers_are_exact(type_: str) -> None:
    low, high = (-149, 128) if type_ == "f32" else (-1074, 1024)
    n = np.arange(low, high)
    assert call("log2", type_, np.ldexp(1.0, n)).tolist() == n.tolist()
    tens = np.arange(11 if type_ == "f32" else 23)
    assert call("log10", type_, [float(10**int(t)) for t in tens]).tolist() == tens.tolist()


@pytest.mark.parametrize("type_", TYPES)
def test_powers_that_are_numbers_are_exact(type_: str) -> None:
    digits, low, high = (24, -149, 127) if type_ == "f32" else (53, -1074, 1023)
    bases = [2, 3, 5, 6, 7, 10, 11, 13, 255, 0.5, 0.75, 1.5, 1 + 2.0**-10, -3, -1.25]
    points = [(b, n) for b in bases for n in range(1, 60)
              if (int(abs(b) * 1024) // (int(abs(b) * 1024) & -int(abs(b) * 1024)))**n < 2**digits
              and low < n * np.log2(abs(b)) < high]
    assert len(points) > 150
    x, n = zip(*points, strict=True)
    wanted = [float(b)**m for b, m in points]
    assert call("pow", type_, x, n).tolist() == wanted
    assert call("powi", type_, x, n).tolist() == wanted
    exponents = np.arange(low, high + 1)
    for name in ("pow", "powi"):
        found = call(name, type_, np.full(len(exponents), 2), exponents)
        assert found.tolist() == np.ldexp(1.0, exponents).tolist()


@pytest.mark.parametrize("type_", TYPES)
def test_squares_are_rounded_once(type_: str) -> None:
    dtype = ulp.DTYPES[type_]
    x = np.exp(np.random.default_rng(2).uniform(-50, 43, 10_000)).astype(dtype)
    assert (call("pow", type_, x, np.full(len(x), 2)) == x * x).all()
    assert (call("powi", type_, x, np.full(len(x), 2)) == x * x).all()
    assert (call("pow", type_, x, np.full(len(x), 1)) == x).all()


@pytest.mark.parametrize("type_", TYPES)
def test_roots_are_exact(type_: str) -> None:
    dtype = ulp.DTYPES[type_]
    n = np.arange(1, 256 if type_ == "f32" else 2**17, 1 if type_ == "f32" else 37).astype(dtype)
    for scale in (2.0**-40, 1.0, 2.0**21, 2.0**-46):  # of the last the f32 cubes are subnormal
        found = call("cbrt", type_, np.concatenate([(n * scale)**3, -(n * scale)**3]).astype(dtype))
        whole = (n * scale)**3 >= np.finfo(dtype).smallest_subnormal * 2.0**40
        assert (found[:len(n)] == n * scale)[whole].all()
        assert (found[len(n):] == -n * scale)[whole].all()
    even = np.arange(-74, 64) if type_ == "f32" else np.arange(-537, 512)
    assert call("rsqrt", type_, np.ldexp(1.0, 2 * even)).tolist() == np.ldexp(1.0, -even).tolist()
    triples = [(3, 4, 5), (5, 12, 13), (8, 15, 17), (20, 21, 29), (28, 45, 53), (65, 72, 97)]
    for exponent in (-1070, -500, 0, 500, 1000) if type_ == "f64" else (-149, -60, 0, 60, 120):
        x, y, z = np.ldexp(np.array(triples, float).T, exponent)
        assert call("hypot", type_, x, -y).tolist() == z.tolist()
    x = ulp.special_points(type_)
    assert (bits(call("hypot", type_, x, np.zeros(len(x)))) == bits(np.abs(x))).all()


def all_results(type_: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Arguments of pow whose results are spread over all exponents, also with bases near 1."""
    rng = np.random.default_rng(11)
    low, high = (-152, 129) if type_ == "f32" else (-1077, 1025)
    spread = rng.uniform(low, high, count) * 2.0**-(rng.integers(0, 30, count) * rng.integers(0, 2, count))
    near = 1 + rng.uniform(-1, 1, count) * 2.0**-rng.integers(1, 23, count)
    x = np.where(rng.random(count) < 0.5, 2.0**rng.uniform(low * 0.8, high * 0.9, count), near)
    x = np.where(x.astype(ulp.DTYPES[type_]) == 1, 3, x).astype(ulp.DTYPES[type_])
    return x, (spread / np.log2(x.astype(float))).astype(x.dtype)


@pytest.mark.parametrize("type_", TYPES)
def test_pow_over_all_results(type_: str) -> None:
    x, y = all_results(type_, POINTS[type_])
    worst, at = ulp.largest_error(CATALOGUE["pow"], type_, [x, y], call("pow", type_, x, y))
    assert worst <= CATALOGUE["pow"].bound(type_), (worst, x[at], y[at])


@pytest.mark.parametrize("type_", TYPES)
def test_powi_over_all_results(type_: str) -> None:
    x, y = all_results(type_, POINTS[type_])
    fits = np.abs(y) < 2.0**31 - 256
    x, n = x[fits], np.rint(y[fits]).astype(np.int32)
    worst, at = ulp.largest_error(CATALOGUE["powi"], type_, [x, n], call("powi", type_, x, n))
    assert worst <= CATALOGUE["powi"].bound(type_), (worst, x[at], n[at])


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", [e.name for e in ENTRIES if "monotone" in e.exact])
def test_monotone(name: str, type_: str) -> None:
    """Also among neighbours, where results hardly differ, and at the seams of the reduction."""
    dtype = ulp.DTYPES[type_]
    rng = np.random.default_rng(3)
    starts = np.concatenate([rng.uniform(0.5, 8, 100), 2.0**(np.arange(-20, 20) + 0.5),
                             2.0**np.arange(-20, 20)]).astype(dtype)
    starts -= dtype(1 if name == "log1p" else 0)
    unsigned = np.uint32 if type_ == "f32" else np.uint64
    near = (starts.view(unsigned)[:, None] + np.arange(-40, 41).astype(unsigned)).view(dtype)
    x = np.sort(np.concatenate([near.ravel(), rng.uniform(0, 50, 20_000).astype(dtype),
                                np.exp(rng.uniform(-80, 80, 20_000)).astype(dtype)]))
    y = call(name, type_, x[np.isfinite(x)])
    y = y[~np.isnan(y)]
    assert len(y) > 40_000
    assert (y[1:] >= y[:-1]).all()


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_devices_agree(name: str, type_: str) -> None:
    entry = CATALOGUE[name]
    columns = [c[::71] for c in ulp.sample(entry, type_, 3000, seed=5)]
    *given, _ = zip(*SPECIAL[name], strict=True)
    columns = [np.concatenate([c, np.array(g, c.dtype)]) for c, g in zip(columns, given, strict=True)]
    wanted = bits(call(name, type_, *columns, device="reference"))
    for device in ("x86", "multicore"):
        assert (bits(call(name, type_, *columns, device=device)) == wanted).all(), device
