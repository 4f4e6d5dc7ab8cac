"""The pass over graphs: regions, names that dimensions may use, views; the rest is in other files.

`nodes` looks at node uses, `boxes` at the parts that replicated nodes write, `versions` at buffers
that exist only once, `streams` at items and their counts (semantics 1 to 9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from hvisa.graph.facts import EXACT, INEXACT, DefinitionFacts, Facts
from hvisa.graph.model import Definition, DimValue, Instr, Module, Region, Value
from hvisa.graph.rules import nodes, streams, versions
from hvisa.graph.rules.attributes import has_licence
from hvisa.graph.rules.dimensions import check_divisors, check_extents
from hvisa.graph.rules.report import Report
from hvisa.spec import types as ty
from hvisa.spec.definitions import InstrDef
from hvisa.spec.dimensions import Dim
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, StreamType, Type

_IF, _FOR, _LOOP = ROWS["if"], ROWS["for"], ROWS["loop"]


class Frame:
    """An open region. `names` end with it; `yields` are what its branches gave."""

    __slots__ = ("instr", "names", "number", "stash", "taken", "yields")

    def __init__(self, instr: Instr):
        self.instr = instr
        self.number = 0
        self.names: list[str] = []
        self.yields: list[Instr] = []
        self.taken: list[Value] = []  # versions used up in this region
        self.stash: list[Value] = []  # those of the other branch


class Graph:
    """The state of the pass over one graph."""

    def __init__(self, report: Report, module: Module, facts: Facts, definition: Definition):
        self.report = report
        self.module = module
        self.facts = facts
        self.mine: DefinitionFacts = facts[definition.name]
        self.definition = definition
        self.frames: list[Frame] = []
        self.names: set[str] = set(definition.symbols)
        self.own_names: set[str] = set(definition.symbols)  # those a launch can check
        self.loops = 0
        self.effect = EXACT
        self.cause: Instr | None = None
        self.effect_note = ""
        self.producers: dict[Value, tuple[Instr, int]] = {}  # written port's result -> node, number
        self.views: set[Value] = set()
        self.versions = versions.Versions(self)
        self.streams = streams.Streams(self)
        self.tiled: set[Value] = set()
        for port in definition.ports:
            if port.type is ty.INDEX and port.value.name:
                self.names.add(port.value.name)
                self.own_names.add(port.value.name)

    def run(self) -> None:
        region = self.definition.body
        assert region is not None
        self.report.span = self.definition.span
        if has_licence(self.definition.attributes):
            self.raise_effect(INEXACT, None, "it has a licence")
        stack: list[Iterator[Instr]] = [iter(region.body)]
        while stack:
            for instr in stack[-1]:
                self._instruction(instr)
                if instr.regions:
                    stack.append(iter(self._enter(instr).body))
                    break
            else:
                stack.pop()
                if self.frames and (following := self._close()) is not None:
                    stack.append(iter(following.body))
        self.streams.finish()
        self._finish()

    def _finish(self) -> None:
        mine = self.mine
        mine.effect = max(self.effect, self.definition.effect)
        mine.tiled = frozenset(self.tiled)
        mine.covered = frozenset(p.name for p in self.definition.ports if p.direction == 2
                                 and not (isinstance(p.type, BufferType) and p.type.capacity))
        for name in mine.callees:
            callee = self.facts[name]
            mine.externs |= callee.externs
            mine.prints |= callee.prints
            mine.local_bytes = max(mine.local_bytes, callee.local_bytes)

    def _instruction(self, instr: Instr) -> None:
        for position, operand in enumerate(instr.operands):
            if type(operand) is DimValue:
                self.check_dims(instr, [operand.dim], position)
            elif type(operand) is Value and type(operand.type) is StreamType:
                self.streams.used(instr, position, operand)
        if instr.row not in (_IF, _FOR, _LOOP):
            self.versions.uses(instr)
        handler = _HANDLERS.get(instr.row)
        if handler is not None:
            handler(self, instr)
        if instr.attributes and has_licence(instr.attributes):
            self.raise_effect(INEXACT, instr, "it has a licence")
        if not instr.regions:
            for value in instr.results:
                self.introduce(value, instr)

    # -- regions -----------------------------------------------------------------------------------

    def _enter(self, instr: Instr) -> Region:
        frame = Frame(instr)
        self.frames.append(frame)
        region = instr.regions[0]
        if instr.row is _IF:
            return region
        self.loops += 1
        if instr.row is _LOOP and region.parameters[instr.immediates[0]].type is not ty.I1:
            condition = region.parameters[instr.immediates[0]]
            self.report.at("HV0401", "the condition of `loop` is an i1", instr, instr.immediates[0],
                           note=f"`%{condition.name}` is {condition.type}",
                           help="carry an i1: `%done = false`")
        first = 1 if instr.row is _FOR else 0
        for value in region.parameters[first:]:
            self._carried_type(value, instr)
        for value in region.parameters:
            self.introduce(value, instr)
        inits = instr.operands[3 if instr.row is _FOR else 0:]
        self.versions.carry(instr, region.parameters[first:], inits)
        for value, init in zip(region.parameters[first:], inits, strict=True):
            if init in self.views:
                self.views.add(value)
        return region

    def _carried_type(self, value: Value, instr: Instr) -> None:
        """A leading extent that may change from round to round has a symbol of its own."""
        self.check_types(instr, value.type, fresh=True)
        if isinstance(value.type, BufferType) and value.type.capacity is not None \
                and value.type.shape[0].symbol in self.names:
            symbol = value.type.shape[0].symbol
            self.report.at("HV0603", f"`%{value.name}` is carried with the extent `%{symbol}`, "
                                     "which is "
                           "another buffer's", instr, note="it may change from round to round",
                           help=f"write a type with a fresh symbol: `%{value.name}: "
                           f"{str(value.type).replace(f'?{symbol}', f'?{value.name}n')} = ...`")

    def _close(self) -> Region | None:
        frame = self.frames[-1]
        instr = frame.instr
        self.names.difference_update(frame.names)
        frame.names = []
        if frame.number + 1 < len(instr.regions):
            frame.number += 1
            self.versions.other_branch(frame)
            return instr.regions[frame.number]
        self.frames.pop()
        self.loops -= instr.row is not _IF
        self.versions.leave(frame)
        for number, value in enumerate(instr.results):
            if any(number < len(y.operands) and y.operands[number] in self.views
                   for y in frame.yields):
                self.views.add(value)
            if instr.row is _IF:
                self.check_types(instr, value.type, fresh=True)
            self.introduce(value, instr)
        return None

    def yield_(self, instr: Instr) -> None:
        if self.frames:
            self.frames[-1].yields.append(instr)
        else:
            self.streams.yielded(instr)
        self.versions.yielded(instr)

    # -- dimensions --------------------------------------------------------------------------------

    def introduce(self, value: Value, instr: Instr) -> None:
        """Dimensions may use an index value, and the fresh leading extent of a buffer."""
        type_ = value.type.item if isinstance(value.type, StreamType) else value.type
        if type_ is ty.INDEX:
            self._name(value.name or "", instr)
        elif isinstance(type_, BufferType) and type_.capacity is not None:
            symbol = type_.shape[0].symbol
            if symbol is not None and symbol not in self.names:
                self._name(symbol, instr)

    def _name(self, name: str, instr: Instr) -> None:
        if name in self.names:
            if name not in self.definition.symbols or instr.row is not ROWS["match"]:
                self.report.at("HV0102", f"the dimension `%{name}` is defined twice", instr,
                               help="rename one of them")
            return
        self.names.add(name)
        if self.frames:
            self.frames[-1].names.append(name)

    def check_dims(self, instr: Instr, found: Iterable[Dim], operand: int = -1,
                   ids: frozenset[str] = frozenset()) -> None:
        """Symbols are in scope, divisors fit to be checked; `ids` may be used too, not as
        divisors."""
        for dim in found:
            for symbol in dict.fromkeys(dim.symbols()):
                if symbol not in self.names and symbol not in ids:
                    self._unknown(instr, symbol, dim, operand)
            positive = check_divisors(self.report, dim, instr.span, lambda s: s not in ids)
            self.mine.positive |= positive & self.own_names

    def _unknown(self, instr: Instr, symbol: str, dim: Dim, operand: int) -> None:
        where = f" in `{dim}`" if dim.symbol is None else ""
        if symbol.startswith("@"):
            callee, _, name = symbol[1:].rpartition(".")
            self.report.at("HV0606", f"nothing here tells `%{name}` of `@{callee}`", instr,
                           note="only the box of an `out` port does, in a replicated graph",
                           help=f"pass it: make `%{name}: index` a port of `@{callee}`")
            return
        self.report.at("HV0609", f"`%{symbol}`{where} is not a dimension here", instr, operand,
                       note="it is no symbol of this graph and no index value in scope",
                       help=f"bind it: `match %{symbol} == ...`")

    def check_types(self, instr: Instr, type_: Type, fresh: bool = False) -> None:
        """The dimensions of a type that is written or given here. `fresh`: a capacity may bound a
        new symbol."""
        item = type_.item if isinstance(type_, StreamType) else type_
        found = ty.dims_of(type_)
        if fresh and isinstance(item, BufferType) and item.capacity is not None:
            found = found[1:]
        self.check_dims(instr, found)
        check_extents(self.report, type_, instr.span)
        if isinstance(item, BufferType):
            self.report.limit("rank", item.rank, instr.span)

    def raise_effect(self, effect: int, instr: Instr | None, note: str) -> None:
        if effect > self.effect:
            self.effect = effect
            self.cause = instr
            self.effect_note = note


# -- constructs ------------------------------------------------------------------------------------

def _buffer(graph: Graph, instr: Instr) -> None:
    if instr.type_argument is not None:
        graph.check_types(instr, instr.type_argument)
    if instr.row is ROWS["scratch"]:
        graph.versions.scratch(instr)


def _slice(graph: Graph, instr: Instr) -> None:
    graph.check_dims(instr, [d for part in instr.detail for d in part], 0)
    graph.views.update(instr.results)
    graph.versions.view(instr)


def _split(graph: Graph, instr: Instr) -> None:
    graph.check_dims(instr, instr.detail, 0)
    if instr.operands[0] in graph.views:
        graph.views.update(instr.results)
    type_ = instr.operands[0].type
    extent = type_.shape[instr.immediates[0]].constant if isinstance(type_, BufferType) else None
    cuts = [d.constant for d in instr.detail]
    known = [0, *(c for c in cuts if c is not None), *([extent] if extent is not None else [])]
    if known != sorted(known):
        graph.report.at("HV0514", "the cut points of `split` are not in order, or beyond the "
                                  "extent",
                        instr, note=f"they are {', '.join(str(d) for d in instr.detail)}",
                        help="write them from low to high")
    graph.versions.split(instr)


def _join(graph: Graph, instr: Instr) -> None:
    graph.versions.join(instr)


def _match(graph: Graph, instr: Instr) -> None:
    defined = {v.name or "" for v in instr.results}
    graph.check_dims(instr, instr.detail, ids=frozenset(defined))


def _delay(graph: Graph, instr: Instr) -> None:
    graph.streams.delay(instr)
    graph.versions.leaves(instr, 0)


_HANDLERS: dict[InstrDef, Callable[[Graph, Instr], None]] = {
    ROWS["yield"]: Graph.yield_, ROWS["node"]: nodes.node, ROWS["scratch"]: _buffer,
    ROWS["zeros"]: _buffer, ROWS["slice"]: _slice, ROWS["split"]: _split, ROWS["join"]: _join,
    ROWS["match"]: _match, ROWS["delay"]: _delay}
