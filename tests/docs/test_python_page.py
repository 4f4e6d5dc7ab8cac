"""The page on the Python API: its snippets print what they say, its options are those there are."""

from __future__ import annotations

import contextlib
import inspect
import io
import linecache
import re
from pathlib import Path
from typing import Any

import pytest

import hvisa
from hvisa.runtime.markers import OPTIONS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")


def test_the_snippets_print_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ml_dtypes")
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(snippets) >= 7
    for number, snippet in enumerate(snippets):
        shown, name = io.StringIO(), f"python.md, part {number}"
        # As notebooks do, so that decorated functions find their text.
        monkeypatch.setitem(linecache.cache, name, (len(snippet), None, snippet.splitlines(True), name))
        with contextlib.redirect_stdout(shown):
            exec(compile(snippet, name, "exec"), names)
        assert shown.getvalue().splitlines() == re.findall(r"print\(.*\)  # (.*)", snippet)


def test_every_option_has_a_row() -> None:
    rows = set(re.findall(r"^\| `(\w+)=", PAGE, re.MULTILINE))
    assert rows == {*OPTIONS, *list(inspect.signature(hvisa.load).parameters)[1:]}


def test_links_lead_to_the_page() -> None:
    assert "(docs/python.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
