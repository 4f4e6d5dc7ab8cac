"""Trigonometric functions and their inverses: errors, special values, exact cases, equal bits."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mpmath")

from hvisa.library.catalogue import CATALOGUE
from hvisa.library.catalogue.trigonometry import ENTRIES
from tools.ulp import DTYPES, compiled, measure, sample

NAMES = [entry.name for entry in ENTRIES]
ODD = ("sin", "tan", "atan", "asin")
INF, NAN = float("inf"), float("nan")
BITS = {"f32": np.uint32, "f64": np.uint64}
PI = {"f32": [float(v) for v in np.array([np.pi / 4, np.pi / 2, 3 * np.pi / 4, np.pi], np.float32)],
      "f64": [np.pi / 4, np.pi / 2, 3 * np.pi / 4, np.pi]}  # the nearest numbers


@functools.cache
def function(name: str, type_: str, device: str = "x86") -> Any:
    return compiled(name, type_, device)


def canonical(found: np.ndarray) -> np.ndarray:
    """The bits, NaN as one number (semantics 13)."""
    return np.where(np.isnan(found), 1, found.view(BITS[f"f{found.itemsize * 8}"]))


def check(name: str, type_: str, cases: list[tuple[Any, ...]]) -> None:
    """Each case is the arguments and the result, which has just these bits."""
    dtype = DTYPES[type_]
    columns = [np.array(column, dtype) for column in zip(*cases, strict=True)]
    found = function(name, type_)(*columns[:-1])[0]
    wanted = columns[-1]
    same = (found.view(BITS[type_]) == wanted.view(BITS[type_])) | (np.isnan(found) & np.isnan(wanted))
    assert same.all(), [(cases[n], found[n]) for n in np.nonzero(~same)[0]]


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_errors(name: str, type_: str) -> None:
    worst, at = measure(name, type_, 20_000 if type_ == "f32" else 3_000, seed=7)
    assert worst <= CATALOGUE[name].bound(type_), at


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_equal_bits(name: str, type_: str) -> None:
    arguments = [a[::23] for a in sample(CATALOGUE[name], type_, 200, seed=3)]
    arguments = [np.concatenate([a, np.array([0.0, -0.0, INF, -INF, NAN], a.dtype)]) for a in arguments]
    wanted = function(name, type_, "reference")(*arguments)
    for device in ("x86", "multicore"):
        found = function(name, type_, device)(*arguments)
        for a, b in zip(wanted, found, strict=True):
            np.testing.assert_array_equal(canonical(a), canonical(b), err_msg=f"{name} {type_} {device}")


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", [n for n in NAMES if n in ODD])
def test_odd_functions(name: str, type_: str) -> None:
    """f(-x) is -f(x), and f(x) is x where x^3 does not count; signs of zero are kept."""
    x = sample(CATALOGUE[name], type_, 2_000)[0]
    f = function(name, type_)
    a, b = f(x)[0], f(-x)[0]
    np.testing.assert_array_equal(canonical(-a), canonical(b))
    tiny = float(np.finfo(DTYPES[type_]).tiny)
    least = float(np.finfo(DTYPES[type_]).smallest_subnormal)
    check(name, type_, [(v, v) for u in (0.0, tiny, least, 3 * least, 0.75 * tiny, 2 * tiny)
                        for v in (u, -u)])


@pytest.mark.parametrize("type_", DTYPES)
def test_special_values_of_sin_and_cos(type_: str) -> None:
    check("sin", type_, [(INF, NAN), (-INF, NAN), (NAN, NAN), (0.0, 0.0), (-0.0, -0.0)])
    check("cos", type_, [(INF, NAN), (-INF, NAN), (NAN, NAN), (0.0, 1.0), (-0.0, 1.0)])


# The arguments nearest to multiples of pi/2, by the method of W. Kahan, and some that are very large:
# whoever reduces them with too few bits of 2/pi has no right bit left.
HARD = {"f32": [1.5707963705062866, 16367173.0 * 2.0**72, 3.4028234663852886e38, 2.0**20, 1e10, 1e30],
        "f64": [6381956970095103.0 * 2.0**797, 1.7976931348623157e308, 1e22, 2.0**40, 2.0**40 - 2.0**-12,
                5.319372648326541e255, 1.5707963267948966]}


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", [n for n in NAMES if n in ("sin", "cos", "tan")])
def test_hard_arguments(name: str, type_: str) -> None:
    from tools.ulp import largest_error
    x = np.array([s * v for v in HARD[type_] for s in (1, -1)], DTYPES[type_])
    worst, at = largest_error(CATALOGUE[name], type_, [x], function(name, type_)(x)[0])
    assert worst <= CATALOGUE[name].bound(type_), x[at]


@pytest.mark.parametrize("type_", DTYPES)
def test_sincos_is_sin_and_cos(type_: str) -> None:
    x = sample(CATALOGUE["sincos"], type_, 5_000)[0]
    sine, cosine = function("sincos", type_)(x)
    np.testing.assert_array_equal(canonical(sine), canonical(function("sin", type_)(x)[0]))
    np.testing.assert_array_equal(canonical(cosine), canonical(function("cos", type_)(x)[0]))


@pytest.mark.parametrize("type_", DTYPES)
def test_special_values_of_the_inverses(type_: str) -> None:
    eighth, quarter, _, half = PI[type_]
    check("atan", type_, [(INF, quarter), (-INF, -quarter), (NAN, NAN), (1.0, eighth), (-1.0, -eighth)])
    above = float(np.nextafter(DTYPES[type_](1), DTYPES[type_](2)))
    outside = [(s * v, NAN) for v in (above, 1.5, float(np.finfo(DTYPES[type_]).max), INF) for s in (1, -1)]
    check("asin", type_, [*outside, (NAN, NAN), (1.0, quarter), (-1.0, -quarter), (0.0, 0.0), (-0.0, -0.0)])
    check("acos", type_, [*outside, (NAN, NAN), (1.0, 0.0), (-1.0, half), (0.0, quarter), (-0.0, quarter)])


@pytest.mark.parametrize("type_", DTYPES)
def test_special_values_of_atan2(type_: str) -> None:
    """C23, F.10.1.4; arguments are y and x."""
    eighth, quarter, three, half = PI[type_]
    info = np.finfo(DTYPES[type_])
    least, most = float(info.smallest_subnormal), float(info.max)
    quadrant = [(0.0, 0.0, 0.0), (0.0, -0.0, half), (0.0, INF, 0.0), (0.0, -INF, half), (INF, INF, eighth),
                (INF, -INF, three), (INF, 0.0, quarter), (INF, -0.0, quarter), (0.0, NAN, NAN),
                (INF, NAN, NAN), (NAN, 0.0, NAN), (NAN, INF, NAN), (NAN, NAN, NAN)]
    for v in (least, float(info.tiny), 1.0, most):
        quadrant += [(0.0, v, 0.0), (0.0, -v, half), (v, 0.0, quarter), (v, -0.0, quarter), (v, INF, 0.0),
                     (v, -INF, half), (INF, v, quarter), (INF, -v, quarter), (v, v, eighth), (v, -v, three),
                     (NAN, v, NAN), (v, NAN, NAN)]
    quadrant += [(least, most, 0.0), (least, -most, half), (most, least, quarter), (most, -least, quarter),
                 (least, 1.0, least), (least, 4.0, 0.0), (3 * least, 1.0, 3 * least)]
    check("atan2", type_, quadrant + [(-y, x, -r) for y, x, r in quadrant])


@pytest.mark.parametrize("type_", DTYPES)
def test_atan2_at_all_scales(type_: str) -> None:
    """Points whose quotient is anything, at any distance, subnormal quotients among them."""
    from tools.ulp import largest_error
    rng = np.random.default_rng(11)
    dtype = DTYPES[type_]
    bits = rng.integers(0, np.iinfo(BITS[type_]).max, 1_500, BITS[type_], endpoint=True)
    x = bits.view(dtype)
    reach = np.log2(float(np.finfo(dtype).tiny)) * 1.3
    scale = np.concatenate([rng.uniform(-3, 3, 700), np.exp2(rng.uniform(reach, 0, 800))])
    with np.errstate(all="ignore"):
        y = (x * scale).astype(dtype)
    worst, at = largest_error(CATALOGUE["atan2"], type_, [y, x], function("atan2", type_)(y, x)[0])
    assert worst <= CATALOGUE["atan2"].bound(type_), (y[at], x[at])
