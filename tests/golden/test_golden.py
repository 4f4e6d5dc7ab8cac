"""Runs the golden files: `.hvasm` texts whose first line names the command, `// test: verify`.

- `parse`, `verify`: errors stand at the end of the faulty line, `// error: HV0203` (several codes
  with commas); the errors of the file must be exactly those.
- `message`: the rendered errors are in the `.txt` beside it.
- `print`: the canonical text is in the `.txt` beside it; printing that again gives it again.
- `fmt`: the text with its comments, formatted, is in the `.txt` beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hvisa.assembler.parser import parse
from hvisa.assembler.printer import format_text, print_module
from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.graph.verifier import verify

HERE = Path(__file__).parent
FILES = sorted(p for p in HERE.rglob("*.hvasm")
               if p.read_text(encoding="utf-8").startswith("// test: "))
_ERROR = re.compile(r"//\s*error:\s*(HV\d{4}(?:\s*,\s*HV\d{4})*)\s*$")


def errors_of(text: str, name: str, check: bool) -> tuple[Diagnostic, ...]:
    """The errors of parsing, and of verifying if `check`."""
    try:
        types: list[Diagnostic] = []
        module = parse(text, name, types if check else None)
        if check:
            verify(module, extra=types)
    except HvisaError as error:
        return error.diagnostics
    return ()


def expected(text: str) -> list[tuple[int, str]]:
    """The (line, code) pairs that a text states."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        match = _ERROR.search(line)
        if match:
            found += [(number, code.strip()) for code in match[1].split(",")]
    return sorted(found)


def _check_errors(path: Path, text: str, check: bool) -> None:
    errors = errors_of(text, path.name, check)
    found = sorted((d.span.line if d.span else 0, d.code) for d in errors)
    assert found == expected(text), "\n".join(map(str, errors)) or "no errors"


def _compare(path: Path, shown: str, update: bool) -> None:
    beside = path.with_suffix(".txt")
    if update:
        beside.write_text(shown, encoding="utf-8")
    assert shown == beside.read_text(encoding="utf-8")


def _parse(path: Path, text: str, update: bool) -> None:
    _check_errors(path, text, False)


def _verify(path: Path, text: str, update: bool) -> None:
    _check_errors(path, text, True)


def _message(path: Path, text: str, update: bool) -> None:
    _compare(path, "\n".join(map(str, errors_of(text, path.name, True))) + "\n", update)


def _print(path: Path, text: str, update: bool) -> None:
    shown = print_module(parse(text, path.name))
    _compare(path, shown, update)
    assert print_module(parse(shown, path.name)) == shown


def _format(path: Path, text: str, update: bool) -> None:
    shown = format_text(text, parse(text, path.name))
    _compare(path, shown, update)


COMMANDS: dict[str, Callable[[Path, str, bool], None]] = {
    "parse": _parse, "verify": _verify, "message": _message, "print": _print, "fmt": _format}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(HERE)))
def test_golden(path: Path, update_golden: bool) -> None:
    text = path.read_text(encoding="utf-8")
    command = text.split("\n", 1)[0].removeprefix("// test: ").partition("//")[0].strip()
    if command not in COMMANDS:
        pytest.skip(f"`{command}` is run elsewhere")
    COMMANDS[command](path, text, update_golden)
