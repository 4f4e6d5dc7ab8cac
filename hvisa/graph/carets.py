"""Where the operands of a statement stand in its text, so that a caret can be put under one."""

from __future__ import annotations

import re

from hvisa.diagnostics import Span
from hvisa.graph.model import Instr
from hvisa.spec.definitions import Form

# Tokens of a statement that are operands, so that a caret can be put under one of them.
_OPERAND = re.compile(r"<[^>]*>|(%[\w.]+(?:\s*[+-]\s*\d+)?|@[\w.]+|(?:-\s*)?\b(?:inf|nan|true|false)\b"
                      r"|(?<![\w.])-?\d(?:\w|\.(?!\.))*)|\"(?:[^\"\\]|\\.)*\"")
# What looks like an operand and is none, by form; it is blanked out before the search.
_NO_OPERAND: dict[Form, re.Pattern[str]] = {
    Form.NODE: re.compile(r"node\s*@[\w.]+|\[[^\]]*\]|\bby\s+\d+|\)\s*(?:grid|->).*"),
    Form.CALL: re.compile(r"call[\w.(), ]*@[\w.]+")}
# Around the operands of a construct with regions: what one follows, and what ends it.
_LOOPS = (Form.FOR, Form.WHILE, Form.LOOP, Form.REDUCE)
_STARTS = re.compile(r"\bin\b|\.\.|\bstep\b|\binit\b|=")
_ENDS = re.compile(r"\.\.|\b(?:step|carry|init|until|with)\b|[(),{]")
_RESULTS = re.compile(r"%[\w.]+(?:\s*:[^,=]*)?(?:\s*,\s*%[\w.]+(?:\s*:[^,=]*)?)*\s*=(?!=)")


def _loop_operands(code: str, start: int) -> list[tuple[int, int]]:
    """Where the operands of a construct stand in its line, in order."""
    found: list[tuple[int, int]] = []
    stop = re.compile(r"\bwith\s*\(").search(code, start)
    limit = stop.start() if stop else len(code)
    match = _STARTS.search(code, start, limit)
    while match:
        first, depth, last = match.end(), 0, limit
        for end in _ENDS.finditer(code, first, limit):
            if end[0] == "(" or (end[0] == ")" and depth):
                depth += 1 if end[0] == "(" else -1
            elif not depth:
                last = end.start()
                break
        text = code[first:last]
        found.append((first + len(text) - len(text.lstrip()), first + len(text.rstrip())))
        match = _STARTS.search(code, last, limit)
    return found


def operand_span(instr: Instr, operand: int) -> Span | None:
    """The place of one operand of a statement, found by reading its text again; -1 for the
    mnemonic."""
    span = instr.span
    if span is None or span.source is None or span.source.text is None \
            or span.source.language != "hvasm":
        return span
    line = span.source.line(span.line)
    results = _RESULTS.match(line, span.column - 1)
    start = results.end() if results else span.column - 1
    if operand < 0:
        word = re.compile(r"\s*([A-Za-z_]\w*)").match(line, start)
        return Span(span.source, span.line, word.start(1) + 1, len(word[1])) if word else span
    code = line.partition("//")[0] if '"' not in line else line
    form = instr.row.form
    if form in _NO_OPERAND:
        code = code[:start] + _NO_OPERAND[form].sub(lambda m: " " * len(m.group()), code[start:])
    if form in _LOOPS:
        if form is Form.FOR and operand >= 2 and not re.search(r"\bstep\b", code[start:]):
            if operand == 2:
                return span
            operand -= 1
        found = _loop_operands(code, start)
    else:
        found = [(m.start(1), m.end(1)) for m in _OPERAND.finditer(code, start) if m[1]]
    if not 0 <= operand < len(found):
        return span
    first, last = found[operand]
    return Span(span.source, span.line, first + 1, len(code[first:last].rstrip()) or 1)
