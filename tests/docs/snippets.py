"""Runs the Python on a page of the documentation."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
from typing import Any


def run_snippets(page: str, name: str) -> int:
    """Run the Python snippets of a page, each with a source as a notebook has it; how many."""
    names: dict[str, Any] = {"__name__": name}
    snippets = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    for number, snippet in enumerate(snippets):
        file = f"<{name} {number}>"
        linecache.cache[file] = (len(snippet), None, snippet.splitlines(keepends=True), file)
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            exec(compile(snippet, file, "exec"), names)
        assert shown.getvalue().splitlines() == re.findall(r"print\(.*\)  # (.*)", snippet), snippet
    return len(snippets)
