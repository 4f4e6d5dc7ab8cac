"""Reads the directive comments of conformance programs, and values written as literals.

    // run: @add(1, 2) == 3
    // trap: @div(1, 0) HV0901
    // launch-error: @tile(zeros(0)) HV1005

Arguments go to the taken ports in order, results are the written ports, then the results. A value
is a number as in the text form, a list `[[1, 2], [3, 4]]`, `zeros(3, 4)`, `iota(10)` (0 to 9),
`full(1000, 1.5)`, or `put(65, 0, 7.5, 64, 1)`: 65 zeros but for element 0 and element 64. A line
that ends in a backslash goes on in the next comment line. What is written is read by type, so bits
are exact: `nan(0x7fc00001)`, `0x1p-149`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hvisa.graph.model import Definition, Module
from hvisa.spec import types as ty
from hvisa.spec.literals import parse_literal
from hvisa.spec.types import BufferType, GridType, ScalarType, StreamType, Type, VectorType

_DIRECTIVE = re.compile(r"^\s*// (run|trap|launch-error): (.*)$")
_TOKEN = re.compile(r"\s*(nan\(0x[0-9a-fA-F]+\)|[\w.+-]+|[\[\](),])")
_CODE = re.compile(r"HV\d{4}")


class Directive(NamedTuple):
    """One line to check. `arguments` and `results` are trees of tokens, `code` an error code."""

    kind: str
    file: Path
    line: int
    entry: str
    arguments: list[Any]
    results: list[Any]
    code: str

    @property
    def name(self) -> str:
        return f"{self.file.parent.name}/{self.file.stem}:{self.line}"


def read_directives(file: Path) -> list[Directive]:
    """The directives of a program, in order."""
    found: list[Directive] = []
    lines = file.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        match = _DIRECTIVE.match(line)
        if match is None:
            continue
        text, following = match[2].rstrip(), number
        while text.endswith("\\"):
            text = text[:-1] + lines[following].strip().removeprefix("//")
            text, following = text.rstrip(), following + 1
        found.append(_directive(match[1], file, number, text))
    return found


def _directive(kind: str, file: Path, line: int, text: str) -> Directive:
    call, separator, tail = text.partition("==")
    code = ""
    if kind != "run":
        match = _CODE.search(text)
        assert match is not None, f"{file}:{line}: no error code"
        call, tail, code = text[:match.start()], "", match[0]
    entry, _, rest = call.strip().partition("(")
    assert entry.startswith("@") and (separator or kind != "run"), f"{file}:{line}: {text}"
    arguments = parse_values(rest.strip()[:-1])
    return Directive(kind, file, line, entry[1:], arguments, parse_values(tail), code)


# -- values ----------------------------------------------------------------------------------------

class Made(NamedTuple):
    """`zeros(3, 4)` and its like, before its type is known."""

    word: str
    parts: list[Any]


def parse_values(text: str) -> list[Any]:
    """Values separated by commas: texts of numbers, lists, Made."""
    tokens, at = [], 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None, f"can't read {text[at:]!r}"
        tokens.append(match[1])
        at = match.end()
    values, rest = _items(tokens, 0, "")
    assert rest == len(tokens), f"can't read {text!r}"
    return values


def _items(tokens: list[str], at: int, end: str) -> tuple[list[Any], int]:
    out: list[Any] = []
    while at < len(tokens) and tokens[at] != end:
        token = tokens[at]
        at += 1
        if token == ",":
            continue
        if token == "[":
            value, at = _items(tokens, at, "]")
            at += 1
        elif at < len(tokens) and tokens[at] == "(":
            parts, at = _items(tokens, at + 1, ")")
            value, at = Made(token, parts), at + 1
        else:
            value = token
        out.append(value)
    return out, at


def _bits(texts: Any, element: ScalarType) -> Any:
    """Nested lists of patterns."""
    if isinstance(texts, list):
        return [_bits(t, element) for t in texts]
    return parse_literal(texts, element)


def array(value: Any, element: ScalarType, rank: int) -> np.ndarray:
    """A written value as an array of the storage dtype."""
    unsigned = np.dtype(f"uint{element.size_bytes * 8}")
    if isinstance(value, Made):
        bits = _made(value, element, unsigned)
    else:
        bits = np.array(_bits(value, element), unsigned)
    if not bits.size and bits.ndim < rank:
        bits = bits.reshape(bits.shape + (0,) * (rank - bits.ndim))
    assert bits.ndim == rank, f"{value} has {bits.ndim} dimensions, expected {rank}"
    return bits.view(element.storage_dtype)


def _made(value: Made, element: ScalarType, unsigned: np.dtype) -> np.ndarray:
    parts = value.parts
    if value.word == "zeros":
        return np.zeros([int(p) for p in parts], unsigned)
    if value.word == "full":
        return np.full([int(p) for p in parts[:-1]], parse_literal(parts[-1], element), unsigned)
    if value.word == "iota":
        return np.array([parse_literal(str(n), element) for n in range(int(parts[0]))], unsigned)
    assert value.word == "put", f"unknown value {value.word}(...)"
    out = np.zeros(int(parts[0]), unsigned)
    for index, text in zip(parts[1::2], parts[2::2], strict=True):
        out[int(index)] = parse_literal(text, element)
    return out


def typed(value: Any, type_: Type, grid_rank: int = 0) -> Any:
    """A written value as the host passes or gets it; `grid_rank` is that of a leaf's grid."""
    if isinstance(type_, StreamType):
        return [typed(v, type_.item) for v in value]
    if isinstance(type_, BufferType):
        return array(value, type_.element, type_.rank)
    if isinstance(type_, GridType):
        lanes = isinstance(type_.element, VectorType)
        return array(value, ty.element_of(type_.element), len(type_.extents) + lanes)
    element = ty.element_of(type_)
    rank = grid_rank + isinstance(type_, VectorType)
    found = array(value, element, rank)
    return found if rank else found[()]


def arguments_of(module: Module, directive: Directive) -> dict[str, Any]:
    """The arguments by port name."""
    taken = module.definitions[directive.entry].taken
    assert len(taken) == len(directive.arguments), f"{directive.name}: {len(taken)} arguments"
    return {p.name: typed(a, p.type) for p, a in zip(taken, directive.arguments, strict=True)}


def expected_of(module: Module, directive: Directive) -> list[tuple[Any, Type]]:
    """The results in order, with their types."""
    definition: Definition = module.definitions[directive.entry]
    types = [p.type for p in definition.written] + definition.results
    assert len(types) == len(directive.results), f"{directive.name}: {len(types)} results"
    rank = len(definition.grid)
    return [(typed(v, t, rank), t) for v, t in zip(directive.results, types, strict=True)]
