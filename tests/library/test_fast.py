"""Fast variants of the mathematics: errors on their domain, special values, equal bits, who calls them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mpmath")

import hvisa
from hvisa import HvisaError, In, Out, f16, f32, f64
from hvisa.library.catalogue import CATALOGUE
from hvisa.library.standard import standard_module
from tools.ulp import DTYPES, compiled, in_fast_domain, largest_error, measure, sample

NAMES = [n for n, e in CATALOGUE.items() if e.fast is not None]
INF, NAN = float("inf"), float("nan")
PI, HALF = np.pi, np.pi / 2


@functools.cache
def function(name: str, type_: str, device: str = "x86") -> Any:
    return compiled(name, type_, device, fast=True)


def bits(found: np.ndarray) -> np.ndarray:
    """Bits, every NaN as one number (semantics 13)."""
    raw = found.view(np.uint32 if found.dtype == np.float32 else np.uint64)
    return np.where(np.isnan(found), 1, raw)


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_errors_stay_below_the_bound(name: str, type_: str) -> None:
    worst, at = measure(name, type_, 20_000 if type_ == "f32" else 1_000, seed=7, fast=True)
    bound = CATALOGUE[name].fast_bound(type_)
    assert bound is not None
    assert worst <= bound <= 4, (worst, at)


def test_the_domains_are_tried() -> None:
    """What is left of a sample is much, with points at both ends of the domain."""
    for name in NAMES:
        arguments = sample(CATALOGUE[name], "f32", 2_000)
        assert in_fast_domain(name, "f32", arguments).mean() > 0.25, name
    x = np.array([65536, 65537, 2.0**-126, 2.0**-127, -87.0, -86.0], np.float32)
    assert in_fast_domain("sin", "f32", [x]).tolist() == [True, False, True, True, True, True]
    assert in_fast_domain("log", "f32", [x]).tolist() == [True, True, True, False, True, True]
    assert in_fast_domain("exp", "f32", [x]).tolist() == [True, True, True, True, False, True]


LOG = [(0.0, -INF), (-0.0, -INF), (-1.0, NAN), (-INF, NAN), (INF, INF), (NAN, NAN), (1.0, 0.0)]
SINE = [(0.0, 0.0), (-0.0, 0.0), (NAN, NAN), (INF, NAN), (-INF, NAN)]
ODD = [(0.0, 0.0), (-0.0, -0.0), (NAN, NAN)]
EXP = [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (1e30, INF), (-1e30, 0.0)]
SPECIAL: dict[str, list[tuple[float, ...]]] = {
    "exp": EXP, "exp2": [*EXP, (3, 8), (-20, 2.0**-20), (127, 2.0**127)], "exp10": EXP,
    "expm1": [(0.0, 0.0), (-0.0, 0.0), (INF, INF), (-INF, -1), (NAN, NAN), (1e30, INF)],
    "sinh": [*ODD, (INF, INF), (-INF, -INF)],
    "cosh": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, INF), (NAN, NAN)],
    "tanh": [*ODD, (INF, 1), (-INF, -1), (30, 1)],
    "log": LOG, "log2": [*LOG, (8, 3), (2.0**-100, -100)], "log10": LOG,
    "log1p": [(0.0, 0.0), (-0.0, 0.0), (-1, -INF), (-2, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "asinh": [*ODD, (INF, INF), (-INF, -INF)],
    "acosh": [(1, 0.0), (0.5, NAN), (-INF, NAN), (INF, INF), (NAN, NAN)],
    "atanh": [*ODD, (1, INF), (-1, -INF), (1.5, NAN), (-INF, NAN)],
    "sin": SINE, "tan": SINE, "sincos": SINE, "cos": [(INF, NAN), (-INF, NAN), (NAN, NAN)],
    "asin": [*ODD, (2, NAN), (-INF, NAN), (1, HALF), (-1, -HALF)],
    "acos": [(1, 0.0), (-1, PI), (0, HALF), (2, NAN), (NAN, NAN)],
    "atan": [*ODD, (INF, HALF), (-INF, -HALF)],
    "atan2": [(0.0, 1, 0.0), (-0.0, 1, -0.0), (0.0, -1, PI), (-0.0, -1, -PI), (0.0, 0.0, 0.0),
              (-0.0, 0.0, -0.0), (0.0, -0.0, PI), (1, 0.0, HALF), (-1, -0.0, -HALF), (1, INF, 0.0),
              (-1, -INF, -PI), (INF, 1, HALF), (INF, INF, NAN), (NAN, 1, NAN), (1, NAN, NAN)],
    "cbrt": [*ODD, (INF, INF), (-INF, -INF)], "erf": [*ODD, (INF, 1), (-INF, -1), (7, 1)],
    "pow": [(2, 0, 1), (NAN, 0, 1), (1, NAN, 1), (-1, INF, 1), (0.0, -1, INF), (-0.0, -3, -INF),
            (-0.0, 3, -0.0), (-2, 2, 4), (-2, 3, -8), (-2, 0.5, NAN), (INF, -1, 0.0), (0.5, INF, 0.0),
            (0.5, -INF, INF), (2, 1e30, INF), (2, -1e30, 0.0), (2, 10, 1024), (NAN, 1, NAN)],
    "hypot": [(3, 4, 5), (INF, 1, INF), (1, -INF, INF), (NAN, 1, NAN), (0.0, 0.0, 0.0), (-7, 0.0, 7)]}


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_special_values(name: str, type_: str) -> None:
    *columns, wanted = (np.array(c, DTYPES[type_]) for c in zip(*SPECIAL[name], strict=True))
    found = function(name, type_)(*columns)[0]
    wrong = [(SPECIAL[name][n], found[n]) for n in np.nonzero(bits(found) != bits(wanted))[0]]
    assert not wrong


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", ["sin", "cos", "sincos"])
def test_beyond_the_domain_there_are_numbers_of_the_range(name: str, type_: str) -> None:
    x = sample(CATALOGUE[name], type_, 20_000)[0]
    x = x[np.isfinite(x) & ~in_fast_domain(name, type_, [x])]
    assert len(x) > 1_000
    for found in function(name, type_)(x):
        assert (np.abs(found) <= 1).all()


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_bits_are_equal_on_every_device(name: str, type_: str) -> None:
    arguments = [a[::11] for a in sample(CATALOGUE[name], type_, 300, seed=9)]
    wanted = function(name, type_, "reference")(*arguments)
    for device in ("x86", "multicore"):
        for a, b in zip(wanted, function(name, type_, device)(*arguments), strict=True):
            np.testing.assert_array_equal(bits(a), bits(b), err_msg=device)


def test_the_library_says_that_they_are_inexact() -> None:
    effects = {n: d.effect for n, d in standard_module("math", 1).definitions.items() if d.public}
    assert {n for n, e in effects.items() if e} == {f"{n}.{t}.fast" for n in NAMES for t in ("f32", "f64")}


@hvisa.leaf(fast=True)
def fast_leaf(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.sin(x[i]) + hvisa.erfc(x[i])


@hvisa.leaf(fast=("approximate",))
def approximate_leaf(x: In[f64, "n"], y: Out[f64, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.sin(x[i])


@hvisa.leaf(fast=("contract",))
def contracted_leaf(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.sin(x[i])


@hvisa.leaf
def strict_leaf(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.sin(x[i])


@hvisa.leaf(fast=True)
def narrow_leaf(x: In[f16, "n"], y: Out[f16, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.exp(x[i])


@hvisa.leaf(fast=True)
def lanes(x: In[f64, 8], y: Out[f64, 8]):
    i = hvisa.grid(2)
    y.vec(4)[4 * i] = hvisa.tanh(x.vec(4)[4 * i])


@hvisa.graph
def fast_graph(x: In[f32, "n"]) -> Out[f32, "n"]:
    return fast_leaf(x) * 2


@hvisa.graph
def strict_graph(x: In[f32, "n"]) -> Out[f32, "n"]:
    return np.exp(x) * 2


def imported(kernel: Any) -> list[str]:
    return sorted(d.name for d in kernel.module.definitions.values() if d.source_module == "math")


@pytest.mark.parametrize(("kernel", "names"), [
    (fast_leaf, ["erfc.f32", "sin.f32.fast"]), (approximate_leaf, ["sin.f64.fast"]),
    (contracted_leaf, ["sin.f32"]), (strict_leaf, ["sin.f32"]), (narrow_leaf, ["exp.f32.fast"]),
    (lanes, ["tanh.f64.fast"]), (fast_graph, ["erfc.f32", "sin.f32.fast"]), (strict_graph, ["exp.f32"])])
def test_the_flag_chooses_the_variant(kernel: Any, names: list[str]) -> None:
    assert imported(kernel) == names
    assert ('import "math" private func @sin.f32.fast(%x: f32) -> (f32) inexact' in kernel.text) == (
        "sin.f32.fast" in names)


def test_kernels_run_with_them() -> None:
    x = np.linspace(-3, 3, 100).astype(np.float32)
    np.testing.assert_array_equal(bits(fast_graph(x)), bits(2 * fast_leaf(x)))
    wide = x.astype(np.float64)
    np.testing.assert_array_equal(bits(approximate_leaf(wide)), bits(function("sin", "f64")(wide)[0]))
    np.testing.assert_array_equal(bits(lanes(wide[:8])), bits(function("tanh", "f64")(wide[:8])[0]))


@hvisa.func(fast=True)
def quick(x):
    return hvisa.exp(x)


@hvisa.leaf
def exact_caller(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = quick(x[i])


@hvisa.leaf(effect="inexact")
def inexact_caller(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = quick(x[i])


def test_who_calls_an_inexact_function_is_inexact() -> None:
    x = np.zeros(3, np.float32)
    assert inexact_caller(x).tolist() == [1, 1, 1]
    with pytest.raises(HvisaError) as caught:
        exact_caller(x)
    assert caught.value.codes == ["HV0701"]
    effects = {d.name: d.effect for d in fast_graph.module.definitions.values()}
    assert effects == {"sin.f32.fast": 1, "erfc.f32": 0, "fast_leaf": 1, "fast_graph.result": 0,
                       "fast_graph": 1}


@pytest.mark.parametrize(("effects", "code"), [(("", " inexact"), "HV0722"), ((" inexact", ""), "HV0701")])
def test_a_text_says_that_they_are_inexact(effects: tuple[str, str], code: str) -> None:
    """In the import, and on whoever calls it."""
    text = ('math 1\nimport "math" private func @exp.f32.fast(%x: f32) -> (f32){}\n'
            "leaf @f(%x: f32) -> (f32){} {{\n  %y = call @exp.f32.fast(%x)\n  yield %y\n}}\n")
    assert hvisa.load(text.format(" inexact", " inexact")).entry("f")(0.0) == 1.0
    with pytest.raises(HvisaError) as caught:
        hvisa.load(text.format(*effects)).entry("f")
    assert caught.value.codes == [code]


@pytest.mark.parametrize("type_", DTYPES)
def test_the_cosine_of_sincos(type_: str) -> None:
    """The catalogue's oracle judges the sine alone. Among the points are multiples of pi/2 up to the end of
    the domain, where the reduction loses most."""
    most = 2**16 if type_ == "f32" else 2**30
    rng = np.random.default_rng(5)
    turns = rng.integers(1, int(most / HALF), 600) * HALF
    x = np.concatenate([turns, rng.uniform(-most, most, 600)]).astype(DTYPES[type_])
    sine, cosine = function("sincos", type_)(x)
    for name, found in (("sin", sine), ("cos", cosine), ("sin", function("sin", type_)(x)[0]),
                        ("cos", function("cos", type_)(x)[0])):
        worst, at = largest_error(CATALOGUE[name], type_, [x], found)
        assert worst <= 4, (name, x[at])
