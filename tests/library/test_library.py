"""The library as a whole: what is shipped is what the sources give, every name is there, programs link."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hvisa
from hvisa import HvisaError, In, Out, f16, f32, f64
from hvisa.frontends.python.names import LIBRARY, MATHEMATICS
from hvisa.library.catalogue import CATALOGUE
from hvisa.library.standard import standard_module
from tools import library, math_page, peers, ulp

ROOT = Path(__file__).parents[2]


def test_what_is_shipped_is_what_the_sources_give() -> None:
    assert library.is_current(library.compiled(), library.compiled_nodes()), "run tools/library.py"


def test_every_function_is_there_for_both_types() -> None:
    assert set(CATALOGUE) == set(MATHEMATICS)
    public = {n for n, d in standard_module("math", 1).definitions.items() if d.public}
    assert public == {symbol for function in LIBRARY.values() for symbol in function.symbols}
    assert all(f"{n}.{t}" in f.symbols for n, f in MATHEMATICS.items() for t in ("f32", "f64"))
    assert {n for n, f in MATHEMATICS.items() if f.fast} == {n for n, e in CATALOGUE.items() if e.fast}


def test_the_page_lists_every_function() -> None:
    assert math_page.is_current(), "run tools/math_page.py"


def test_the_readme_counts_them() -> None:
    """It names four and says how many more there are."""
    assert f"and {len(CATALOGUE) - 4} more" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc compiles the first look")
@pytest.mark.parametrize("type_", ["f32", "f64"])
@pytest.mark.parametrize("name", CATALOGUE)
def test_the_first_look_agrees_with_mpmath(name: str, type_: str) -> None:
    """On results, and on their neighbours; below a power of two it may give twice as much."""
    entry, dtype = CATALOGUE[name], ulp.DTYPES[type_]
    arguments = [a[-400:] for a in ulp.sample(entry, type_, 800, seed=2)]
    found = ulp.compiled(name, type_)(*arguments)[0]
    smaller = np.copysign(np.nextafter(np.abs(found), dtype(0)), found)  # zeros keep their sign
    for results in (found, smaller):
        looked = ulp.first_look(entry, type_, arguments, results)
        for at in range(0, 400, 13):
            exact = ulp.exact_error(entry, type_, [a[at] for a in arguments], results[at])
            if exact is not None:
                assert np.isclose(looked[at], [exact, 2 * exact], rtol=0, atol=2**-6).any(), (name, at)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc compiles the first look")
def test_wrong_kinds_of_results_are_counted() -> None:
    x = np.array([0, -0.0, np.inf, np.nan, -1, 1], np.float32)
    right = np.array([0, -0.0, np.nan, np.nan, np.sin(-1.0), np.sin(1.0)], np.float32)
    assert ulp.judged(CATALOGUE["sin"], "f32", [x], right).wrong == 0
    wrong = np.array([-0.0, 0, 1, np.inf, np.nan, -np.inf], np.float32)
    assert ulp.judged(CATALOGUE["sin"], "f32", [x], wrong)[2:] == (0, 6)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc calls glibc's functions")
@pytest.mark.parametrize("peer", [p for p in peers.PEERS if p != "torch"])  # which tests do without
def test_functions_of_other_libraries_mean_the_same(peer: str) -> None:
    """Within 8 ULP in the interesting range: the page compares like with like."""
    for entry in CATALOGUE.values():
        for type_ in ulp.DTYPES:
            function = peers.function_of(peer, entry.name, type_)
            arguments = math_page.points(entry, type_, 400, seed=3)
            own = ulp.compiled(entry.name, type_)(*arguments)[0]
            kept = [a[math_page.inside(entry, type_, arguments, own)] for a in arguments]
            if function is not None:
                one = ulp.judged(entry, type_, kept, function(*kept), deciding=3)
                assert one.worst < 8, (entry.name, type_, one)


@hvisa.leaf
def softmax(x: In[f32, "m", "n"], y: Out[f32, "m", "n"]):
    row = hvisa.grid("m")
    top = max(x[row, k] for k in range(x.shape[1]))
    total = sum(hvisa.exp(x[row, k] - top) for k in range(x.shape[1]))
    for k in range(x.shape[1]):
        y[row, k] = hvisa.exp(x[row, k] - top) / total


@hvisa.graph
def gelu(x: In[f32, "n"]) -> Out[f32, "n"]:
    return 0.5 * x * (1 + hvisa.erf(x * 0.7071067811865476))


@hvisa.leaf
def narrow(x: In[f16, "n"], y: Out[f16, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.log1p(x[i])


@hvisa.leaf
def lanes(x: In[f64, 8], y: Out[f64, 8]):
    i = hvisa.grid(2)
    y.vec(4)[4 * i] = hvisa.tanh(x.vec(4)[4 * i])


def test_kernels_call_it() -> None:
    x = np.random.default_rng(0).standard_normal((3, 40)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(softmax(x), e / e.sum(axis=1, keepdims=True), rtol=1e-6)
    assert gelu(np.zeros(2, np.float32)).tolist() == [0, 0]
    assert abs(gelu(np.ones(1, np.float32))[0] - 0.8413447) < 1e-6
    h = np.array([0.5, 2, -0.5], np.float16)
    assert narrow(h).tolist() == np.log1p(h.astype(np.float64)).astype(np.float16).tolist()
    y = np.linspace(-2, 2, 8)
    np.testing.assert_allclose(lanes(y), np.tanh(y), rtol=1e-15)


def test_saved_programs_keep_the_import(tmp_path: Path) -> None:
    """The version is recorded, the functions are not copied; loading links them again."""
    gelu.save(tmp_path / "gelu.hvbc")
    text = gelu.text
    assert "math 1" in text
    assert 'import "math" private func @erf.f32' in text
    again = hvisa.load(tmp_path / "gelu.hvbc").entry("gelu")
    x = np.linspace(-3, 3, 50).astype(np.float32)
    assert again(x).tobytes() == gelu(x).tobytes()


def test_plain_numbers() -> None:
    assert hvisa.exp(0.0) == 1.0
    assert isinstance(hvisa.exp(1.0), float)
    assert isinstance(hvisa.sin(np.float32(1)), np.float32)
    assert hvisa.frexp(8.0) == (0.5, 4)


def test_a_text_says_which_version() -> None:
    body = ('import "math" private func @exp.f32(%x: f32) -> (f32)\n'
            "leaf @f(%x: f32) -> (f32) {\n  %y = call @exp.f32(%x)\n  yield %y\n}\n")
    assert hvisa.load("math 1\n" + body).entry("f")(0.0) == 1.0
    with pytest.raises(HvisaError) as error:
        hvisa.load(body).entry("f")
    assert error.value.codes == ["HV0723"]


@hvisa.func
def log(a):
    return a * 100


@hvisa.leaf
def both_logs(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = log(x[i]) + hvisa.log(x[i])


def test_a_function_of_the_same_name_stays_itself() -> None:
    x = np.array([1, 2], np.float32)
    assert both_logs(x).tolist() == [np.float32(100), np.float32(200) + np.log(np.float32(2))]


@hvisa.leaf
def started(x: In[f32, "n"]) -> f32:
    return sum((x[k] for k in range(x.shape[0])), start=100.0)


@hvisa.graph
def masked(x: In[f32, "n"]) -> Out[f32, "n"]:
    return np.exp(x, where=x > 1)


@hvisa.leaf
def floored(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = np.remainder(x[i], 3.0)


@hvisa.leaf
def neighbour(x: In[f16, "n"], y: Out[f16, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.nextafter(x[i], x[i])


@pytest.mark.parametrize(("kernel", "code"), [(started, "HV1211"), (masked, "HV1211"), (floored, "HV1203"),
                                             (neighbour, "HV1207")])
def test_what_would_mean_something_else_is_refused(kernel: Any, code: str) -> None:
    with pytest.raises(HvisaError) as error:
        kernel.text  # noqa: B018
    assert error.value.codes == [code]


@pytest.mark.parametrize(("name", "points"), [
    ("exp", (59.30603790283203, -38.44)), ("expm1", (0.3809642791748047, 0.3620, 0.4055)),
    ("erfc", (0.7455316185951233,)), ("tanh", (0.06251415610313416,)), ("tgamma", (-22.67621421813965,)),
    ("lgamma", (1.982696771621704,))])
def test_the_worst_inputs_of_all_f32(name: str, points: tuple[float, ...]) -> None:
    """Those that runs over all 2^32 found (`benchmarks/long/mathematics.py`), and their neighbours."""
    start = np.array(points, np.float32).view(np.uint32)[:, None]
    x = (start + np.arange(-200, 200, dtype=np.int32).astype(np.uint32)).astype(np.uint32).ravel()
    x = x.view(np.float32)
    found = ulp.compiled(name, "f32")(x)[0]
    worst, at = ulp.largest_error(CATALOGUE[name], "f32", [x], found)
    assert worst <= CATALOGUE[name].bound("f32"), x[at]
