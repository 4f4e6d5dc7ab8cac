"""Imports are replaced by what they name; what does not fit is refused with the reason."""

from __future__ import annotations

import pytest

from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError
from hvisa.graph.linker import link
from hvisa.graph.verifier import verify

USER = """
import "numbers" private func @double(%x: f32) -> (%y: f32)
leaf @f(in %x: buf<f32>[%n], out %y: buf<f32>[%n]) grid(%i < %n) {
  %a = load %x[%i]
  %b = call @double(%a)
  store %b, %y[%i]
}
"""
LIBRARY = """
const @factor: f32 = 2.0
func @double(%v: f32) -> (%r: f32) {
  %t = call @core(%v)
  yield %t
}
private func @core(%x: f32) -> (%y: f32) {
  %y1 = mul %x, @factor
  yield %y1
}
"""


def test_what_an_import_needs_comes_with_it() -> None:
    linked = link(parse(USER), {"numbers": parse(LIBRARY)})
    verify(linked)
    assert set(linked.definitions) == {"double", "f", "numbers.core"}
    assert set(linked.constants) == {"numbers.factor"}
    assert all(d.source_module is None for d in linked.definitions.values())


def test_linking_leaves_the_modules_alone() -> None:
    user, library = parse(USER), parse(LIBRARY)
    link(user, {"numbers": library})
    assert user.definitions["double"].body is None
    assert set(library.definitions) == {"double", "core"}


@pytest.mark.parametrize(("libraries", "code"), [
    ({}, "HV0720"),
    ({"numbers": "func @other(%v: f32) -> (%r: f32) {\n  yield %v\n}\n"}, "HV0721"),
    ({"numbers": LIBRARY.replace("func @double", "private func @double")}, "HV0721"),
    ({"numbers": "func @double(%v: f64) -> (%r: f64) {\n  yield %v\n}\n"}, "HV0722"),
])
def test_imports_that_do_not_fit(libraries: dict[str, str], code: str) -> None:
    with pytest.raises(HvisaError) as caught:
        link(parse(USER), {n: parse(t) for n, t in libraries.items()})
    assert caught.value.codes == [code]


def test_an_import_says_no_more_than_its_module_keeps() -> None:
    """An exact caller can't rely on what is inexact; an import may promise less than there is."""
    definition = "(%x: f32) -> (%y: f32) inexact {\n  %y = add.fast %x, %x\n  yield %y\n}\n"
    use = ("leaf @f(%x: f32) -> (%y: f32) inexact {\n  %y = call @double(%x)\n  yield %y\n}\n")
    header = 'import "numbers" private func @double(%x: f32) -> (%y: f32)'
    inexact = {"numbers": parse(f"func @double{definition}")}
    with pytest.raises(HvisaError) as caught:
        link(parse(f"{header}\n{use}"), inexact)
    assert caught.value.codes == ["HV0722"]
    assert "write `inexact`" in caught.value.diagnostics[0].help
    verify(link(parse(f"{header} inexact\n{use}"), inexact))
    verify(link(parse(f"{header} inexact\n{use}"), {"numbers": parse(LIBRARY)}))
    with pytest.raises(HvisaError) as caught:
        verify(link(parse(f"{header} inexact\n{use.replace(' inexact', '')}"), inexact))
    assert caught.value.codes == ["HV0701"]
