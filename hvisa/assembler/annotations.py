"""Optional sections of the encoder besides names: hints, and places in a source text.

Each has its own table of strings, so that nothing semantic depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hvisa.assembler.attributes import (
    HINT,
    read_attributes,
    read_listed,
    write_attributes,
    write_listed,
)
from hvisa.assembler.leb128 import unzigzag, zigzag
from hvisa.assembler.reader import Reader, Strings, read_gaps
from hvisa.assembler.writer import Table, Writer, string_table
from hvisa.diagnostics import Source, Span
from hvisa.graph.model import Attribute

if TYPE_CHECKING:
    from hvisa.assembler.body_encoder import BodyEncoder

MAX_LINE = 1 << 31


# -- hints -------------------------------------------------------------------------------------

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
    for number_ in read_gaps(reader, "definitions", 3):
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


# -- places ------------------------------------------------------------------------------------

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
    """For each run: gap, file, length; for each instruction the step in lines, and the column."""
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
    for number_ in read_gaps(reader, "definitions", 6):
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
