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
