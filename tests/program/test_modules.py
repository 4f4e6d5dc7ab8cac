"""Programs that import from others: `modules=` and `--module`."""

from __future__ import annotations

import numpy as np
import pytest

import hvisa
from hvisa.cli.main import run_command
from hvisa.loaded import read_modules

USER = """
import "numbers" private func @double(%x: f32) -> (%y: f32)
leaf @f(in %x: buf<f32>[%n], out %y: buf<f32>[%n]) grid(%i < %n) {
  %a = load %x[%i]
  %b = call @double(%a)
  store %b, %y[%i]
}
leaf @alone(%a: f32) -> (%b: f32) {
  yield %a
}
"""
LIBRARY = """import "more" private func @core(%x: f32) -> (%y: f32)
func @double(%v: f32) -> (%r: f32) {
  %t = call @core(%v)
  yield %t
}
"""
MORE = """const @factor: f32 = 2.0
func @core(%x: f32) -> (%y: f32) {
  %y1 = mul %x, @factor
  yield %y1
}
"""
HOSTED = """extern func @host(%a: f32) -> (%r: f32)
func @double(%v: f32) -> (%r: f32) nondeterministic {
  %t = call @host(%v)
  yield %t
}
"""


def test_imports_are_resolved_also_those_of_libraries(tmp_path):
    path = tmp_path / "more.hvasm"
    path.write_text(MORE)
    for device in (None, "reference"):
        program = hvisa.load(USER, modules={"numbers": LIBRARY, "more": path}, device=device)
        assert program.entry("f")([1.0, 2.5]).tolist() == [2, 5]
        assert program.entries == ["f", "alone"]
    program.save(tmp_path / "whole.hvbc")
    assert hvisa.load(tmp_path / "whole.hvbc").entry("f")([1.0]).tolist() == [2]
    program.save(tmp_path / "whole.hvasm")
    assert hvisa.load(tmp_path / "whole.hvasm").entry("f")([1.0]).tolist() == [2]


def test_other_bytes_of_a_module_are_another_program():
    for factor in (2, 3, 2):
        more = MORE.replace("2.0", f"{factor}.0")
        for _ in range(2):
            entry = hvisa.load(USER, modules={"numbers": LIBRARY, "more": more.encode()}).entry("f")
            assert entry([1.0]).tolist() == [factor]


@pytest.mark.parametrize("modules, code, text", [
    ({}, "HV0720", '`hvisa.load(..., modules={"numbers": path})`, or `--module numbers=PATH`'),
    ({"numbers": LIBRARY}, "HV0720", "--module more=PATH"),
    ({"nmbers": LIBRARY, "more": MORE}, "HV0720", "given: `more`, `nmbers`"),
    ({"numbers": LIBRARY.replace("@double", "@treble"), "more": MORE}, "HV0721", "@treble"),
    ({"numbers": LIBRARY.replace("call @core", "call @cor"), "more": MORE}, "HV0107", "<module numbers>:3"),
    ({"numbers": "gone.hvasm"}, "HV1020", "gone.hvasm"), ({"numbers": 3}, "HV1002", "is a int"),
    ([LIBRARY], "HV1002", "takes a mapping")])
def test_what_can_not_be_imported(modules, code, text):
    with pytest.raises(hvisa.HvisaError) as caught:
        hvisa.load(USER, modules=modules).entry("f")([1.0])
    assert caught.value.codes == [code] and text in str(caught.value)


def test_an_entry_that_needs_no_import_runs():
    assert hvisa.load(USER).entry("alone")(2.0) == 2


def test_host_functions_of_a_library_keep_their_names():
    user = USER.replace("(%y: f32)\nleaf", "(%y: f32) nondeterministic\nleaf").replace(
        "grid(%i < %n)", "grid(%i < %n) nondeterministic")
    program = hvisa.load(user, modules={"numbers": HOSTED}, externs={"host": lambda a: a + np.float32(1)})
    assert program.entry("f")([1.0]).tolist() == [2]


def test_traps_in_a_module_name_its_file(tmp_path):
    user = """import "div" private func @part(%x: i32) -> (%y: i32)
leaf @f(%x: i32) -> (%y: i32) {
  %a = call @part(%x)
  yield %a
}
"""
    library = "func @part(%x: i32) -> (%y: i32) {\n  %a = div 12, %x\n  yield %a\n}\n"
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "div.hvasm"
        path.write_text(library)
        for _ in range(2):
            with pytest.raises(hvisa.HvisaTrap) as caught:
                hvisa.load(user, modules={"div": path}).entry()(0)
            assert f"{path}:2:3" in str(caught.value) and "%a = div 12, %x" in str(caught.value)


def test_modules_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in (("user", USER), ("numbers", LIBRARY), ("more", MORE)):
        (tmp_path / f"{name}.hvasm").write_text(text)
    words = ["--module", "numbers=numbers.hvasm", "-m", "more=more.hvasm"]
    assert run_command(["run", "user.hvasm", "-e", "f", "-i", "x=[1]", *words]) == 0
    assert capsys.readouterr().out == "y = [2.]\n"
    assert run_command(["verify", "user.hvasm", *words]) == 0
    assert run_command(["verify", "user.hvasm", *words[:2]]) == 1
    assert "--module more=PATH" in capsys.readouterr().err
    assert run_command(["explain", "user.hvasm", "-e", "f", *words]) == 0
    assert "bytes of code" in capsys.readouterr().out
    assert run_command(["run", "user.hvasm", "-e", "f", "-i", "x=[1]"]) == 1
    assert "--module numbers=PATH" in capsys.readouterr().err


def test_sources_of_modules():
    assert read_modules({"a": b"x", "b": "x\n"}) == {"a": ("<module a>", b"x"), "b": ("<module b>", b"x\n")}
