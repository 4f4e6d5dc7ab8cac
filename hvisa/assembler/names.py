"""Names in bytecode: the optional section `names`, and what things are called without it.

The section has its own table of strings, so that nothing semantic depends on it. Default names are
never written, and a section that would say nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from hvisa.assembler.leb128 import unsigned
from hvisa.assembler.problems import unencodable
from hvisa.assembler.reader import Reader, Strings, read_gaps
from hvisa.graph.model import ENTER, LEAVE, Module, NodeDetail, Region, Value, walk
from hvisa.graph.numbering import header_symbols, number
from hvisa.spec.definitions import Form

if TYPE_CHECKING:
    from hvisa.assembler.body_encoder import BodyEncoder

_VALUE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*", re.ASCII)
_GLOBAL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*", re.ASCII)


def default_value_name(position: int, symbols: int) -> str:
    """Header symbols come first and are `s` and their number; other values are their number."""
    return f"s{position}" if position < symbols else str(position)


def default_capacity_name(position: int) -> str:
    return f"s{position}"


def default_global_name(letter: str, position: int, taken: set[str]) -> str:
    """`d3` for a definition, `c3` for a constant; `.0` is added while it is the name of another."""
    name = f"{letter}{position}"
    while name in taken:
        name += ".0"
    return name


def is_value_name(name: str) -> bool:
    if name.isascii() and name.isidentifier():  # the usual case, which costs less
        return True
    return _VALUE_NAME.fullmatch(name) is not None


def is_global_name(name: str) -> bool:
    return _GLOBAL_NAME.fullmatch(name) is not None


# -- writing -----------------------------------------------------------------------------------

Sparse = list[tuple[int, str]]


class _NameWriter:
    """Bytes with numbers of strings. All strings are known first, so nothing is left open."""

    def __init__(self, strings: Iterable[str]):
        # UTF-8 sorts as its code points do.
        self.entries = sorted(set(strings) - {""})
        self.index = {text: n for n, text in enumerate(self.entries)}
        self.out = bytearray()

    def optional(self, text: str) -> None:
        self.out += unsigned(self.index[text] + 1 if text else 0)

    def sparse(self, entries: Sparse) -> None:
        """Count, then for each the gap to the number before, and a string."""
        out, index = self.out, self.index
        out += unsigned(len(entries))
        following = 0
        for position, text in entries:
            if position == following:
                out.append(0)
            else:
                out += unsigned(position - following)
            following = position + 1
            out += unsigned(index[text])

    def finish(self) -> bytes:
        table = bytearray(unsigned(len(self.entries)))
        for text in self.entries:
            raw = text.encode()
            table += unsigned(len(raw))
            table += raw
        return bytes(table + self.out)


def write_names(module: Module, bodies: Sequence[BodyEncoder]) -> bytes:
    """The section `names`, empty if each name is the default."""
    taken = {d.name for d in module.definitions.values() if d.public or d.body is None}
    taken |= {c.name for c in module.constants.values() if c.public}
    constants = [(n, c.name) for n, c in enumerate(module.constants.values())
                 if not c.public and c.name != default_global_name("c", n, taken)]
    found = [(n, *_definition_names(body, n, taken)) for n, body in enumerate(bodies)]
    found = [f for f in found if any(f[1:])]
    if not module.name and not constants and not found:
        return b""
    writer = _NameWriter(chain(
        (module.name,), (s for _, s in constants), (own for _, own, *_ in found),
        (s for _, _, *parts in found for part in parts for _, s in part)))
    writer.optional(module.name)
    writer.sparse(constants)
    writer.out += unsigned(len(found))
    following = 0
    for position, own, *parts in found:
        writer.out += unsigned(position - following)
        following = position + 1
        writer.optional(own)
        for part in parts:
            writer.sparse(part)
    return writer.finish()


def _definition_names(body: BodyEncoder, position: int,
                      taken: set[str]) -> tuple[str, Sparse, Sparse, Sparse]:
    """What differs from the default: own name, values, extents of carried values, results."""
    definition = body.definition
    private = not definition.public and definition.body is not None
    own = definition.name if private else ""
    if own == default_global_name("d", position, taken):
        own = ""
    if any(v.name is None for v in body.numbers):
        number(definition)
    _check_scopes(body)
    symbols = len(header_symbols(definition))
    values = [(n, v.name) for n, v in enumerate(body.numbers) if v.name is not None and (
        v.name != str(n) if n >= symbols else v.name != default_value_name(n, symbols))]
    capacities = [(n, s) for n, s in sorted(body.own_extents.items())
                  if s != default_capacity_name(n)]
    results = [(n, s) for n, s in enumerate(definition.result_names) if s]
    for name in {s for part in (values, capacities, results) for _, s in part}:
        if not is_value_name(name):
            raise unencodable(f"{name!r} in `@{definition.name}` is no name", definition.span)
    return own, values, capacities, results


def _check_scopes(body: BodyEncoder) -> None:
    """Refuse two values or extents of one name in one scope, since dimensions refer to names."""
    names = [v.name for v in body.numbers]
    if len({*names, *body.extents.values()}) == len(names) + len(body.extents):
        return
    definition = body.definition
    scope: set[str] = set()
    frames: list[list[str]] = [[]]

    def enter(values: Iterable[Value]) -> None:
        for value in values:
            extent = body.extents.get(body.numbers[value])
            for name in (value.name or "", extent):
                if name in scope:
                    raise unencodable(f"`%{name}` stands for two things in `@{definition.name}`",
                                      definition.span)
                if name is not None:
                    scope.add(name)
                    frames[-1].append(name)

    enter(list(body.numbers)[:body.header])
    for event, instr, region in walk(definition.body or Region()):
        if event == ENTER and region is not None:
            if region is instr.regions[0] or instr.row.form is not Form.WHILE:
                frames.append([])
            enter(region.parameters)
        elif event == LEAVE:
            last = region is instr.regions[-1]
            if last or instr.row.form is not Form.WHILE:
                scope.difference_update(frames.pop())
            if last:
                enter(instr.results)
        elif not instr.regions:
            if isinstance(instr.detail, NodeDetail):
                frames.append([])
                enter(instr.detail.ids)
                scope.difference_update(frames.pop())
            enter(instr.results)


# -- reading -----------------------------------------------------------------------------------

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
        for position in read_gaps(reader, "definitions", 5):
            found = self.definitions[position] = DefinitionNames()
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


def _read_sparse(reader: Reader, strings: Strings, valid: Callable[[str], bool]) -> dict[int, str]:
    found: dict[int, str] = {}
    for position in read_gaps(reader, "names", 2):
        at = reader.at
        found[position] = strings.get(reader)
        if not valid(found[position]):
            reader.fail("HV0831", f"{found[position]!r} is no name", at)
    return found
