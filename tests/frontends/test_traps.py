"""Faults at run time name the line of the Python file, on every device, and after the program was saved
as bytecode and loaded again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hvisa
from hvisa import In, Out, f32, i32
from hvisa.decorated import Compiled

n, m = hvisa.dims("n m")
DEVICES = ("reference", "x86", "multicore")


@hvisa.leaf
def gather(p: In[i32, n], x: In[f32, m], y: Out[f32, n]):
    i = hvisa.grid(n)
    y[i] = 2 * x[p[i]]


@hvisa.leaf
def divide(a: In[i32, n], b: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = a[i] // b[i] + 1


@hvisa.leaf
def positive(x: In[f32, n], y: Out[f32, n]):
    i = hvisa.grid(n)
    assert x[i] > 0, "x is positive"
    y[i] = x[i]


@hvisa.func
def ratio(a: i32, b: i32) -> i32:
    return a % b


@hvisa.leaf
def ratios(a: In[i32, n], b: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = ratio(a[i], b[i])


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


# Leaf, arguments, code, what is underlined, words of the message.
CASES = [
    (gather, (ints(0, 5), np.ones(2, np.float32)), "HV0902", "x[p[i]]", "out of bounds"),
    (divide, (ints(1, 2), ints(1, 0)), "HV0901", "a[i] // b[i]", "division by zero"),
    (positive, (np.array([1, -1], np.float32),), "HV0903", 'assert x[i] > 0, "x is positive"',
     "x is positive"),
    (ratios, (ints(1, 2), ints(1, 0)), "HV0901", "a % b", "division by zero")]
IDS = [c[0].__name__ for c in CASES]


def trap_of(call: Callable[..., Any], arguments: tuple[Any, ...], device: str) -> hvisa.HvisaTrap:
    with pytest.raises(hvisa.HvisaTrap) as raised:
        call(*arguments, device=device)
    return raised.value


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(Path(__file__).read_text(encoding="utf-8").split("\n"), 1)
                if text in line)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("leaf", "arguments", "code", "text", "words"), CASES, ids=IDS)
def test_a_trap_shows_the_line(leaf: Compiled, arguments: tuple[Any, ...], code: str, text: str, words: str,
                               device: str) -> None:
    trap = trap_of(leaf, arguments, device)
    shown = str(trap).split("\n")
    number = line_of(text)
    assert trap.code == code and trap.instance == (1,) and words in shown[0]
    assert shown[1].strip().startswith(f"--> test_traps.py:{number}:")
    assert text in shown[3] and shown[3].startswith(str(number))
    # The caret stands under the whole expression, and under nothing else.
    caret = shown[4].index("^")
    assert shown[3][caret:caret + shown[4].count("^")] == text
    # In words of Python: no `%x`, no `load.clamp`.
    said = trap.diagnostics[0]
    assert not any(word in said.message + said.help for word in ("%", "load.", "store.", "--diagnose"))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("leaf", "arguments", "code", "text", "words"), CASES, ids=IDS)
def test_a_saved_program_names_the_line(leaf: Compiled, arguments: tuple[Any, ...], code: str, text: str,
                                        words: str, device: str, tmp_path: Path) -> None:
    path = tmp_path / "program.hvbc"
    leaf.save(path)
    trap = trap_of(hvisa.load(path).entry(leaf.__name__), arguments, device)
    column = Path(__file__).read_text(encoding="utf-8").split("\n")[line_of(text) - 1].index(text) + 1
    assert trap.code == code and words in str(trap)
    assert f"--> test_traps.py:{line_of(text)}:{column}" in str(trap)


def test_text_is_saved_without_places(tmp_path: Path) -> None:
    """Bytecode of a text says nothing of it, as before."""
    gather.save(tmp_path / "program.hvasm")
    program = hvisa.load(tmp_path / "program.hvasm")
    program.save(tmp_path / "program.hvbc")
    trap = trap_of(hvisa.load(tmp_path / "program.hvbc"), CASES[0][1], "reference")
    assert "program.hvasm" not in str(trap)
