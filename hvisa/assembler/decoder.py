"""Bytecode to module. Only the one encoding of a module is accepted (docs/spec/bytecode.md).

The bytes may come from a stranger: every count is held against what is left and against the limits
before anything is made of it, nothing recurses over depth that the bytes control, and whatever is
wrong ends in HvisaError.
"""

from __future__ import annotations

from typing import NamedTuple

from hvisa.assembler import layout
from hvisa.assembler.annotations import read_hints, read_source_map
from hvisa.assembler.body_decoder import BodyDecoder
from hvisa.assembler.header_decoder import read_header
from hvisa.assembler.layout import MAGIC, Section
from hvisa.assembler.leb128 import LebError, read_unsigned
from hvisa.assembler.names import Names, default_global_name, default_value_name
from hvisa.assembler.reader import Reader, Strings, check_below, check_used
from hvisa.assembler.shapes import TypeReader
from hvisa.assembler.tables_decoder import Tables, read_data, read_pool
from hvisa.diagnostics import HvisaError, Source, Span
from hvisa.graph.inference import complete
from hvisa.graph.model import GlobalConstant, Module
from hvisa.spec import types as ty
from hvisa.spec.limits import LIMITS
from hvisa.spec.types import BufferType


def decode(data: bytes, name: str = "<bytes>") -> Module:
    """The module that the bytes encode, typed; `encode` gives the same bytes again.

    `name` stands in messages. Raises HvisaError: HV0820 to HV0842 for bytes that are no module, and
    the codes of type errors.
    """
    decoder = Decoder(data, Source(name))
    module = decoder.module()
    errors = complete(module)
    if errors:
        # Places cost time and are only needed now: read again, keeping them.
        decoder = Decoder(data, Source(name), places=True)
        raise HvisaError(complete(decoder.module()))
    decoder.check_types()
    return module


class Optional(NamedTuple):
    """An optional section: its payload is what `reader` reads."""

    name: str
    safe: bool
    reader: Reader


class Decoder:
    """One run over the bytes of a file. `places` gives instructions the place of their bytes, where
    no source map has a better one."""

    def __init__(self, data: bytes, source: Source, places: bool = False):
        self.data = data
        self.source = source
        self.places = places
        self.bodies: list[BodyDecoder] = []
        self.semantic: dict[Section, Reader] = {}
        self.optional: list[Optional] = []
        self.found = Module(span=Span(source))

    # -- sections ------------------------------------------------------------------------------

    def module(self) -> Module:
        """The module, not yet typed."""
        data = self.data
        if len(data) > LIMITS["source_bytes"].value:
            raise HvisaError(LIMITS["source_bytes"].diagnostic(len(data), Span(self.source)))
        file = Reader(data, 0, len(data), self.source, "header")
        if data[:len(MAGIC)] != MAGIC:
            file.fail("HV0820", "the first bytes differ" if data else "the file is empty")
        file.at = len(MAGIC)
        version = self._version(file)
        while file.at < file.end:
            self._section(file)
        interpreted = self._interpreted()
        names = Names(interpreted.get(layout.NAMES))
        self.found.name = names.module
        strings = Strings(self.semantic.get(Section.STRINGS))
        tables = Tables(strings, TypeReader(self.semantic.get(Section.TYPES)), version,
                        layout.BUDGET + layout.BUDGET_PER_BYTE * len(data))
        self._requirements(strings)
        constants = read_data(self.semantic.get(Section.DATA), tables)
        self._headers(tables, names)
        self._name_globals(constants, names)
        read_pool(self.semantic.get(Section.CONSTANTS), tables, constants)
        self._read_bodies(tables)
        self._check_tables(tables)
        self._check_names(names, len(constants))
        self._annotate(interpreted)
        self._check_version(version)
        return self.found

    def _version(self, file: Reader) -> tuple[int, int]:
        found = file.number(), file.number()
        if not layout.BASE_VERSION <= found <= layout.VERSION or found[0] != layout.VERSION[0]:
            here = ".".join(map(str, layout.VERSION))
            file.fail("HV0822", f"{found[0]}.{found[1]}, written by {self._producer(file.at)}; "
                      f"this is hvisa's bytecode {here}", len(MAGIC))
        return found

    def _producer(self, at: int) -> str:
        """Who wrote the file, as far as it says so; used for messages only."""
        data, end = self.data, len(self.data)
        try:
            while at < end:
                number, at = read_unsigned(data, at, end)
                size, at = read_unsigned(data, at, end)
                if number == Section.OPTIONAL:
                    length, start = read_unsigned(data, at + 1, end)
                    if data[start:start + length].decode() == layout.PRODUCER:
                        return f"`{data[start + length:at + size].decode()[:80]}`"
                at += size
        except (LebError, UnicodeDecodeError):
            pass
        return "an unknown producer"

    def _section(self, file: Reader) -> None:
        at = file.at
        number = file.number()
        size = file.count("bytes of a section")
        if number not in Section._value2member_map_:
            file.fail("HV0824", f"unknown section {number}", at)
        section = Section(number)
        inner = file.inner(size, section.label)
        if section is Section.OPTIONAL:
            flags = inner.below(2, "flags of an optional section")
            name = inner.text()
            self.optional.append(Optional(name, bool(flags), inner))
            return
        if not size:
            file.fail("HV0824", f"`{section.label}` is empty; an empty section is left out", at)
        if self.optional or (self.semantic and section <= next(reversed(self.semantic))):
            file.fail("HV0824", f"`{section.label}`", at)
        self.semantic[section] = inner

    def _interpreted(self) -> dict[str, Reader]:
        """Optional sections read here, which come first in their order; the others are kept."""
        found: dict[str, Reader] = {}
        order = list(layout.INTERPRETED)
        for name, safe, reader in self.optional:
            if name not in layout.INTERPRETED:
                order.clear()
                self.found.sections.append((name, safe, reader.take(reader.end - reader.at, name)))
                continue
            if name not in order or safe:
                reader.fail("HV0824", f"optional section `{name}`")
            del order[:order.index(name) + 1]
            reader.section = name
            found[name] = reader
        return found

    def _requirements(self, strings: Strings) -> None:
        reader = self.semantic.get(Section.REQUIREMENTS)
        if reader is None:
            return
        at = reader.at
        self.found.math_version = reader.below(1 << 31, "version of the mathematical library")
        features = self.found.features
        for _ in range(reader.count("features")):
            place = reader.at
            feature = strings.get(reader)
            if features and feature.encode() <= features[-1].encode():
                reader.fail("HV0828", f"feature `{feature}`", place)
            features.append(feature)
            if feature not in layout.FEATURES:
                self._no_feature(reader, feature, place)
        if not self.found.math_version and not features:
            reader.fail("HV0839", "a section without requirements is left out", at)
        reader.done("the requirements")

    def _no_feature(self, reader: Reader, feature: str, at: int) -> None:
        file = Reader(self.data, len(MAGIC), len(self.data), self.source, "header")
        major, minor = file.number(), file.number()
        here = ".".join(map(str, layout.VERSION))
        reader.fail("HV0823", f"`{feature}`, in bytecode {major}.{minor} written by "
                    f"{self._producer(file.at)}; this is hvisa's bytecode {here}", at)

    # -- definitions ---------------------------------------------------------------------------

    def _headers(self, tables: Tables, names: Names) -> None:
        """Declarations: every definition without its body."""
        reader = self.semantic.get(Section.DECLARATIONS)
        if reader is None:
            return
        at = reader.at
        count = reader.count("definitions", 7)
        reader.limit(LIMITS["definitions"], count)
        if not count:
            reader.fail("HV0839", "a section without definitions is left out", at)
        for number in range(count):
            body = read_header(reader, tables, names.of(number))
            self.bodies.append(body)
            tables.definitions.append(body.definition)
        reader.done("the definitions")

    def _name_globals(self, constants: list[GlobalConstant], names: Names) -> None:
        """Names of what is private, from the section or by default; all must differ."""
        definitions = [b.definition for b in self.bodies]
        taken = {x.name for x in (*constants, *definitions) if x.name}
        for number, constant in enumerate(constants):
            own = names.constants.get(number)
            default = default_global_name("c", number, taken)
            self._private_name(constant.name, own, default, names)
            constant.name = constant.name or own or default
            if self.found.constants.setdefault(constant.name, constant) is not constant:
                raise self._taken(constant.name, names)
        for number, definition in enumerate(definitions):
            own = names.of(number).own
            default = default_global_name("d", number, taken)
            self._private_name(definition.name, own, default, names)
            definition.name = definition.name or own or default
            if definition.name in self.found.constants or self.found.definitions.setdefault(
                    definition.name, definition) is not definition:
                raise self._taken(definition.name, names)

    @staticmethod
    def _private_name(known: str, own: str | None, default: str, names: Names) -> None:
        if own and (known or own == default):
            assert names.reader is not None
            names.reader.fail("HV0839", f"`@{own}` is named without need")

    def _taken(self, name: str, names: Names) -> HvisaError:
        reader = names.reader or self.semantic[Section.DECLARATIONS]
        return reader.error("HV0840", f"`@{name}`")

    def _read_bodies(self, tables: Tables) -> None:
        reader = self.semantic.get(Section.BODIES)
        wanted = [b for b in self.bodies if b.is_here]
        if reader is None:
            if wanted:
                self.semantic[Section.DECLARATIONS].fail("HV0824", "`bodies` is missing")
            return
        for body in wanted:
            size = reader.count("bytes of a body")
            body.definition.body = body.read(reader.inner(size))
        reader.done("the bodies")

    # -- what is checked at the end ------------------------------------------------------------

    def _check_tables(self, tables: Tables) -> None:
        """Refuse tables with bytes or entries that nothing needs."""
        for section, used in ((Section.STRINGS, tables.strings.used),
                              (Section.TYPES, tables.types.used),
                              (Section.CONSTANTS, tables.pool_used)):
            reader = self.semantic.get(section)
            if reader is None:
                continue
            if not used:
                reader.fail("HV0839", "an empty table is left out")
            reader.done("the table")
            check_used(used, "entry", reader)

    def _check_names(self, names: Names, constants: int) -> None:
        """Refuse names of what is not there, and names that are the default."""
        if names.reader is None:
            return
        reader = names.reader
        check_below(reader, names.constants, constants, "constant")
        check_below(reader, names.definitions, len(self.bodies), "definition")
        for number, found in names.definitions.items():
            body = self.bodies[number]
            check_below(reader, found.values, len(body.scope.values), "value", found.at)
            check_below(reader, found.results, len(body.definition.results), "result", found.at)
            if any(n == default_value_name(v, body.scope.symbols) for v, n in found.values.items()):
                reader.fail("HV0839", "a name is the default", found.at)
            if len(found.capacities) != body.extent_names_used:
                reader.fail("HV0830", "an extent with a name is not there", found.at)

    def _annotate(self, interpreted: dict[str, Reader]) -> None:
        """Attributes, hints and places of instructions."""
        for body in self.bodies:
            for number, found in body.attributes.items():
                self._check_instruction(body, number, body.reader)
                body.instrs[number].attributes = found
            if self.places:
                for instr, at in zip(body.instrs, body.starts, strict=True):
                    instr.span = body.reader.span(at)
        reader = interpreted.get(layout.HINTS)
        hints = read_hints(reader) if reader else {}
        if reader:
            check_below(reader, hints, len(self.bodies), "definition")
            for number, found in hints.items():
                body = self.bodies[number]
                check_below(reader, found.instructions, len(body.instrs), "instruction", found.at)
                body.definition.attributes = found.header + body.definition.attributes
                for position, attributes in found.instructions.items():
                    instr = body.instrs[position]
                    instr.attributes = attributes + instr.attributes
        reader = interpreted.get(layout.SOURCE_MAP)
        places = read_source_map(reader) if reader else {}
        if reader:
            check_below(reader, places, len(self.bodies), "definition")
            for number, found in places.items():
                body = self.bodies[number]
                check_below(reader, found.spans, len(body.instrs), "instruction", found.at)
                for position, span in found.spans.items():
                    body.instrs[position].span = span

    @staticmethod
    def _check_instruction(body: BodyDecoder, number: int, reader: Reader) -> None:
        if number >= len(body.instrs):
            reader.fail("HV0830", f"instruction {number}; there are {len(body.instrs)}")

    def _check_version(self, version: tuple[int, int]) -> None:
        """Refuse a version that is higher than the instructions need."""
        if version == layout.BASE_VERSION:
            return
        used = {i.row.since for b in self.bodies for i in b.instrs}
        least = max(used, default=layout.BASE_VERSION)
        if least < version:
            Reader(self.data, len(MAGIC), len(self.data), self.source, "header").fail(
                "HV0839", f"version {least[0]}.{least[1]} expresses this module")

    def check_types(self) -> None:
        """What could not be told before inference: which values are dimensions, which types and
        names had to be written."""
        for body in self.bodies:
            reader, pending = body.reader, body.scope.pending
            for value, at in pending.symbols:
                if value.type is not ty.INDEX:
                    reader.fail("HV0842", f"`%{value.name}` has type {value.type}", at)
            for value, symbol, at in pending.extents:
                type_ = value.type
                if not isinstance(type_, BufferType) or type_.capacity is None \
                        or type_.shape[0].symbol != symbol:
                    reader.fail("HV0842", f"the leading extent of `%{value.name}`", at)
            for value, init, at in pending.typed:
                if value.type is init.type:
                    reader.fail("HV0839", f"the type of `%{value.name}` is that of its init", at)
