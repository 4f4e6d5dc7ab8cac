"""Module to bytecode (`.hvbc`): one encoding per module (docs/spec/bytecode.md).

Definitions are walked once; numbers of table entries are left open and filled in when the tables
are sorted. Bodies are in `body_encoder`, what may be left out in `names` and `annotations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hvisa.assembler import layout
from hvisa.assembler.annotations import write_hints, write_source_map
from hvisa.assembler.attributes import write_attributes
from hvisa.assembler.body_encoder import BodyEncoder, Tables
from hvisa.assembler.layout import Section
from hvisa.assembler.leb128 import unsigned
from hvisa.assembler.names import is_global_name, write_names
from hvisa.assembler.problems import unencodable
from hvisa.assembler.shapes import encode_dim
from hvisa.assembler.writer import Writer, string_table
from hvisa.graph.model import Definition, Function, GlobalConstant, Module, Port, Value
from hvisa.graph.numbering import header_symbols
from hvisa.spec import operations, types as ty
from hvisa.spec.limits import LIMITS
from hvisa.spec.types import BufferType, ScalarType

_ACCUMULATE = operations.MODES.index("accumulate")


def encode(module: Module, *, strip_names: bool = False, source_map: bool | None = None) -> bytes:
    """The bytes of a typed module.

    `strip_names` leaves out every name that has no meaning. `source_map` says whether lines and
    columns of instructions are written: None keeps what was decoded from a source map and writes no
    places in a text, since those are not part of the program. Unnamed values get names, as by the
    printer. Raises HvisaError (HV0845) for a module that breaks the rules of the model.
    """
    encoder = Encoder(module)
    out = bytearray(encoder.semantic())
    parts: list[tuple[str, bool, bytes]] = [
        (layout.NAMES, False, b"" if strip_names else write_names(module, encoder.bodies)),
        (layout.HINTS, False, write_hints(encoder.bodies)),
        (layout.SOURCE_MAP, False, write_source_map(encoder.bodies, source_map))]
    parts = [p for p in parts if p[2]]
    for name, safe, payload in module.sections:
        if name in layout.INTERPRETED:
            raise unencodable(f"an optional section may not be called `{name}`", module.span)
        parts.append((name, safe, payload))
    for name, safe, payload in parts:
        text = name.encode()
        _section(out, Section.OPTIONAL, bytes((safe,)) + unsigned(len(text)) + text + payload)
    if len(out) > LIMITS["source_bytes"].value:
        raise unencodable(f"{len(out)} bytes; the limit is {LIMITS['source_bytes'].value}",
                          module.span)
    return bytes(out)


def semantic_bytes(module: Module, *, anonymous: bool = False) -> bytes:
    """Header and semantic sections. `anonymous` leaves out the names of what has a body here, and
    whether it is public."""
    return Encoder(module, anonymous).semantic()


def _section(out: bytearray, section: Section, payload: bytes) -> None:
    out += unsigned(section) + unsigned(len(payload)) + payload


class Encoder:
    """One run over a module. `bodies` holds the encoded definitions, in order."""

    def __init__(self, module: Module, anonymous: bool = False):
        self.module = module
        self.anonymous = anonymous
        self.tables = Tables(module)
        self.bodies: list[BodyEncoder] = []

    def semantic(self) -> bytes:
        """Header and semantic sections."""
        module, tables = self.module, self.tables
        if len(module.definitions) > LIMITS["definitions"].value:
            raise unencodable(f"{len(module.definitions)} definitions", module.span)
        requirements, data, declarations = self._requirements(), self._data(), Writer()
        declarations.number(len(module.definitions))
        for definition in module.definitions.values():
            self._declaration(declarations, definition)
        bodies = [b.assemble for b in self.bodies if b.definition.body is not None]
        strings = string_table(tables.strings)
        types = tables.types.settle()
        pool = tables.pool.settle()
        sections = {
            Section.STRINGS: strings if tables.strings.keys else b"",
            Section.REQUIREMENTS: requirements.finish(),
            Section.TYPES: _list(types),
            Section.DATA: data.finish() if module.constants else b"",
            Section.CONSTANTS: _list(pool),
            Section.DECLARATIONS: declarations.finish() if module.definitions else b"",
            Section.BODIES: b"".join(finish() for finish in bodies)}
        major, minor = max([layout.BASE_VERSION, *(r.since for r in tables.rows)])
        out = bytearray(layout.MAGIC + unsigned(major) + unsigned(minor))
        for section, payload in sections.items():
            if payload:
                _section(out, section, payload)
        return bytes(out)

    def _requirements(self) -> Writer:
        module, writer = self.module, Writer()
        features = sorted({f.encode() for f in module.features})
        if module.math_version or features:
            writer.number(module.math_version)
            writer.number(len(features))
            for feature in features:
                writer.string(self.tables.strings, feature)
        return writer

    # -- constants with contents ---------------------------------------------------------------

    def _data(self) -> Writer:
        writer = Writer()
        writer.number(len(self.module.constants))
        for constant in self.module.constants.values():
            public = constant.public and not self.anonymous
            writer.number(public)
            if public:
                writer.string(self.tables.strings, _global_name(constant))
            writer.refer(self.tables.types, self.tables.types.key(constant.type, {}))
            writer.out += self._contents(constant)
        return writer

    def _contents(self, constant: GlobalConstant) -> bytes:
        type_ = constant.type
        element = type_.element if isinstance(type_, BufferType) else type_
        shape = [d.constant for d in type_.shape] if isinstance(type_, BufferType) else []
        if not isinstance(element, ScalarType) or None in shape or (
                isinstance(type_, BufferType) and type_.capacity is not None):
            raise unencodable(f"constant `@{constant.name}` has type {type_}", constant.span)
        raw = constant.data.astype(element.storage_dtype.newbyteorder("<"), copy=False)
        if list(raw.shape) != shape or constant.data.dtype.itemsize != element.size_bytes:
            raise unencodable(f"the contents of `@{constant.name}` are not {type_}", constant.span)
        return raw.tobytes()

    # -- definitions ---------------------------------------------------------------------------

    def _declaration(self, writer: Writer, definition: Definition) -> None:
        origin = layout.BODY if definition.body is not None else layout.IMPORT
        if isinstance(definition, Function) and definition.external:
            origin = layout.EXTERN
        public = definition.public and not self.anonymous
        strings = self.tables.strings
        writer.number(layout.KINDS.index(definition.kind) | public << 2 | origin << 3)
        if public or origin != layout.BODY:
            writer.string(strings, _global_name(definition))
        if origin == layout.IMPORT:
            writer.string(strings, (definition.source_module or "").encode())
        body = BodyEncoder(self.tables, definition, _header_values(definition))
        self.bodies.append(body)
        try:
            self._header(writer, definition, body.names)
        except KeyError as error:
            raise unencodable(f"symbol `%{error.args[0]}` of `@{definition.name}` never stands "
                              "alone", definition.span) from None
        if definition.body is not None:
            body.run()

    def _header(self, writer: Writer, definition: Definition, names: Mapping[str, int]) -> None:
        strings, types = self.tables.strings, self.tables.types
        for limit, found in ((LIMITS["ports"], len(definition.ports)),
                             (LIMITS["ports"] if definition.kind != "func" else layout.MAX_RESULTS,
                              len(definition.results))):
            if found > limit.value:
                raise unencodable(f"`@{definition.name}` has {found} {limit.doc}", definition.span)
        if ty.ERROR in (*(p.type for p in definition.ports), *definition.results):
            raise unencodable(f"a type of `@{definition.name}` is not known", definition.span)
        writer.number(len(header_symbols(definition)))
        writer.number(len(definition.ports))
        ports = {p.name: n for n, p in enumerate(definition.ports)}
        for port in definition.ports:
            writer.refer(types, types.key(port.type, names))
            self._port(writer, port, ports, definition)
        writer.number(len(definition.results))
        for type_ in definition.results:
            writer.refer(types, types.key(type_, names))
        if definition.kind == "leaf":
            if len(definition.grid) != len(definition.ids):
                raise unencodable(f"the grid of `@{definition.name}` has {len(definition.ids)} ids",
                                  definition.span)
            writer.number(len(definition.grid))
            for extent in definition.grid:
                writer.out += encode_dim(extent, names)
        elif definition.grid or definition.ids:
            raise unencodable(f"`@{definition.name}` is a {definition.kind} with a grid of its own",
                              definition.span)
        writer.number(definition.effect)
        writer.optional_string(strings, definition.implements.encode())
        write_attributes(writer, strings, definition.attributes, definition.span)

    @staticmethod
    def _port(writer: Writer, port: Port, ports: Mapping[str, int], definition: Definition) -> None:
        """Flags and what they announce; `ports` has the position of each port by name."""
        stream = port.policy or port.count != 1
        writer.number(port.direction | port.mode << 2 | port.strided << 4 | bool(stream) << 5
                      | bool(port.source) << 6)
        if port.mode == _ACCUMULATE:
            writer.number(port.operator)
        if stream:
            writer.number(port.policy)
            writer.number(port.count)
        if port.source:
            if port.source not in ports:
                raise unencodable(f"`%{port.source}` is no port of `@{definition.name}`",
                                  definition.span)
            writer.number(ports[port.source])


def _global_name(named: Definition | GlobalConstant) -> bytes:
    if not is_global_name(named.name):
        raise unencodable(f"{named.name!r} is no name", named.span)
    return named.name.encode()


def _list(entries: Sequence[bytes]) -> bytes:
    return unsigned(len(entries)) + b"".join(entries) if entries else b""


def _header_values(definition: Definition) -> Iterable[Value]:
    """The first values of a definition, in number order."""
    for name in header_symbols(definition):
        value = definition.symbols.get(name)
        if value is None or value.type is not ty.INDEX:
            raise unencodable(f"`@{definition.name}` has no symbol `%{name}`", definition.span)
        yield value
    for port in definition.ports:
        yield port.value
    yield from definition.ids
