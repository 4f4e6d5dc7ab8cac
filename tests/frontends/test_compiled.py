"""Decorated functions as objects: saving, pictures, calls and their options, threads, where they are
defined."""

from __future__ import annotations

import linecache
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hvisa
from hvisa import In, InOut, Out, f32, i32, index
from hvisa.assembler.encoder import encode
from hvisa.assembler.parser import parse
from hvisa.decorated import Compiled
from hvisa.graph.verifier import verify
from tests.frontends import kernels
from tests.program.conftest import own_cache

__all__ = ["own_cache"]

ALL = [f for f in vars(kernels).values() if isinstance(f, Compiled) and f.kind != "func"]


@hvisa.leaf
def scaled(a: f32, x: In[f32, "n"], y: InOut[f32, "n"], z: Out[f32, "n"]):
    """y is scaled in place."""
    i = hvisa.grid("n")
    y[i] = a * x[i]
    z[i] = -y[i]


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_the_text_is_the_module(function: Compiled) -> None:
    again = parse(function.text)
    verify(again)
    assert encode(again) == encode(function.module)


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_saved_and_loaded(function: Compiled, tmp_path: Path) -> None:
    for ending in (".hvbc", ".hvasm"):
        function.save(tmp_path / f"k{ending}")
        loaded = hvisa.load(tmp_path / f"k{ending}")
        assert encode(loaded.module, source_map=False) == encode(function.module)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.hvasm", "k.hvbc"]


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(hvisa.HvisaError) as error:
        scaled.save(tmp_path / "k.txt")
    assert error.value.codes == ["HV1021"]
    assert not list(tmp_path.iterdir())


@hvisa.leaf
def shifted(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    y[i] = x[i + 1]


def test_a_trap_after_loading_names_the_python_line(tmp_path: Path) -> None:
    shifted.save(tmp_path / "k.hvbc")
    line = shifted.python.__code__.co_firstlineno + 3
    for entry in (shifted.entry, hvisa.load(tmp_path / "k.hvbc").entry()):
        with pytest.raises(hvisa.HvisaTrap) as trap:
            entry(np.zeros(2, np.int32))
        span = trap.value.diagnostics[0].span
        assert (span.source.name, span.line, span.column) == ("test_compiled.py", line, 12)


def test_pictures(tmp_path: Path) -> None:
    picture = scaled.graph()
    assert str(picture).startswith(("<svg", "<?xml")) and "scaled" in str(picture)
    assert picture._repr_svg_() == str(picture)
    picture.save(tmp_path / "g.svg")
    assert (tmp_path / "g.svg").read_text() == str(picture)


def test_signature_and_python() -> None:
    assert [(p.direction, p.name, p.text) for p in scaled.entry.signature.ports] == [
        ("value", "a", "f32"), ("in", "x", "buf<f32>[%n]"), ("inout", "y", "buf<f32>[%n]"),
        ("out", "z", "buf<f32>[%n]")]
    assert scaled.__name__ == "scaled" and scaled.__doc__ == "y is scaled in place."
    assert scaled.python.__name__ == "scaled"
    assert repr(scaled) == "<hvisa leaf scaled>"


def test_options_of_calls() -> None:
    x, y, z = np.arange(3, dtype=np.float32), np.ones(3, np.float32), np.zeros(3, np.float32)
    made = scaled(2.0, x, y, copy=True, timeout=10, device="reference")
    assert y.tolist() == [1, 1, 1] and made.y.tolist() == [0, 2, 4]
    made = scaled(a=2.0, x=x, y=y, out={"z": z})
    assert made.y is y and made.z is z
    assert y.tolist() == [0, 2, 4] and z.tolist() == [0, -2, -4]
    for wrong in ({"timout": 3}, {"timeout": 0}, {"device": "moon"}, {"out": {"q": z}}):
        with pytest.raises(hvisa.HvisaError) as error:
            scaled(2.0, x, y, **wrong)
        assert len(error.value.codes) == 1
    assert scaled.entry.run({"a": 1.0, "x": x, "y": y}, trace_instance=None).y is y


def test_a_function_is_not_launched() -> None:
    with pytest.raises(hvisa.HvisaError) as error:
        kernels.square(2.0)
    assert error.value.codes == ["HV1223"]
    assert kernels.square.python(-3) == -9


def test_a_first_call_of_many_threads() -> None:
    @hvisa.leaf
    def fresh(x: In[i32, "n"], y: Out[i32, "n"]):
        i = hvisa.grid("n")
        y[i] = x[i] * 3

    gate = threading.Barrier(8)
    found: list[Any] = [None] * 8

    def call(number: int) -> None:
        gate.wait()
        try:
            found[number] = (fresh(np.full(5, number, np.int32)).tolist(), fresh.program, fresh.entry)
        except BaseException as error:
            found[number] = error
    threads = [threading.Thread(target=call, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [f[0] for f in found] == [[3 * n] * 5 for n in range(8)]
    assert len({id(f[1]) for f in found}) == len({id(f[2]) for f in found}) == 1


def adder(amount: int) -> Compiled:
    @hvisa.func
    def plus(x):
        return x + amount

    @hvisa.leaf
    def added(x: In[i32, "n"], y: Out[i32, "n"]):
        i = hvisa.grid("n")
        y[i] = plus(x[i])
    return added


def test_what_a_function_closes_over_is_a_constant() -> None:
    x = np.arange(3, dtype=np.int32)
    assert [adder(a)(x, device="reference").tolist() for a in (1, 10)] == [[1, 2, 3], [10, 11, 12]]


CELL = """import hvisa
from hvisa import Out, i32
@hvisa.leaf
def cell(y: Out[i32, 2]):
    y[1] = 5
"""


def run_cell(text: str, name: str = "<ipython-input-3-0123456789ab>") -> dict[str, Any]:
    """As notebooks run a cell."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), names)
    return names


def test_in_a_notebook() -> None:
    cell = run_cell(CELL)["cell"]
    assert cell(device="reference").tolist() == [0, 5]
    bad = run_cell(CELL.replace("= 5", "= q"), "<ipython-input-4-0123456789ab>")["cell"]
    with pytest.raises(hvisa.HvisaError) as error:
        bad()
    assert error.value.codes == ["HV1202"]
    assert error.value.diagnostics[0].span.line == 5
    again = run_cell(CELL.replace("= 5", "= 6"))["cell"]
    assert again(device="reference").tolist() == [0, 6]
    assert cell(device="reference").tolist() == [0, 5]


def test_without_a_text() -> None:
    names: dict[str, Any] = {}
    exec(compile(CELL, "<string>", "exec"), names)
    with pytest.raises(hvisa.HvisaError) as error:
        names["cell"]()
    assert error.value.codes == ["HV1201"]


class Holder:
    def method(self, x: In[f32, "n"]) -> None:
        pass

    @staticmethod
    def static(y: Out[f32, 1]) -> None:
        y[0] = 3


@pytest.mark.parametrize("wrong", [Holder, Holder.method, Holder().method, len, 3, scaled, np.add],
                         ids=lambda w: getattr(w, "__name__", str(w)))
@pytest.mark.parametrize("decorate", [hvisa.leaf, hvisa.leaf(private=True), hvisa.func, hvisa.graph],
                         ids=["leaf", "leaf(...)", "func", "graph"])
def test_what_is_no_plain_function_is_refused(decorate: Callable[..., Any], wrong: Any) -> None:
    with pytest.raises(hvisa.HvisaError) as error:
        decorate(wrong)
    assert error.value.codes == ["HV1224"]


def test_a_static_method_and_a_lambda() -> None:
    assert hvisa.leaf(Holder.static)(device="reference").tolist() == [3]
    with pytest.raises(hvisa.HvisaError) as error:
        hvisa.leaf(lambda y: None)()
    assert error.value.codes == ["HV1201"]


@pytest.mark.parametrize("options", [
    {"privat": True}, {"effect": "none"}, {"effect": 2}, {"fast": ("quick",)}, {"fast": 3},
    {"attributes": {"hints": {}}}, {"attributes": 1}])
def test_options_that_are_not_there(options: dict[str, Any]) -> None:
    with pytest.raises(hvisa.HvisaError) as error:
        hvisa.leaf(**options)(scaled.python)
    assert error.value.codes == ["HV1233"]


def test_lanes_that_branches_and_loops_set() -> None:
    @hvisa.leaf
    def lanes(x: In[f32, "4*n"], y: Out[f32, "4*n"], n: index):
        i = hvisa.grid(n)
        v = x.vec(4)[4 * i]
        w = v
        if v[0] > 0:
            v[1] = 7
        for _ in range(3):
            w[2] = w[2] + 1
        y.vec(4)[4 * i] = v + w
    x = np.array([1, 2, 3, 4], np.float32)
    assert lanes(x, n=1, device="reference").tolist() == [2, 9, 9, 8]
    assert lanes(-x, n=1, device="reference").tolist() == [-2, -4, -3, -8]


@hvisa.leaf
def columns(x: In[f32, "n", "m", hvisa.strided], y: Out[f32, "n", "m"]):
    i, j = hvisa.grid("n", "m")
    y[i, j] = x[i, j]


@hvisa.leaf
def edges_kept(x: In[f32, "n"], y: Out[f32, "n", hvisa.copy_of("x")]):
    i = hvisa.grid("n")
    y.skip[i + 1] = 7.0


def test_markers_stand_behind_the_dimensions() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert columns(x.T).tolist() == x.T.tolist()
    assert "in strided %x" in columns.text
    assert edges_kept(np.array([1, 2, 3], np.float32)).tolist() == [1, 7, 7]
