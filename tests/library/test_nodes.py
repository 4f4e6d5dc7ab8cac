"""Library nodes against numpy, on each device; the order of scans against that of the specification."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import hvisa
from hvisa import In, Out, f16, f32, i1, i8, i32, i64, u8
from hvisa.library.standard import library_bytes, module_names, standard_module
from hvisa.runtime.arguments import bind
from hvisa.spec.families import FAMILIES, NODE_NAMES, SCANS, node_names
from hvisa.spec.types import ScalarType
from tests.conformance.native import make_launcher
from tools import nodes_page

DEVICES = ("x86", "multicore")
SIZES = (0, 1, 15, 16, 17, 1023, 1024, 1025, 5000)


@functools.cache
def node(family: str, name: str, type_: str, device: str) -> Any:
    module = library_bytes(f"{family}.{type_}", 1)
    return hvisa.load(module, device=device).entry(f"{name}.{type_}")


def numbers(type_: ScalarType, count: int, seed: int = 0) -> np.ndarray:
    """Elements with many equal ones; of floats also the special ones."""
    rng = np.random.default_rng(seed + count)
    if type_ is hvisa.bf16:
        import ml_dtypes
        return numbers(f32, count, seed).astype(ml_dtypes.bfloat16)
    dtype = np.dtype(type_.dtype_name)
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        wide = rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
        return np.where(rng.random(count) < 0.5, wide, (wide % 5).astype(dtype))
    found = rng.standard_normal(count).astype(dtype)
    found[rng.random(count) < 0.3] = 0.5
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], dtype)
    place = rng.random(count) < 0.1
    found[place] = special[rng.integers(0, 5, int(place.sum()))]
    return found


def same(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Equal bits, but for those of NaN."""
    nan = found != found
    return found.dtype == wanted.dtype and np.array_equal(nan, wanted != wanted) and \
        found[~nan].tobytes() == wanted[~nan].tobytes()


def test_the_names_are_those_of_the_archive() -> None:
    modules = {f"{f}.{t}" for f, family in FAMILIES.items() for t in family.types}
    assert module_names(1) == modules | {"math"}
    for name in modules:
        family, _, type_ = name.partition(".")
        public = {n for n, d in standard_module(name, 1).definitions.items() if d.public}
        assert public == set(node_names(family, next(t for t in FAMILIES[family].types if t.name == type_)))
        assert public <= NODE_NAMES


@pytest.mark.parametrize("type_", FAMILIES["sort"].types, ids=str)
def test_sorting(type_: ScalarType) -> None:
    for device in DEVICES:
        for count in (*SIZES, 33000, 70000):
            x = numbers(type_, count)
            order = np.argsort(x.astype(np.float64) if x.dtype.kind not in "iu" else x, kind="stable")
            assert node("sort", "argsort", str(type_), device)(x).tolist() == order.tolist()
            assert same(node("sort", "sort", str(type_), device)(x), x[order])
            keys, values = node("sort", "sort_pairs", str(type_), device)(x, np.arange(count) * 3)
            assert same(keys, x[order])
            assert np.array_equal(values, order * 3)


def test_reference_sorts_too() -> None:
    x = numbers(f32, 400)
    assert np.array_equal(node("sort", "argsort", "f32", "reference")(x), np.argsort(x, kind="stable"))


def scanned(op: str, x: np.ndarray) -> np.ndarray:
    """The inclusive scan in the order that docs/spec/nodes.md states."""
    join: Any = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}[op]
    out = x.copy()
    start: Any = None
    for block in range(0, len(x), 1024):
        carry: Any = None
        for group in range(block, min(block + 1024, len(x)), 16):
            s = x[group:min(group + 16, block + 1024)].copy()
            for h in (1, 2, 4, 8):
                s[h:] = join(s[:-h], s[h:]) if h < len(s) else s[h:]
            s = s if carry is None else join(carry, s)
            carry = s[-1]
            out[group:group + len(s)] = s if start is None else join(start, s)
        start = out[min(block + 1024, len(x)) - 1]
    return out


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("op", SCANS)
@pytest.mark.parametrize("type_", FAMILIES["scan"].types, ids=str)
def test_scans(type_: ScalarType, op: str) -> None:
    first = {"add": 0, "mul": 1}.get(op)
    for device in ("reference", *DEVICES):
        for count in SIZES if device != "reference" else (0, 17, 1025):
            x = numbers(type_, count)
            wanted = scanned(op, x)
            assert same(node("scan", f"scan_{op}", str(type_), device)(x), wanted)
            exclusive = node("scan", f"scan_{op}_exclusive", str(type_), device)(x)
            assert same(exclusive[1:], wanted[:-1])
            if count and first is not None:
                assert exclusive[0] == first
                assert not np.signbit(exclusive[0])


def results_of(entry: Any, x: np.ndarray) -> list[np.ndarray]:
    return [np.array([v]) for v in entry.values({"x": x})]


@pytest.mark.parametrize("type_", FAMILIES["reduce"].types, ids=str)
def test_reductions(type_: ScalarType) -> None:
    """The bits of one `reduce` over the buffer, whatever the device."""
    kinds = {"any": "any", "all": "all"} if type_ is i1 else {
        "sum": "add", "product": "mul", "min": "min", "max": "max", "argmin": "argmin", "argmax": "argmax"}
    for name, op in kinds.items():
        place = ", index" if op.startswith("arg") else ""
        results = "%v, %at" if place else "%v"
        one = hvisa.load(f"""leaf @one(in %x: buf<{type_}>[%n]) -> ({type_}{place}) {{
  {results} = reduce.{op} {type_} over (%k in 0 .. %n) {{
    %e = load %x[%k]
    yield %e
  }}
  yield {results}
}}
""", device="reference").entry("one")
        for count in (0, 1, 4095, 4096, 4097, 12289, 20500):
            x = numbers(type_, count)
            wanted = results_of(one, x)
            for device in DEVICES:
                found = results_of(node("reduce", name, str(type_), device), x)
                assert all(map(same, found, wanted)), (name, count, device, found, wanted)


@pytest.mark.parametrize("device", DEVICES)
def test_reductions_along_an_axis(device: str) -> None:
    x = np.random.default_rng(2).integers(-100, 100, (37, 53)).astype(np.int32)
    for name, numpy in (("sum", np.sum), ("min", np.min), ("max", np.max)):
        for axis in (0, 1):
            assert np.array_equal(node("reduce", f"{name}_axis{axis}", "i32", device)(x), numpy(x, axis))
    for axis in (0, 1):
        best, place = node("reduce", f"argmax_axis{axis}", "i32", device)(x)
        assert np.array_equal(place, np.argmax(x, axis))
        assert np.array_equal(best, np.max(x, axis))
        assert np.array_equal(node("reduce", f"any_axis{axis}", "i1", device)(x > 97), np.any(x > 97, axis))


@pytest.mark.parametrize("device", ["reference", *DEVICES])
def test_histograms(device: str) -> None:
    rng = np.random.default_rng(3)
    for count, bins in ((0, 4), (300, 1), (300, 7), (2000, 100), (2000, 5000)):
        if device == "reference" and count * bins > 10_000:
            continue
        x = np.concatenate([rng.standard_normal(count), np.linspace(-2, 2, bins + 1),
                            [np.nan, np.inf, -3, 2, np.nextafter(2, 3)]])
        finite = x[np.isfinite(x)]
        assert np.array_equal(node("histogram", "histogram", "f64", device)(x, -2, 2, bins),
                              np.histogram(finite, bins, (-2, 2))[0])
        k = rng.integers(0, bins, count).astype(np.uint8 if bins < 256 else np.int32)
        name = "u8" if bins < 256 else "i32"
        assert np.array_equal(node("histogram", "bincount", name, device)(k, bins),
                              np.bincount(k, minlength=bins))


def test_histograms_refuse_what_they_cannot_count() -> None:
    with pytest.raises(hvisa.HvisaTrap) as trap:
        node("histogram", "bincount", "i32", "x86")(np.array([0, 7], np.int32), 7)
    assert trap.value.code == "HV0902"
    most = float(np.finfo(np.float32).max)
    for low, high in ((1, 1), (2, 1), (-most, most), (0, np.inf), (0, np.nan), (0, 4e-45)):
        with pytest.raises(hvisa.HvisaTrap, match="needs low < high"):
            node("histogram", "histogram", "f32", "x86")(np.ones(3, np.float32), low, high, 4)


@pytest.mark.parametrize("device", ["reference", *DEVICES])
def test_compaction(device: str) -> None:
    for type_ in FAMILIES["compact"].types:
        for share in (0.0, 0.4, 1.0):
            x = numbers(type_, 200)
            keep = np.random.default_rng(4).random(200) < share
            assert same(node("compact", "compact", str(type_), device)(x, keep), x[keep])
            assert np.array_equal(node("compact", "nonzero", "i1", device)(keep), np.flatnonzero(keep))


# -- from Python ----------------------------------------------------------------------------------------

@hvisa.graph
def several(x: In[f32, "n"], k: In[i32, "n"]) -> tuple[
        Out[f32, "n"], Out[f32, "n"], Out[i64, "n"], Out[i64, 7], Out[i64, 5], Out[i64, "n"]]:
    return (hvisa.scan("max", x * 2), np.sort(x), np.argsort(-x), hvisa.bincount(k, 7),
            hvisa.histogram(x, 5, -1, 1), np.cumsum(k))


@hvisa.graph
def pairs(x: In[f32, "n"], k: In[u8, "n"]) -> tuple[Out[f32, "n"], Out[u8, "n"]]:
    keys, values = hvisa.sort_pairs(x, np.take(k, hvisa.arange(len(k))))
    return keys, values


@hvisa.graph
def kept(x: In[f32, "n"], y: Out[f32, "f <= n"], at: Out[i64, "g <= n"]) -> f32:
    y = hvisa.compact(x, x > 0)
    at = np.flatnonzero(x > 0)
    return hvisa.sum(2 * x[x < 0]) + 0 * np.sum(np.compress(x < 0, x))


@hvisa.graph
def narrow(x: In[i8, "n"], h: In[f16, "n"]) -> tuple[
        Out[i64, "n"], Out[i8, "n"], Out[f16, "n"], Out[f16, "n"], Out[i8, "n"]]:
    return (np.cumsum(x), hvisa.scan("add", x), np.cumprod(h), np.sort(h),
            x[np.argsort(x)])


def test_graphs_in_python_use_them() -> None:
    rng = np.random.default_rng(5)
    x, k = rng.standard_normal(100).astype(np.float32), (np.arange(100) % 7).astype(np.int32)
    top, ordered, order, counts, classes, total = several(x, k)
    assert np.array_equal(top, np.maximum.accumulate(2 * x))
    assert np.array_equal(ordered, np.sort(x))
    assert np.array_equal(order, np.argsort(-x, kind="stable"))
    assert np.array_equal(counts, np.bincount(k))
    assert np.array_equal(classes, np.histogram(x, 5, (-1, 1))[0])
    assert np.array_equal(total, np.cumsum(k))
    keys, values = pairs(x, k.astype(np.uint8))
    assert np.array_equal(keys, np.sort(x))
    assert np.array_equal(values, k[np.argsort(x, kind="stable")])
    positive, at, negative = kept(x)
    assert np.array_equal(positive, x[x > 0])
    assert np.array_equal(at, np.flatnonzero(x > 0))
    assert abs(negative - 2 * x[x < 0].sum()) < 1e-3


def test_narrow_types_go_through_wide_ones() -> None:
    x, h = np.arange(-60, 60, 5).astype(np.int8), np.linspace(0.9, 1.1, 24).astype(np.float16)
    total, wrapped, product, ordered, again = narrow(x, h)
    assert np.array_equal(total, np.cumsum(x))
    assert np.array_equal(wrapped, np.cumsum(x, dtype=np.int8))
    np.testing.assert_allclose(product, np.cumprod(h.astype(float)), rtol=1e-3)
    assert np.array_equal(ordered, np.sort(h))
    assert np.array_equal(again, np.sort(x))


def test_the_page_is_current_and_its_program_runs() -> None:
    assert nodes_page.is_current(), "run tools/nodes_page.py"
    text = nodes_page.PAGE.read_text(encoding="utf-8").split("```")[1].removeprefix("\n")
    x = np.arange(5, dtype=np.float32)
    assert hvisa.load(text).entry("running")(x).tolist() == [0, 1, 3, 6, 10]


def test_an_import_says_the_version() -> None:
    text = nodes_page.PAGE.read_text(encoding="utf-8").split("```")[1].replace("math 1\n", "")
    with pytest.raises(hvisa.HvisaError) as error:
        hvisa.load(text).entry("running")
    assert error.value.codes == ["HV0723"]


@hvisa.leaf(name="sort.f32.digit")
def called_as_a_part_of_the_library(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = 10 * x[i]


@hvisa.graph
def with_its_own(x: In[f32, "n"]) -> tuple[Out[f32, "n"], Out[f32, "n"]]:
    return called_as_a_part_of_the_library(x), np.sort(x, kind="stable")


@hvisa.leaf(name="sort.f32")
def called_as_the_library(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = 10 * x[i]


@hvisa.graph
def with_another(x: In[f32, "n"]) -> tuple[Out[f32, "n"], Out[f32, "n"]]:
    return called_as_the_library(x), np.sort(x)


@hvisa.graph
def unequal(x: In[f32, "n"], y: In[f32, "m"]) -> Out[f32, "n"]:
    _, values = hvisa.sort_pairs(x, y)
    return values


def test_names_of_a_program_stay_its_own() -> None:
    x = np.array([3, 1, 2], np.float32)
    own, ordered = with_its_own(x)
    assert own.tolist() == [30, 10, 20]
    assert ordered.tolist() == [1, 2, 3]
    for graph, code in ((with_another, "HV0103"), (unequal, "HV1225")):
        with pytest.raises(hvisa.HvisaError) as error:
            graph.text  # noqa: B018
        assert error.value.codes == [code]


@hvisa.graph
def firsts(a: In[i8, "n"], b: In[u8, "n"], c: In[i1, "n"]) -> tuple[
        Out[i8, "n"], Out[i8, "n"], Out[u8, "n"], Out[i1, "n"], Out[i1, "n"], Out[i8, "n"]]:
    return (hvisa.scan("max", a, exclusive=True), hvisa.scan("min", a, exclusive=True),
            hvisa.scan("min", b, exclusive=True), hvisa.scan("max", c, exclusive=True),
            hvisa.scan("min", c, exclusive=True), hvisa.scan("add", a, exclusive=True))


def test_exclusive_scans_of_narrow_types_begin_with_their_own_limits() -> None:
    found = firsts(np.array([100, 100, 3], np.int8), np.array([5, 4, 3], np.uint8),
                   np.array([0, 1, 0], bool))
    assert [f.tolist() for f in found] == [[-128, 100, 100], [127, 100, 100], [255, 5, 4],
                                           [False, False, True], [True, False, False], [0, 100, -56]]


def test_the_best_of_approximate_elements_is_one_of_them() -> None:
    """A division that may be approximate is done once for each element."""
    best = hvisa.load("""
leaf @best(in %x: buf<f32>[%n], in %w: buf<f32>[%n]) -> (f32, index) inexact {
  %v, %at = reduce.argmax f32 over (%k in 0 .. %n) {
    %e = load.zero %x[%k]
    %f = load.zero %w[%k]
    %r = div.fast %e, %f
    yield %r
  }
  yield %v, %at
}
""", device="x86").entry("best")
    rng = np.random.default_rng(6)
    for count in range(65, 131):
        x, w = rng.uniform(1, 2, (2, count)).astype(np.float32)
        value, place = best(x, w)
        assert place == np.argmax(x / w)
        assert abs(value - (x / w).max()) < 1e-5


@pytest.mark.parametrize(("module", "name", "more"), [
    ("reduce.f32", "sum", ()), ("reduce.f32", "argmax", ()), ("scan.f32", "scan_add", ()),
    ("sort.f32", "argsort", ()), ("histogram.f32", "histogram", (-1.0, 1.0, 9))])
def test_any_number_of_threads_gives_the_same_bits(module: str, name: str, more: tuple[float, ...]) -> None:
    linked = hvisa.load(library_bytes(module, 1)).module
    x = numbers(f32, 70_000)
    launcher = make_launcher("multicore", linked, f"{name}.f32", serial_work=0)
    taken = [p.name for p in launcher.signature.ports if p.direction != "out"]
    given = dict(zip(taken, (x, *more), strict=True))
    found: list[list[bytes]] = []
    for threads in (1, 2, 3):
        launcher.limit_threads(threads)
        values = launcher.launch(bind(launcher.signature, given, None, True))
        found.append([np.asarray(v).tobytes() for v in values])
    assert found[0] == found[1] == found[2]
    entry = node(*module.split(".")[:1], name, "f32", "x86")
    assert found[0] == [np.asarray(v).tobytes() for v in entry.values(given)]
