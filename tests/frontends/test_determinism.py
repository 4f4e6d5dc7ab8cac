"""The same Python file gives the same bytes: anywhere, at any time, under any hash seed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hvisa.assembler.decoder import decode
from hvisa.decorated import compile_file, save_module

ROOT = Path(__file__).parents[2]
KERNELS = Path(__file__).with_name("kernels.py")
SCRIPT = """
import sys
from hvisa.decorated import compile_file, save_module
module = compile_file(sys.argv[1], "kernels")
for path in sys.argv[2:]:
    save_module(module, path)
"""


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("expected")
    module = compile_file(KERNELS)
    for ending in (".hvbc", ".hvasm"):
        save_module(module, folder / f"kernels{ending}")
    return {p.suffix: p.read_bytes() for p in folder.iterdir()}


def made(path: str, out: Path, cwd: Path, seed: str) -> dict[str, bytes]:
    """What another process makes of a file."""
    targets = [out / f"kernels{ending}" for ending in (".hvbc", ".hvasm")]
    subprocess.run([sys.executable, "-c", SCRIPT, path, *map(str, targets)], check=True, cwd=cwd,
                   env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed})
    return {p.suffix: p.read_bytes() for p in targets}


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_hash_seeds_do_not_matter(expected: dict[str, bytes], tmp_path: Path, seed: str) -> None:
    assert made(str(KERNELS), tmp_path, tmp_path, seed) == expected


def test_places_and_times_do_not_matter(expected: dict[str, bytes], tmp_path: Path) -> None:
    folder = tmp_path / "another folder" / "ünder"
    folder.mkdir(parents=True)
    copied = folder / "kernels.py"
    shutil.copy(KERNELS, copied)
    os.utime(copied, (1, 1))
    assert made(str(copied), tmp_path, tmp_path, "2") == expected
    assert made("kernels.py", tmp_path, folder, "3") == expected
    assert made("../ünder/./kernels.py", tmp_path, folder, "3") == expected
    assert not list(folder.rglob("*.pyc"))


def test_one_process_makes_the_same_again(expected: dict[str, bytes], tmp_path: Path) -> None:
    for number in range(2):
        save_module(compile_file(KERNELS), tmp_path / f"{number}.hvbc")
        assert (tmp_path / f"{number}.hvbc").read_bytes() == expected[".hvbc"]


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    """Also where neither its size nor its time tells."""
    path = tmp_path / "one.py"
    text = ("import hvisa\nfrom hvisa import Out, f32, i32\n\n@hvisa.leaf\n"
            "def one(y: Out[f32, 4]):\n    y[0] = 1\n")
    found = []
    for changed in (text, text.replace("y[0] = 1", "y[0] = 2"), text.replace("[f32", "[i32")):
        path.write_text(changed)
        os.utime(path, (1, 1))
        save_module(compile_file(path), tmp_path / "one.hvasm")
        found.append((tmp_path / "one.hvasm").read_text())
    assert len(set(found)) == 3
    assert "store 2.0," in found[1] and "buf<i32>" in found[2]


def test_instructions_have_lines_and_columns(expected: dict[str, bytes]) -> None:
    lines = KERNELS.read_text().splitlines()
    spans = {d.name: [i.span for i in d.body.body] for d in decode(expected[".hvbc"]).definitions.values()
             if d.body is not None}
    assert all(s and s.source and s.source.name == "kernels.py" and s.line and s.column
               for found in spans.values() for s in found)
    loads = [s for s in spans["saxpy"] if s]
    assert lines[loads[0].line - 1][loads[0].column - 1:].startswith("x[i]")
    assert str(KERNELS.parent).encode() not in expected[".hvbc"]
