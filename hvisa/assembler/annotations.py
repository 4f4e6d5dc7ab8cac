"""Optional sections that hvisa itself writes: names, hints, places in a source text.

Each has its own table of strings, so that nothing semantic depends on them. What has its default name,
no hint and no place is left out, and an empty section as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hvisa.assembler.attributes import HINT, read_attributes, read_listed, write_attributes, write_listed
from hvisa.assembler.leb128 import unzigzag, zigzag
from hvisa.assembler.reader import Reader, Strings
from hvisa.assembler.writer import Table, Writer, string_table
from hvisa.diagnostics import Source, Span
from hvisa.graph.model import Attribute, Module
from hvisa.graph.numbering import header_symbols, number

if TYPE_CHECKING:
    from hvisa.assembler.body_encoder import BodyEncoder

_VALUE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*", re.ASCII)
_GLOBAL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*", re.ASCII)
MAX_LINE = 1 << 31


# -- names that are there without a section ----------------------------------------------------------

def default_value_name(number_: int, symbols: int) -> str:
    """Header symbols come first and are `s` and their number; other values are their number."""
    return f"s{number_}" if number_ < symbols else str(number_)


def default_capacity_name(number_: int) -> str:
    return f"s{number_}"


def default_global_name(letter: str, number_: int, taken: set[str]) -> str:
    """`d3` for a definition, `c3` for a constant; `.0` is added while it is the name of another."""
    name = f"{letter}{number_}"
    while name in taken:
        name += ".0"
    return name


def is_value_name(name: str) -> bool:
    return _VALUE_NAME.fullmatch(name) is not None


def is_global_name(name: str) -> bool:
    return _GLOBAL_NAME.fullmatch(name) is not None


# -- lists with gaps ---------------------------------------------------------------------------------

def _write_sparse(writer: Writer, strings: Table, entries: Sequence[tuple[int, str]]) -> None:
    """Count, then for each the gap to the number before, and a string."""
    writer.number(len(entries))
    following = 0
    for number_, text in entries:
        writer.number(number_ - following)
        following = number_ + 1
        writer.string(strings, text.encode())


def _gaps(reader: Reader, what: str, least: int) -> Iterator[int]:
    """Rising numbers, each written as the gap to the one before."""
    following = 0
    for _ in range(reader.count(what, least)):
        following += reader.number() + 1
        yield following - 1


def check_below(reader: Reader, numbers: Mapping[int, object], bound: int, what: str,
                at: int | None = None) -> None:
    """Refuse an annotation of something that is not there. `numbers` are in order."""
    last = next(reversed(numbers), -1)
    if last >= bound:
        reader.fail("HV0830", f"{what} {last}; there are {bound}", at)


def _read_sparse(reader: Reader, strings: Strings, valid: Callable[[str], bool]) -> dict[int, str]:
    found: dict[int, str] = {}
    for number_ in _gaps(reader, "names", 2):
        at = reader.at
        found[number_] = strings.get(reader)
        if not valid(found[number_]):
            reader.fail("HV0831", f"{found[number_]!r} is no name", at)
    return found


# -- names -------------------------------------------------------------------------------------------

def write_names(module: Module, bodies: Sequence[BodyEncoder]) -> bytes:
    """The section `names`, empty if each name is the default."""
    strings, writer = Table(), Writer()
    taken = {d.name for d in module.definitions.values() if d.public or d.body is None}
    taken |= {c.name for c in module.constants.values() if c.public}
    constants = [(n, c.name) for n, c in enumerate(module.constants.values())
                 if not c.public and c.name != default_global_name("c", n, taken)]
    writer.optional_string(strings, module.name.encode())
    _write_sparse(writer, strings, constants)
    following = listed = 0
    entries = Writer()
    for number_, body in enumerate(bodies):
        own, values, capacities, results = _definition_names(body, number_, taken)
        if not own and not values and not capacities and not results:
            continue
        entries.number(number_ - following)
        following = number_ + 1
        listed += 1
        entries.optional_string(strings, own.encode())
        for part in (values, capacities, results):
            _write_sparse(entries, strings, part)
    if not module.name and not constants and not listed:
        return b""
    writer.number(listed)
    return string_table(strings) + writer.finish() + entries.finish()


Sparse = list[tuple[int, str]]


def _definition_names(body: BodyEncoder, number_: int,
                      taken: set[str]) -> tuple[str, Sparse, Sparse, Sparse]:
    """What differs from the default: own name, values, extents of carried values, results."""
    definition = body.definition
    private = not definition.public and definition.body is not None
    own = definition.name if private else ""
    if own == default_global_name("d", number_, taken):
        own = ""
    if any(v.name is None for v in body.numbers):
        number(definition)
    symbols = len(header_symbols(definition))
    values = [(n, v.name) for n, v in enumerate(body.numbers)
              if v.name is not None and v.name != default_value_name(n, symbols)]
    capacities = [(n, s) for n, s in sorted(body.capacity_names.items())
                  if s != default_capacity_name(n)]
    results = [(n, s) for n, s in enumerate(definition.result_names) if s]
    return own, values, capacities, results


class DefinitionNames:
    """The names of one definition that differ from the default."""

    __slots__ = ("at", "capacities", "own", "results", "values")

    def __init__(self) -> None:
        self.at = 0
        self.own = ""
        self.values: dict[int, str] = {}
        self.capacities: dict[int, str] = {}
        self.results: dict[int, str] = {}


class Names:
    """The section `names` as read; empty without one."""

    def __init__(self, reader: Reader | None):
        self.reader = reader
        self.module = ""
        self.constants: dict[int, str] = {}
        self.definitions: dict[int, DefinitionNames] = {}
        if reader is not None:
            self._read(reader)

    def _read(self, reader: Reader) -> None:
        strings = Strings(reader)
        start = reader.at
        self.module = strings.optional(reader)
        self.constants = _read_sparse(reader, strings, is_global_name)
        for number_ in _gaps(reader, "definitions", 5):
            found = self.definitions[number_] = DefinitionNames()
            found.at = reader.at
            found.own = strings.optional(reader)
            if found.own and not is_global_name(found.own):
                reader.fail("HV0831", f"{found.own!r} is no name", found.at)
            found.values = _read_sparse(reader, strings, is_value_name)
            found.capacities = _read_sparse(reader, strings, is_global_name)
            found.results = _read_sparse(reader, strings, is_value_name)
            if not (found.own or found.values or found.capacities or found.results):
                reader.fail("HV0839", "a definition without names is not listed", found.at)
        if not (self.module or self.constants or self.definitions):
            reader.fail("HV0839", "a section without names is left out", start)
        strings.check_used(reader)
        reader.done("the names")

    def of(self, definition: int) -> DefinitionNames:
        return self.definitions.get(definition) or _NO_NAMES


_NO_NAMES = DefinitionNames()


# -- hints -------------------------------------------------------------------------------------------

def write_hints(bodies: Sequence[BodyEncoder]) -> bytes:
    """The section `hints`: those of headers and instructions; empty if there are none."""
    strings, writer = Table(), Writer()
    following = listed = 0
    for number_, body in enumerate(bodies):
        header = body.definition.attributes
        if not any(a.kind == HINT for _, found in [(0, header), *body.attributes] for a in found):
            continue
        writer.number(number_ - following)
        following = number_ + 1
        listed += 1
        write_attributes(writer, strings, header, body.definition.span, hints=True)
        write_listed(writer, strings, body.attributes, hints=True)
    if not listed:
        return b""
    head = Writer()
    head.number(listed)
    return string_table(strings) + head.finish() + writer.finish()


class DefinitionHints:
    __slots__ = ("at", "header", "instructions")

    def __init__(self, at: int, header: tuple[Attribute, ...],
                 instructions: dict[int, tuple[Attribute, ...]]):
        self.at = at
        self.header = header
        self.instructions = instructions


def read_hints(reader: Reader) -> dict[int, DefinitionHints]:
    """Hints by the number of their definition."""
    strings = Strings(reader)
    found: dict[int, DefinitionHints] = {}
    for number_ in _gaps(reader, "definitions", 3):
        at = reader.at
        header = read_attributes(reader, strings, hints=True)
        instructions = read_listed(reader, strings, hints=True)
        if not header and not instructions:
            reader.fail("HV0839", "a definition without hints is not listed", at)
        found[number_] = DefinitionHints(at, header, instructions)
    if not found:
        reader.fail("HV0839", "a section without hints is left out")
    strings.check_used(reader)
    reader.done("the hints")
    return found


# -- places ------------------------------------------------------------------------------------------

Place = tuple[str, int, int]  # file, line, column


def _place(span: Span | None, texts: bool | None) -> Place | None:
    """What is written of a span. Without `texts`, only what came from a source map itself."""
    if span is None or span.line < 1 or span.source is None:
        return None
    return (span.source.name, span.line, span.column) if texts or span.source.text is None else None


def write_source_map(bodies: Sequence[BodyEncoder], texts: bool | None) -> bytes:
    """The section `source_map`; empty if `texts` is False or no instruction has a place."""
    if texts is False:
        return b""
    strings, writer = Table(), Writer()
    following = listed = 0
    for number_, body in enumerate(bodies):
        runs = list(_runs(_place(s, texts) for s in body.spans))
        if not runs:
            continue
        writer.number(number_ - following)
        following = number_ + 1
        listed += 1
        _write_runs(writer, strings, runs)
    if not listed:
        return b""
    head = Writer()
    head.number(listed)
    return string_table(strings) + head.finish() + writer.finish()


def _runs(places: Iterable[Place | None]) -> Iterator[tuple[int, list[Place]]]:
    """Longest runs of instructions with a place in one file: the first number, the places."""
    run: list[Place] = []
    first = 0
    for number_, place in enumerate(places):
        if run and (place is None or place[0] != run[0][0]):
            yield first, run
            run = []
        if place is not None:
            if not run:
                first = number_
            run.append(place)
    if run:
        yield first, run


def _write_runs(writer: Writer, strings: Table, runs: Sequence[tuple[int, list[Place]]]) -> None:
    """For each run: gap, file, length; for each instruction the step of the line, and the column."""
    writer.number(len(runs))
    following = 0
    for first, run in runs:
        writer.number(first - following)
        following = first + len(run)
        writer.string(strings, run[0][0].encode())
        writer.number(len(run))
        last = 0
        for _, line, column in run:
            writer.number(zigzag(line - last))
            writer.number(column)
            last = line


class DefinitionPlaces:
    """Spans by the number of their instruction."""

    __slots__ = ("at", "spans")

    def __init__(self, at: int, spans: dict[int, Span]):
        self.at = at
        self.spans = spans


def read_source_map(reader: Reader) -> dict[int, DefinitionPlaces]:
    """Places by the number of their definition."""
    strings = Strings(reader)
    sources = [Source(name) for name in strings.texts]
    found: dict[int, DefinitionPlaces] = {}
    for number_ in _gaps(reader, "definitions", 6):
        at = reader.at
        found[number_] = DefinitionPlaces(at, _read_runs(reader, strings, sources))
    if not found:
        reader.fail("HV0839", "a section without places is left out")
    strings.check_used(reader)
    reader.done("the places")
    return found


def _read_runs(reader: Reader, strings: Strings, sources: Sequence[Source]) -> dict[int, Span]:
    spans: dict[int, Span] = {}
    following, file = 0, -1
    for position in range(reader.count("runs", 5)):
        at = reader.at
        gap = reader.number()
        source = reader.below(len(sources), "file", "HV0830")
        strings.used[source] = 1
        if position and not gap and source == file:
            reader.fail("HV0839", "two runs of one file can be joined", at)
        file = source
        number_ = following + gap
        line = 0
        count = reader.count("instructions", 2)
        if not count:
            reader.fail("HV0839", "a run is empty", at)
        for offset in range(count):
            at = reader.at
            line += unzigzag(reader.number())
            column = reader.number()
            if not 1 <= line < MAX_LINE or column >= MAX_LINE:
                reader.fail("HV0835", f"line {line}, column {column}", at)
            spans[number_ + offset] = Span(sources[source], line, column)
        following = number_ + count
    if not spans:
        reader.fail("HV0839", "a definition without places is not listed")
    return spans
