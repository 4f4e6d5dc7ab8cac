"""Programs and entries: loading, naming, saving, the cache, what is imported when."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import hvisa
from hvisa.runtime.devices import preferred_devices
from hvisa.runtime.translations import process_cache
from tests.program.programs import DIVIDE, ENDLESS, SAXPY, SHAPES

ROOT = Path(__file__).resolve().parents[2]
NATIVE = [d for d in preferred_devices() if d != "reference"]
needs_native = pytest.mark.skipif(not NATIVE, reason="no native code here")


def python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program), *arguments],
                          capture_output=True, text=True, timeout=60, check=False)


def run_saxpy(entry) -> None:
    y = np.ones(3, np.float32)
    assert entry(2.0, np.arange(3, dtype=np.float32), y).tolist() == [1, 3, 5]


# -- loading -----------------------------------------------------------------------------------------

def test_from_path_text_and_bytes(tmp_path):
    path = tmp_path / "saxpy.hvasm"
    path.write_text(SAXPY)
    for source in (path, str(path), SAXPY, SAXPY.encode()):
        run_saxpy(hvisa.load(source).entry())
    program = hvisa.load(path)
    program.save(tmp_path / "a.hvbc")
    program.save(tmp_path / "a.hvasm")
    assert (tmp_path / "a.hvasm").read_text() == program.text == SAXPY
    again = hvisa.load(tmp_path / "a.hvbc")
    run_saxpy(again.entry())
    again.save(tmp_path / "b.hvbc")
    assert (tmp_path / "a.hvbc").read_bytes() == (tmp_path / "b.hvbc").read_bytes()
    run_saxpy(hvisa.load((tmp_path / "a.hvbc").read_bytes()).entry())
    run_saxpy(hvisa.load(again.text).entry())
    assert not list(tmp_path.glob("*.tmp"))


def test_from_a_module():
    program = hvisa.Program.from_module(hvisa.load(SAXPY).module)
    run_saxpy(program.entry())
    assert program.entries == ["saxpy"] and "@saxpy" in program.text


def test_files_that_are_no_programs(tmp_path):
    for source, code in ((tmp_path / "none.hvasm", "HV1020"), (b"\xff\xfe{", "HV1020"),
                         (tmp_path, "HV1020"), ("leaf @f( {\n", "HV0002")):
        with pytest.raises(hvisa.HvisaError) as caught:
            hvisa.load(source)
        assert code in caught.value.codes
    with pytest.raises(hvisa.HvisaError) as caught:
        hvisa.load(SAXPY).save(tmp_path / "program.txt")
    assert caught.value.codes == ["HV1021"]
    with pytest.raises(hvisa.HvisaError) as caught:
        hvisa.load(SAXPY).save(tmp_path / "no" / "a.hvbc")
    assert caught.value.codes == ["HV1022"]


def test_mistakes_are_found_while_loading():
    with pytest.raises(hvisa.HvisaError) as caught:
        hvisa.load("leaf @f(%a: f32, %b: i32) {\n  %c = add %a, %b\n  %d = mul %a, %b\n}\n")
    assert caught.value.codes == ["HV0203", "HV0203"]


def test_entries():
    program = hvisa.load(DIVIDE)
    assert program.entries == ["divide", "twice"]
    assert program.entry().name == "twice" and program.entry("@divide").name == "divide"
    assert program(np.array([[5]], np.int32)).tolist() == [[5]]
    with pytest.raises(hvisa.HvisaError, match="no entry") as caught:
        program.entry("dvide")
    assert caught.value.codes == ["HV1009"] and "did you mean `divide`?" in str(caught.value)
    with pytest.raises(hvisa.HvisaError, match="which one") as caught:
        hvisa.load(SHAPES).entry()
    assert caught.value.codes == ["HV1009"] and "`outer`" in str(caught.value)


def test_what_comes_back():
    program = hvisa.load("""leaf @none(%a: f32) {
    }
    leaf @one(%a: f32) -> (%r: f32) {
      yield %a
    }
    leaf @both(%a: f32, out %y: buf<f32>[2], inout %class: buf<f32>[2]) -> (%r: f32) {
      yield %a
    }""")
    assert program.entry("none")(1.0) is None
    for _ in range(4):
        assert program.entry("one")(1.0) == 1
        z = np.ones(2, np.float32)
        found = program.entry("both")(1.0, z)
        assert found.y.tolist() == [0, 0] and found[1] is z and found.r == 1
        assert found._fields == ("y", "_1", "r")


def test_ports_named_like_options():
    """By position or through `run`; as a keyword the port wins."""
    program = hvisa.load("""leaf @f(%copy: i32, %timeout: i32) -> (%r: i32) {
      %s = sub %copy, %timeout
      yield %s
    }""")
    entry = program.entry()
    for _ in range(4):
        assert entry(5, 3) == entry(copy=5, timeout=3) == entry.run({"copy": 5, "timeout": 3}) == 2
        assert entry.run({"copy": 5, "timeout": 3}, timeout=5.0) == 2


def test_names_that_python_does_not_have():
    program = hvisa.load("""leaf @f(%in.x: i32, %_p0: i32, %lambda: i32) -> (%r: i32) {
      %s = sub %in.x, %_p0
      %t = sub %s, %lambda
      yield %t
    }""")
    entry = program.entry()
    for _ in range(4):
        assert entry(5, 3, 1) == entry.run({"in.x": 5, "_p0": 3, "lambda": 1}) == 1
        assert entry(**{"in.x": 5, "_p0": 3, "lambda": 1}) == 1


# -- devices -----------------------------------------------------------------------------------------

def test_devices():
    names = [d.name for d in hvisa.devices()]
    assert names[:2] == ["x86", "multicore"] and names[-1] == "reference"
    for device in hvisa.devices():
        if device.available:
            run_saxpy(hvisa.load(SAXPY, device=device.name).entry())
            y = np.ones(1, np.float32)
            hvisa.load(SAXPY).entry()(1.0, y.copy(), y, device=device.name)
            assert y == 2
    with pytest.raises(hvisa.HvisaError) as caught:
        hvisa.load(SAXPY, device="multicor").entry()(1.0, y, y)
    assert caught.value.codes == ["HV1101"] and "did you mean `multicore`?" in str(caught.value)


@needs_native
def test_what_native_code_declines_runs_on_reference_and_says_so(caplog):
    text = """extern func @total(in %x: buf<i32>[%n]) -> (%s: i32)
    leaf @sum(in %x: buf<i32>[%n]) -> (%s: i32) nondeterministic {
      %t = call @total(%x)
      yield %t
    }"""
    x = np.arange(5, dtype=np.int32)
    program = hvisa.load(text, externs={"total": lambda x: int(x.sum())})
    with caplog.at_level(logging.WARNING, "hvisa"):
        assert program.entry("sum")(x) == 10
    assert "runs on `reference`" in caplog.text and program.entry("sum").device == "reference"
    with pytest.raises(hvisa.HvisaError) as caught:
        program.entry("sum")(x, device="x86")
    assert set(caught.value.codes) == {"HV1103"} and "@total" in str(caught.value)


@needs_native
@pytest.mark.parametrize("device", ["x86", "multicore"])
def test_streams_run_natively_node_by_node(device):
    text = """graph @pass(%x: stream<i32>) -> (%y: stream<i32>) {
      %z = node @inc(%x)
      yield %z
    }
    leaf @inc(%a: i32) -> (%b: i32) {
      %c = div 12, %a
      yield %c
    }"""
    entry = hvisa.load(text, device=device).entry("pass")
    assert [int(v) for v in entry([1, 2, 3])] == [12, 6, 4]
    assert entry([]) == []
    with pytest.raises(hvisa.HvisaTrap) as caught:
        entry([1, 0])
    assert caught.value.code == "HV0901" and caught.value.path == ("pass", "inc")


@needs_native
@pytest.mark.parametrize("mask, body", [
    ("-fma", "%r = fma %a, %a, %a"), ("-sse4.1", "%r = floor %a"), ("-sse4.1", "%r = round %a")])
def test_what_a_lesser_cpu_declines(monkeypatch, mask, body):
    program = hvisa.load(f"leaf @f(%a: f64) -> (%r: f64) {{\n  {body}\n  yield %r\n}}\n")
    wanted = program.entry()(1.5)
    monkeypatch.setenv("HVISA_CPU_FEATURES", mask)
    with pytest.raises(hvisa.HvisaError) as caught:
        hvisa.load(program.text, device="x86").entry()(1.5)
    assert caught.value.codes == ["HV1103"]
    assert mask.lstrip("-") in str(caught.value) and "<text>:2:3" in str(caught.value)
    assert hvisa.load(program.text).entry()(1.5) == wanted


def test_a_plug_in(monkeypatch):
    """Other packages bring devices through an entry point."""
    from importlib.metadata import EntryPoint

    from hvisa.translators import registry
    point = EntryPoint("dummy", "tests.program.dummy_translator:Dummy", registry.GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    assert registry.translator_names() == ["x86", "multicore", "dummy"]
    with pytest.raises(hvisa.HvisaError) as caught:
        hvisa.load(SAXPY, device="dummy").entry()(1.0, [1.0], np.ones(1, np.float32))
    assert caught.value.codes == ["HV1103"]
    registry._found.clear()


def test_show_config(capsys):
    hvisa.show_config()
    text = capsys.readouterr().out
    for word in ("hvisa", "numpy", "cache", "devices", "team"):
        assert word in text
    assert os.path.expanduser("~") + "/" not in text or os.path.expanduser("~") == "/"
    assert hvisa.show_config("dict")["hvisa"] == hvisa.__version__


# -- cache -------------------------------------------------------------------------------------------

@needs_native
def test_a_program_that_ran_before_needs_no_parser_and_no_llvm(tmp_path):
    path = tmp_path / "warm.hvasm"
    path.write_text(SAXPY.replace("saxpy", "warm"))
    program = """
        import sys
        import hvisa
        light = [m for m in ("numpy", "llvmlite", "lark", "networkx") if m in sys.modules]
        entry = hvisa.load(sys.argv[1]).entry()
        import numpy as np
        y = np.ones(3, np.float32)
        entry(2.0, np.ones(3, np.float32), y)
        heavy = [m for m in ("llvmlite", "lark", "networkx", "hvisa.graph.model", "typer", "rich",
                             "hvisa.graph.verifier", "logging") if m in sys.modules]
        print(light, heavy, y.tolist())
        """
    cold, warm = python(program, str(path)), python(program, str(path))
    assert "'lark'" in cold.stdout and cold.stdout.endswith("[3.0, 3.0, 3.0]\n"), cold.stderr
    assert warm.stdout == "[] [] [3.0, 3.0, 3.0]\n", warm.stderr


@needs_native
def test_traps_of_a_cached_translation_have_the_places_of_this_file(tmp_path):
    """Another file with the same node: a comment moves every line."""
    shifted = f"// one\n// two\n{DIVIDE}"
    for text, line in ((DIVIDE, 3), (shifted, 5), (shifted, 5)):
        path = tmp_path / f"{line}.hvasm"
        path.write_text(text)
        before = process_cache().stats.puts
        with pytest.raises(hvisa.HvisaTrap) as caught:
            hvisa.load(path, device="x86").entry("divide")(np.zeros((1, 1), np.int32))
        assert f"{path}:{line}:3" in str(caught.value) and "%d = div 100, %v" in str(caught.value)
    assert process_cache().stats.puts == before


@needs_native
def test_a_damaged_entry_is_made_again(tmp_path, monkeypatch):
    from hvisa.runtime import translations
    from hvisa.runtime.cache import Cache
    cache = Cache(tmp_path)
    monkeypatch.setattr(translations, "process_cache", lambda: cache)
    monkeypatch.setattr("hvisa.loaded.process_cache", lambda: cache)
    for _ in range(2):
        run_saxpy(hvisa.load(SAXPY, device="x86").entry())
        for file in tmp_path.glob("*/*"):
            file.write_bytes(file.read_bytes()[:-3])


@needs_native
def test_without_a_cache(monkeypatch):
    program = """
        import sys
        import numpy as np
        import hvisa
        y = np.ones(1, np.float32)
        hvisa.load(sys.argv[1]).entry()(1.0, np.ones(1, np.float32), y)
        print(y)
        """
    monkeypatch.setenv("HVISA_CACHE", "off")
    assert python(program, SAXPY).stdout == "[2.]\n"


@needs_native
def test_a_stranger_is_translated_elsewhere(monkeypatch):
    """LLVM runs in a child for it."""
    from hvisa.translators.llvm import builder
    monkeypatch.setattr(builder, "build_object", lambda *a, **k: pytest.fail("in this process"))
    spin = hvisa.load(ENDLESS.replace("255", "127"), device="x86", trusted=False).entry()
    assert spin(-3) == -3


def test_log(monkeypatch):
    program = """
        import sys, numpy as np, hvisa
        hvisa.load(sys.argv[1]).entry()(1.0, np.ones(1, np.float32), np.ones(1, np.float32))
        """
    monkeypatch.setenv("HVISA_LOG", "debug")
    assert "hvisa: @saxpy for " in python(program, SAXPY).stderr or not NATIVE


def test_import_order_of_the_package():
    """`import hvisa` loads nothing heavy, and names of it are listed."""
    found = python("import sys, hvisa; print('numpy' in sys.modules, dir(hvisa))")
    assert found.stdout.startswith("False") and "'load'" in found.stdout and "'popcount'" in found.stdout
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        hvisa.lod  # noqa: B018
