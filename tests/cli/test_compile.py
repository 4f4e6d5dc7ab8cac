"""`hvisa compile`: what it writes, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hvisa
from hvisa.cli.main import run_command

KERNELS = '''
import hvisa
from hvisa import In, InOut, Out, f32
from helpers import half

print("imported")

@hvisa.leaf
def saxpy(a: f32, x: In[f32, "n"], y: InOut[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = a * x[i] + y[i]

@hvisa.leaf
def halves(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = half(x[i])

again = halves
if __name__ == "__main__":
    raise SystemExit(1)
'''
HELPERS = '''
import hvisa
from hvisa import Out, f32

@hvisa.func
def half(x):
    return x * 0.5

@hvisa.leaf
def elsewhere(y: Out[f32, 1]):
    y[0] = 1
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "helpers.py").write_text(HELPERS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "helpers", raising=False)
    return tmp_path


def test_a_file_becomes_a_module(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compile", "kernels.py"]) == 0
    program = hvisa.load(folder / "kernels.hvbc")
    assert program.entries == ["saxpy", "halves"]
    assert "half.f32" in program.module.definitions
    assert program.module.name == "kernels"
    y = program.entry("halves")(np.ones(3, np.float32), device="reference")
    assert y.tolist() == [0.5, 0.5, 0.5]
    assert capsys.readouterr().out == ""  # what the file prints goes to stderr


def test_text_name_and_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compile", "kernels.py", "-o", "out.hvasm", "--name", "mine", "--json"]
    assert run_command(words) == 0
    assert json.loads(capsys.readouterr().out) == {
        "ok": True, "output": "out.hvasm", "module": "mine", "entries": ["saxpy", "halves"]}
    assert (folder / "out.hvasm").read_text().startswith('module "mine"')


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["compile", "--help"]) == 0
    assert "hvisa compile kernels.py" in capsys.readouterr().out


@pytest.mark.parametrize(("text", "code", "line"), [
    ("x = 1\n", "HV1231", None),
    ("from helpers import half, elsewhere\n", "HV1231", None),
    ("x = 3\ny = x / 0\n", "HV1232", 2),
    ("def f(:\n", "HV1232", 1),
    ("import sys\nsys.exit(0)\n", "HV1232", 2),
    ("import json\ndef f():\n    json.loads('{')\nf()\n", "HV1232", 3),
    ("import hvisa\n\n@hvisa.leaf\nclass A: pass\n", "HV1224", 3),
    ("import hvisa\n@hvisa.leaf(privat=True)\ndef f(): pass\n", "HV1233", 2),
    ("import hvisa\n@hvisa.leaf(effect='none')\ndef f(): pass\n", "HV1233", 2),
    ("import hvisa\n@hvisa.leaf\ndef f(y: hvisa.Out[hvisa.f32, 1]):\n    y[0] = z\n", "HV1202", 4),
    ("import hvisa\nx = hvisa.In['a']\n", "HV1217", 2)])
def test_mistakes(folder: Path, capsys: pytest.CaptureFixture[str], text: str, code: str,
                  line: int | None) -> None:
    (folder / "bad.py").write_text(text)
    assert run_command(["compile", "bad.py", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["diagnostics"]
    assert [d["code"] for d in found] == [code]
    assert found[0]["line"] == line
    assert found[0]["help"] and (line is None or found[0]["file"] == "bad.py")
    assert sorted(p.name for p in folder.iterdir() if p.is_file()) == ["bad.py", "helpers.py", "kernels.py"]


@pytest.mark.parametrize(("words", "code"), [
    (["nothing.py"], "HV1020"), (["helpers"], "HV1230"), (["kernels.hvasm"], "HV1230"),
    (["kernels.py", "-o", "kernels.txt"], "HV1021"), (["kernels.py", "-o", "no/k.hvbc"], "HV1022")])
def test_wrong_paths(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str],
                     code: str) -> None:
    assert run_command(["compile", *words]) == 1
    assert f"error[{code}]" in capsys.readouterr().err


def test_all_mistakes_of_a_file_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "@hvisa.leaf\ndef f{0}(y: hvisa.Out[hvisa.f32, 1]):\n    y[0] = z{0}\n"
    (folder / "bad.py").write_text("import hvisa\n" + body.format(1) + body.format(2))
    assert run_command(["compile", "bad.py"]) == 1
    assert capsys.readouterr().err.count("error[HV1202]") == 2


def test_python_is_compiled_before_it_is_run(tmp_path: Path) -> None:
    """Wherever a program is expected, a Python file says how to make one of it."""
    file = tmp_path / "kernels.py"
    file.write_text("import numpy\n", encoding="utf-8")
    for use in (lambda: hvisa.load(file), lambda: hvisa.load(str(file))):
        with pytest.raises(hvisa.HvisaError, match="is Python, which is compiled first") as error:
            use()
        assert f"hvisa compile {file} -o" in error.value.diagnostics[0].help
