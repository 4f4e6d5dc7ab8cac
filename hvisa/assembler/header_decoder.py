"""The header of a definition: ports, results, grid, effect class, attributes."""

from __future__ import annotations

from hvisa.assembler import layout
from hvisa.assembler.attributes import read_attributes
from hvisa.assembler.body_decoder import BodyDecoder
from hvisa.assembler.names import DefinitionNames
from hvisa.assembler.reader import Reader
from hvisa.assembler.scope import Scope
from hvisa.assembler.shapes import read_dim
from hvisa.assembler.tables_decoder import Tables, read_global_name
from hvisa.graph.model import Definition, Function, InternalNode, LeafNode, Port, Value
from hvisa.graph.numbering import header_symbols
from hvisa.spec import operations, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.limits import LIMITS

_CLASSES: dict[str, type[Definition]] = {c.kind: c for c in (LeafNode, InternalNode, Function)}
_ACCUMULATE = operations.MODES.index("accumulate")
MAX_COUNT = 1 << 31

# Bits of a port's flags behind direction and mode.
STRIDED, STREAM, SOURCE = 16, 32, 64


def read_header(reader: Reader, tables: Tables, names: DefinitionNames) -> BodyDecoder:
    """A definition without its scope. The name is empty if it is private and defined here."""
    span = reader.span()
    at = reader.at
    flags = reader.below(32, "flags of a definition")
    kind, public, origin = flags & 3, bool(flags & 4), flags >> 3
    if kind >= len(layout.KINDS) or origin > layout.EXTERN:
        reader.fail("HV0835", f"flags {flags} of a definition", at)
    definition = _CLASSES[layout.KINDS[kind]]("", span)
    definition.public = public
    if public or origin != layout.BODY:
        definition.name = read_global_name(reader, tables.strings)
    if origin == layout.IMPORT:
        definition.source_module = tables.strings.get(reader)
    elif origin == layout.EXTERN:
        if not isinstance(definition, Function):
            reader.fail("HV0835", f"an extern {definition.kind}", at)
        definition.external = True
    scope = Scope(tables, definition, names, reader, reader.number())
    _Header(scope).read()
    scope.in_header = False
    definition.effect = reader.below(len(operations.EFFECT_CLASSES), "effect class")
    definition.implements = tables.strings.optional(reader)
    definition.attributes = read_attributes(reader, tables.strings)
    return BodyDecoder(tables, definition, scope, origin == layout.BODY)


class _Header:
    """Ports, results and grid. Their dimensions may name ports that come later, so all is read
    before values and types are made."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.reader = scope.reader
        self.types = scope.tables.types
        self.ports: list[tuple[Port, int, int, int | None]] = []
        self.results: list[tuple[int, int]] = []
        self.grid: list[tuple[Dim, frozenset[int], int]] = []

    def read(self) -> None:
        reader, definition = self.reader, self.scope.definition
        start = reader.at
        count = reader.count("ports", 2)
        reader.limit(LIMITS["ports"], count)
        for _ in range(count):
            at = reader.at
            port = Port(Value(None, ty.ERROR), span=reader.span(at))
            self.ports.append((port, self.types.lookup(reader), at, _read_port(reader, port)))
        count = reader.count("results")
        reader.limit(layout.MAX_RESULTS if definition.kind == "func" else LIMITS["ports"], count)
        for _ in range(count):
            at = reader.at
            self.results.append((self.types.lookup(reader), at))
        if definition.kind == "leaf":
            count = reader.count("extents")
            reader.limit(LIMITS["rank"], count)
            for _ in range(count):
                at = reader.at
                self.grid.append((*read_dim(reader), at))
        self._make(start)

    def _make(self, start: int) -> None:
        """Values in number order, then what has dimensions."""
        scope, definition, reader = self.scope, self.scope.definition, self.reader
        most = (LIMITS["rank"].value + 1) * (len(self.ports) + len(self.results)) + len(self.grid)
        if scope.symbols > most:
            reader.fail("HV0841", f"{scope.symbols} symbols", start)
        for _ in range(scope.symbols):
            value = scope.define(ty.INDEX)
            definition.symbols[value.name or ""] = value
        for port, entry, _, _ in self.ports:
            is_index = self.types.entries[entry].type is ty.INDEX
            port.value = scope.define(ty.INDEX if is_index else ty.ERROR)
            definition.ports.append(port)
        for port, entry, at, source in self.ports:
            port.value.type = scope.type(entry, at)
            if source is not None:
                if source >= len(self.ports):
                    reader.fail("HV0830", f"port {source}; there are {len(self.ports)}", at)
                port.source = definition.ports[source].name
        for number, (entry, at) in enumerate(self.results):
            definition.results.append(scope.type(entry, at))
            definition.result_names.append(scope.names.results.get(number))
        definition.grid = tuple(scope.rename(dim, symbols, at) for dim, symbols, at in self.grid)
        if header_symbols(definition) != list(definition.symbols):
            reader.fail("HV0841", "symbols are numbered as they first stand alone", start)
        definition.ids = [scope.define(ty.INDEX) for _ in self.grid]


def _read_port(reader: Reader, port: Port) -> int | None:
    """Flags and what they announce; the number of the port that an `out` starts from."""
    at = reader.at
    flags = reader.below(128, "flags of a port")
    port.direction, port.mode = flags & 3, flags >> 2 & 3
    port.strided = bool(flags & STRIDED)
    if port.mode == _ACCUMULATE:
        port.operator = reader.below(len(operations.UPDATES), "operator")
    if flags & STREAM:
        port.policy = reader.below(len(operations.STREAM_POLICIES), "policy")
        port.count = reader.below(MAX_COUNT, "items")
        if port.count < 1 or (port.count == 1 and not port.policy):
            reader.fail("HV0839", "policy and count are the default", at)
    return reader.number() if flags & SOURCE else None
