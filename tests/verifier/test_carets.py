"""The caret of a message stands under the operand that it is about."""

from __future__ import annotations

import pytest

from hvisa.assembler.parser import parse
from hvisa.graph.carets import operand_span
from hvisa.graph.model import walk

# A line of a construct, and what the caret of each operand covers; None for the whole statement.
LINES: list[tuple[str, list[str | None]]] = [
    ("for %j in 0 .. %n { }", ["0", "%n", None]),
    ("for %j in 0..5 { }", ["0", "5", None]),
    ("for %j: i32 in 0 .. 9 step 2 { }", ["0", "9", "2"]),
    ("for %j in floordiv(%n, 2) .. %n * 2 + 1 step 3 { }", ["floordiv(%n, 2)", "%n * 2 + 1", "3"]),
    ("%r = for %j in 1 .. %n carry (%a: f32 = 0.5) { yield %a }", ["1", "%n", None, "0.5"]),
    ("%r, %s = for %j in 1 .. %n step 2 carry (%a = %v, uniform %b: i32 = -3) { yield %a, %b }",
     ["1", "%n", "2", "%v", "-3"]),
    ("%r, %s = while (%a = %v, %b: i32 = 0) { check true } do { yield %a, %b }", ["%v", "0"]),
    ("%r, %s = loop (%a: vec<f32, 4> = %w, %b = false) until %b { yield %a, true }", ["%w", "false"]),
    ("%r = reduce.add f32 over (%j in 0 .. %n, %k in 2 .. 3) { yield %v }", ["0", "%n", "2", "3"]),
    ("%r = reduce.add f32 over (%j in 0 .. %n) init 0.25 { yield %v }", ["0", "%n", "0.25"]),
    ("%r = for %j in 0 .. 4 carry (%a = 1.5:f32) with (hint unroll = 4) { yield %a }",
     ["0", "4", None, "1.5:f32"]),
    ("%r = select true, %v, 0.5", ["true", "%v", "0.5"]),
    ("store %v, %x[%i]", ["%v", "%x", "%i"]),
]


@pytest.mark.parametrize(("line", "wanted"), LINES, ids=[n for n, _ in LINES])
def test_carets(line: str, wanted: list[str | None]) -> None:
    text = ("leaf @f(out %x: buf<f32>[%n]) grid(%i < %n) {\n  %v = max 1.0, 2.0:f32\n"
            f"  %w = splat vec<f32, 4> 0.0\n  {line}\n  store %v, %x[%i]\n}}\n")
    body = parse(text).definitions["f"].body
    assert body is not None
    instr = next(i for event, i, _ in walk(body) if not event and i.span and i.span.line == 4)
    assert len(instr.operands) == len(wanted)
    for number, words in enumerate(wanted):
        span = operand_span(instr, number)
        assert span is not None
        shown = text.split("\n")[3][span.column - 1:span.column - 1 + span.length]
        assert (None if span is instr.span else shown) == words
