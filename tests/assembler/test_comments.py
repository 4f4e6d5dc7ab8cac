"""`hvisa fmt` keeps every comment between the same words, wherever it stood."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from hvisa.assembler.parser import parse
from hvisa.assembler.printer import format_text

ROOT = Path(__file__).parents[2]
FILES = [*sorted((ROOT / "examples").rglob("*.hvasm")), *sorted((ROOT / "tests/sketches").glob("*.hvasm"))]
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%@]?[\w.]+|[^\s\w]')
_CONTINUES = re.compile(r"\s*(?:[)\]]|->|grid\(|with \()")
_COMMENT = re.compile(r"[ \t]*//[^\n]*")

# Braces of all kinds, and branches without statements.
MORE = """leaf @f(in %x: buf<f32>[%n], out %y: buf<f32>[%n]) grid(%i < %n) {
  %v = load %x[%i]
  %c = gt %v, 0.0
  %r = if %c {
    yield %v
  } else {
    yield 0.0
  }
  if %c {
  }
  %k = while (%a: i32 = 0) {
    %go = lt %a, 3
    check %go
  } do {
    %s = add %a, 1
    yield %s
  }
  for %j in 0 .. 3 {
    for %l in 0 .. %j {
    }
  }
  store %r, %y[%i]
}
graph @g(in %x: buf<f32>[%n], out %y: buf<f32>[%n]) {
  %z = node @f(%x)
  %w = node @f(%z)
  yield %w
}
"""


def _lay_out(text: str, choose: random.Random) -> list[str]:
    """The lines of a canonical text, with some more breaks after commas and parentheses."""
    lines: list[str] = []
    for line in text.split("\n"):
        pieces = re.split(r"(?<=[(,])(?![)\]]|[^(]*\")", line) if '"' not in line else [line]
        for number, piece in enumerate(pieces):
            if number and choose.random() < 0.8:
                lines[-1] += piece
            else:
                lines.append(piece)
    return lines


def _insert(lines: list[str], choose: random.Random) -> str:
    """The lines with comments at the ends of some and between some."""
    out: list[str] = []
    number = 0
    for line in lines:
        # The grammar has no comment line before a line that starts like these.
        if choose.random() < 0.2 and not _CONTINUES.match(line):
            out.append(f"{' ' * choose.randrange(6)}// c{number}")
            number += 1
        if choose.random() < 0.3 and line.strip():
            line += f"{' ' * choose.randrange(3)}// c{number}"
            number += 1
        out.append(line)
    return "\n".join(out)


def _places(text: str) -> list[tuple[str, int]]:
    """Each comment with the number of words before it; one inside a statement counts as before it."""
    out: list[tuple[str, int]] = []
    words = start = 0
    lines = text.split("\n")
    last = ""
    for number, line in enumerate(lines):
        code, mark = (*re.split(r"// (?=c\d+$)", line), "")[:2]
        goes_on = last.endswith((",", "(", "[")) or bool(_CONTINUES.match(code))
        if code.strip() and not goes_on:
            start = words
        found = _TOKEN.findall(code)
        words += len(found)
        last = code.strip() or last
        if mark:
            following = next((n for n in lines[number + 1:] if n.split("//")[0].strip()), "")
            inside = last.endswith((",", "(", "[")) or _CONTINUES.match(following)
            out.append((mark.strip(), start if inside else words))
    return out


def _check(plain: str, seed: int) -> None:
    plain = _COMMENT.sub("", plain)
    plain = format_text(plain, parse(plain))
    choose = random.Random(seed)
    for _ in range(5):
        text = _insert(_lay_out(plain, choose), choose)
        shown = format_text(text, parse(text))
        assert _places(shown) == _places(text)
        assert format_text(shown, parse(shown)) == shown
        # An `else` of nothing but comments stays; every other word is as it was.
        assert _COMMENT.sub("", shown).split() == plain.split()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_comments_stay(path: Path) -> None:
    _check(path.read_text(encoding="utf-8"), 1)


@pytest.mark.parametrize("seed", range(40))
def test_comments_stay_at_braces(seed: int) -> None:
    _check(MORE, seed)


def test_an_else_of_comments_stays() -> None:
    text = "func @f(%a: i1) {\n  if %a {\n  } else {\n    // nothing to do\n  }\n}\n"
    assert format_text(text, parse(text)) == text


def test_a_byte_order_mark_is_skipped() -> None:
    text = "\ufeff// first\nfunc @f() {\n}\n"
    assert format_text(text, parse(text)) == text[1:]
