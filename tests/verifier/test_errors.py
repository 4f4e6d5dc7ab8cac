"""The error registry: complete, and honest about what causes each code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hvisa
from hvisa.assembler.parser import parse
from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.graph.verifier import verify
from hvisa.spec.errors import ErrorCode, codes, explain, kept_elsewhere

SOURCES = Path(hvisa.__file__).parent
PROGRAMS = [c for c in codes().values() if c.program]


def _codes_in_source() -> set[str]:
    found: set[str] = set()
    for path in SOURCES.rglob("*.py"):
        if "error_tables" not in path.parts:
            found |= set(re.findall(r"HV\d{4}", path.read_text(encoding="utf-8")))
    return found


def test_every_code_in_the_source_is_registered() -> None:
    missing = {c for c in _codes_in_source() if not kept_elsewhere(c)} - codes().keys()
    assert not missing


# Given by parts that other steps build; they are removed here as those arrive.
LATER = re.compile(r"HV(0320|09\d\d|1[01]\d\d)")


def test_every_registered_code_is_used() -> None:
    unused = codes().keys() - _codes_in_source()
    assert not {c for c in unused if not LATER.fullmatch(c)}


def test_entries_are_complete() -> None:
    for entry in codes().values():
        assert re.fullmatch(r"HV\d{4}", entry.code)
        assert entry.title and not entry.title.endswith(".")
        assert entry.meaning.endswith((".", "?")), entry.code
        assert entry.family
    assert explain("HV0310") is codes()["HV0310"]
    assert explain("HV9999") is None


def test_enough_codes_have_a_program() -> None:
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize("entry", PROGRAMS, ids=lambda e: e.code)
def test_program_gives_exactly_its_code(entry: ErrorCode) -> None:
    with pytest.raises(HvisaError) as raised:
        types: list[Diagnostic] = []
        verify(parse(entry.program, entry.code, types), extra=types)
    assert raised.value.codes == [entry.code], str(raised.value)
    assert raised.value.diagnostics[0].span is not None


def test_the_page_of_codes_is_up_to_date() -> None:
    root = SOURCES.parent
    done = subprocess.run([sys.executable, "tools/error_docs.py", "--check"], cwd=root,
                          env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stdout
