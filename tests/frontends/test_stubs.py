"""What editors know of programs in Python: the stub is current, right programs are right to a checker, and
slips are told."""

from __future__ import annotations

import json
import keyword
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hvisa.frontends.python.names import NAMES

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
WRONG = '''import hvisa
from hvisa import In, Out, f32, i32

n = hvisa.dims("n")


@hvisa.leaf
def f(x: In[f32, n], y: Out[i32, n], s: f32):
    i = hvisa.grid()  # error
    j = hvisa.grid(1, 2, 3, 4)  # error
    a, b = hvisa.grid(n, 2, n)  # error
    v = hvisa.sqroot(x[i])  # error
    w = hvisa.sqrt(x[i], 2)  # error
    y[i] = 1.5  # error
    y[i] = x[i]  # error
    y[x[i]] = 1  # error
    hvisa.update("plus", y[i], 1)  # error
    c = x.shapes  # error
    d = hvisa.popcount(x[i])  # error
    e = x[i] + "1"  # error
    g = x[i] & 1  # error
    h = hvisa.local(8, f32)  # error
    k = hvisa.barrier(1)  # error


f.text2  # error
f.save()  # error
hvisa.leaf(privat=True)  # error
hvisa.load("x", devise="x86")  # error
from hvisa import f31  # error
'''


def check(files: list[Path], folder: Path, **options: str) -> list[dict[str, Any]]:
    """The errors of pyright in basic mode, with this hvisa and no other settings."""
    found = shutil.which("pyright") or shutil.which("pyright", path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip("pyright is not installed")
    for number, file in enumerate(files):
        (folder / str(number)).mkdir()
        shutil.copy(file, folder / str(number))
    (folder / "pyrightconfig.json").write_text(json.dumps({
        "typeCheckingMode": "basic", **options, "extraPaths": [str(ROOT)],
        "include": [str(n) for n in range(len(files))]}))
    done = subprocess.run([found, "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)],
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""}, check=False)
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright does not run: {done.stderr[:200]}")
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(files)
    return [d for d in report["generalDiagnostics"] if d["severity"] == "error"]


def test_the_stub_is_current() -> None:
    done = subprocess.run([sys.executable, "tools/stubs.py", "--check"], cwd=ROOT, capture_output=True,
                          text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_name_is_told_and_explained() -> None:
    text = (ROOT / "hvisa/frontends/python/names.pyi").read_text(encoding="utf-8")
    for name in NAMES:
        if not keyword.iskeyword(name):
            assert re.search(rf"^(def|class) {name}\b|Annotated as {name},", text, re.MULTILINE), name
    operations = re.findall(r"^def (\w+)\((?:.|\n)*?:( \.\.\.)?$", text, re.MULTILINE)
    assert [name for name, bare in operations if bare] == ["aliases"]


def test_packages_carry_the_stubs() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"frontends/python/*.pyi"' in settings and '"py.typed"' in settings
    assert (ROOT / "hvisa/py.typed").is_file()


def test_right_programs_have_no_errors(tmp_path: Path) -> None:
    examples = sorted((ROOT / "examples").rglob("*.py"))
    # A Python number may be returned where the header says f32, and a graph returns its `Out` ports too.
    errors = check([HERE / "stub_sample.py", HERE / "kernels.py", HERE / "test_graphs.py", *examples],
                   tmp_path, reportReturnType="none", reportPossiblyUnbound="none")
    assert not errors, [(d["file"], d["range"]["start"]["line"] + 1, d["message"]) for d in errors]


def test_slips_are_told(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    errors = check([tmp_path / "wrong.py"], tmp_path)
    wanted = [n for n, line in enumerate(WRONG.splitlines(), 1) if "# error" in line]
    assert sorted({d["range"]["start"]["line"] + 1 for d in errors}) == wanted
    assert any('"sqroot" is not a known attribute' in d["message"] for d in errors)
