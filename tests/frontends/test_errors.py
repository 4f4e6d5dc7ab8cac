"""Runs the mistakes in `errors/`: Python files of which each has one, with the message that it gives in
the `.txt` beside it.

A file is imported, and what it decorates is compiled, the last object first; the message is that of the
first HvisaError. `pytest tests/frontends/test_errors.py --update-golden` rewrites what is expected;
read the diff like code.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from hvisa.decorated import Compiled
from hvisa.diagnostics import HvisaError
from hvisa.spec.errors import codes

HERE = Path(__file__).parent / "errors"
FILES = sorted(HERE.glob("*.py"))


def error_of(path: Path) -> HvisaError:
    """What importing the file raises, or compiling what it decorates."""
    spec = importlib.util.spec_from_file_location(f"mistake_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.raises(HvisaError) as raised:
        spec.loader.exec_module(module)
        decorated = [v for v in vars(module).values() if isinstance(v, Compiled)]
        assert decorated, "nothing is decorated"
        for found in reversed(decorated):
            _ = found.module
    return raised.value


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_message(path: Path, update_golden: bool) -> None:
    error = error_of(path)
    shown = f"{error}\n"
    beside = path.with_suffix(".txt")
    if update_golden:
        beside.write_text(shown, encoding="utf-8")
    assert shown == beside.read_text(encoding="utf-8")
    for diagnostic in error.diagnostics:
        assert diagnostic.help, "it does not say what to write instead"
        assert not re.search(r"%@?[A-Za-z_]|@(?!hvisa)[A-Za-z_]|buf<|vec<", shown), "the text form"
        if diagnostic.code not in WITHOUT_PLACE:
            assert diagnostic.span is not None and diagnostic.span.source is not None
            assert diagnostic.span.source.name == path.name


# Given by `hvisa compile`, for a file as a whole.
OF_FILES = {"HV1230", "HV1231", "HV1232"}
# No text, no place in it.
WITHOUT_PLACE = {"HV1201", "HV1223", "HV1224"}


def test_every_code_has_a_file() -> None:
    expected = {c for c in codes() if c.startswith("HV12")} - OF_FILES
    shown = {code for path in FILES
             for code in re.findall(r"HV12\d\d", path.with_suffix(".txt").read_text(encoding="utf-8"))}
    assert not expected - shown


def test_there_are_enough() -> None:
    assert len(FILES) >= 60
