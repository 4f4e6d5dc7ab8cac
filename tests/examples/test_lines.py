"""Lines are counted as people count them, and the OpenCL programs give what hvisa gives."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
LINES = ROOT / "benchmarks" / "lines"


def load(name: str) -> ModuleType:
    """A file of `benchmarks/lines`, which is no package."""
    found = importlib.util.spec_from_file_location(f"benchmarks_lines_{name}", LINES / f"{name}.py")
    assert found is not None and found.loader is not None
    module = sys.modules[found.name] = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


count, compare = load("count"), load("compare")


@pytest.mark.parametrize(("text", "lines"), [
    ("", 0),
    ("\n  \n\t\n", 0),
    ("int a;\n\nint b;\n", 2),
    ("// only a comment\nint a; // and one behind code\n", 1),
    ("/* a block\n\nof three lines */\nint a;\n", 1),
    ("int a; /* starts behind code\nends before it */ int b;\n", 2),
    ("/* a */ /* b */\n/**/\n", 0),
    ("int a; /* \"no string\n*/\nint b;\n", 2),
    ('char *url = "http://a"; // b\nchar *open = "/*";\nint a;\nchar *shut = "*/";\n', 4),
    ('char *quote = "\\"// no comment"; /* but\nthis is one */\n', 1),
    ("char a = '\"'; // \"\nchar b = '\\''; /* ' */\n", 2),
    ("// a comment that \\\ngoes on\nint a;\n", 1),
    ("/* // */ int a;\n// /*\nint b;\n", 2),
    ("#define A \\\n    1\n", 2),
    ("}\n", 1),
])
def test_lines_of_c(text: str, lines: int) -> None:
    assert len(count.c_code(text)) == lines


@pytest.mark.parametrize(("text", "lines"), [
    ("", 0),
    ("\n    \n", 0),
    ("# a comment\nx = 1  # another\n", 1),
    ('"""A module."""\nx = 1\n', 1),
    ('"""A module.\n\nOf three lines.\n"""\n', 0),
    ('def f():\n    """Says\n    what it does."""\n    return 1\n', 2),
    ('class A:\n    """One"""\n\n    x = 1\n    "an attribute"\n', 2),
    ('x = """first # no comment\n\nlast\n"""\n', 3),
    ('x = "# no comment"\n', 1),
    ("f(1,\n\n  # why\n  2)\n", 2),
    ("x = 1 + \\\n    2\n", 2),
    ('"a" "b"\nx = 1\n', 1),
    ('"""A module."""; x = 1\n', 1),
    ("x = 1", 1),
    ("if x:\n    pass\n# last\n", 2),
])
def test_lines_of_python(text: str, lines: int) -> None:
    assert len(count.python_lines(text)) == lines


def test_functions_that_serve_files_are_left_out() -> None:
    lines = count.c_code("int domain(int a) {\n}\nstatic void write_file(const char *path,\n    int a) {\n"
                         "    if (a) {\n    }\n}\nint main(void);\nint main(void) {\n    main();\n}\n"
                         "int b;\n")
    assert count.without_functions(lines, ("main", "write_file")) == [
        "int domain(int a) {", "}", "int main(void);", "int b;"]


def test_what_a_python_file_does_as_a_script_is_left_out() -> None:
    text = "def f():\n    return 1\n\n\nif __name__ == '__main__':\n    print(f())\n    # so\n"
    assert count.python_lines(text) - count.script_lines(text) == {1, 2}


def test_the_table_shows_each_example_and_what_is_missing() -> None:
    assert count.names() == sorted(p.parent.name for p in (ROOT / "examples").glob("*/*.hvasm"))
    rows = [count.Lines("with", 10, 20, 60, 7, 12), count.Lines("without", None, 20, 60, 7, 12)]
    cells = [[c.strip() for c in line.split("|")] for line in count.table(rows).splitlines()[2:]]
    assert cells == [["with", "10", "20", "60 + 7 = 67", "55", "5.5", "2.8"],
                     ["without", "-", "20", "60 + 7 = 67", "55", "-", "2.8"]]


def test_a_difference_of_one_bit_is_seen() -> None:
    one = [np.ones(3, np.float32)]
    other = [np.array([1, np.nextafter(np.float32(1), np.float32(2)), 1], np.float32)]
    assert compare.difference(one, [np.ones(3, np.float32)]) == ""
    assert "1 of 3" in compare.difference(one, other)
    assert "1 of 1" in compare.difference([np.float32(0.0).reshape(())], [np.float32(-0.0).reshape(())])
    assert compare.difference(one, other, np.full(3, 1e-6)) == ""
    assert compare.difference(one, [np.full(3, np.nan, np.float32)], np.full(3, 1e-6))
    assert compare.difference(one, [np.ones(2, np.float32)]) and compare.difference(one, [])


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(LINES / "count.py"), *arguments], capture_output=True,
                          text=True, check=False, timeout=500,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})


def test_the_opencl_programs_give_what_hvisa_gives() -> None:
    done = run("--run")
    assert done.returncode == 0, done.stdout + done.stderr
    reasons = [line for line in done.stdout.splitlines() if line.startswith("skipped: ")]
    if reasons:
        pytest.skip(reasons[0].removeprefix("skipped: "))
    assert done.stdout.count(" OpenCL ") == len(compare.cases()) + 1, done.stdout


def test_a_wrong_result_fails(capsys: pytest.CaptureFixture[str]) -> None:
    case = next(c for c in compare.cases() if c.example == "saxpy")
    wrong = dataclasses.replace(case, command=("0.2", *case.command[1:]))
    broken = dataclasses.replace(case, command=case.command[1:])
    status = compare.compare_all(count.OPENCL, count.text_of, lambda _: None, [case, wrong, broken])
    shown = capsys.readouterr().out.splitlines()
    if shown[0].startswith("skipped: "):
        pytest.skip(shown[0].removeprefix("skipped: "))
    assert status == 1
    assert "equal" in shown[0] and "differs at" in shown[1] and "usage" in shown[2]


def test_a_python_version_is_compared_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = next(c for c in compare.cases() if c.example == "saxpy")
    good, bad, none = tmp_path / "good.py", tmp_path / "bad.py", tmp_path / "none.py"
    good.write_text("import numpy as np\ndef saxpy(a, x, y):\n    return np.float32(a) * x + y\n")
    bad.write_text("def saxpy(a, x, y):\n    return y\n")
    none.write_text("")
    found = [compare.compare_all(count.OPENCL, count.text_of, lambda _, f=f: f, [case])
             for f in (good, bad, none)]
    shown = capsys.readouterr().out
    if "skipped: " in shown:
        pytest.skip(shown.splitlines()[0].removeprefix("skipped: "))
    assert found == [0, 1, 1], shown
    assert "has no `saxpy`" in shown
