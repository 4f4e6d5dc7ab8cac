"""Bodies as trees: parts, levels, terminators, scopes, names, limits. One pass, before types are
checked.

What passes here can be walked by everything else: operands are in scope, regions end as they
should, immediates are in range. Nothing is assumed about where the module came from.
"""

from __future__ import annotations

from collections.abc import Iterator

from hvisa.graph.model import (
    Constant,
    Definition,
    DimValue,
    GlobalRef,
    Instr,
    Literal,
    Module,
    NodeDetail,
    Region,
    Value,
)
from hvisa.graph.rules import attributes
from hvisa.graph.rules.headers import VALUE_NAME
from hvisa.graph.rules.report import Report, label
from hvisa.graph.rules.shapes import SIMPLE, malformed
from hvisa.spec import types as ty
from hvisa.spec.definitions import InstrDef, Level
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType

_LEVELS = {"leaf": Level.LEAF, "func": Level.FUNCTION, "graph": Level.GRAPH}
ALLOWED: dict[str, frozenset[InstrDef]] = {
    kind: frozenset(r for r in ROWS.values() if r.level & level and not r.reserved)
    for kind, level in _LEVELS.items()}
_YIELD, _CHECK, _WHILE = ROWS["yield"], ROWS["check"], ROWS["while"]
_DELAY, _NODE, _LOCAL = ROWS["delay"], ROWS["node"], ROWS["local"]

MAX_EXPRESSION = 64  # factors of an index expression in a leaf

# Values that an index written as an expression names: `load %x[2*%i]`, by instruction and operand.
Expressions = dict[tuple[Instr, int], tuple[Value, ...]]


class _Frame:
    """An open region: `values` and `names` end with it, unless it is the first of a `while`."""

    __slots__ = ("body", "counted", "forward", "names", "number", "owner", "region", "values")

    def __init__(self, owner: Instr | None, number: int, region: Region):
        self.owner = owner
        self.number = number
        self.region = region
        self.body: Iterator[Instr] = iter(region.body)
        self.counted = False
        self.values: list[Value] = []
        self.names: list[str] = []
        self.forward: list[Instr] = []  # delays whose `next` stands further down

    @property
    def terminator(self) -> InstrDef:
        return _CHECK if self.owner is not None and self.owner.row is _WHILE and not self.number \
            else _YIELD


class Structure:
    """The rules over one body. `run` says whether later rules can rely on it."""

    def __init__(self, report: Report, module: Module, definition: Definition):
        self.report = report
        self.module = module
        self.definition = definition
        self.allowed = ALLOWED[definition.kind]
        self.scope: set[Value] = set()
        self.seen: set[Value] = set()
        self.names: dict[str, Value] = {}
        self.expressions: Expressions = {}
        self.interned: dict[tuple[Value, ...], tuple[Value, ...]] = {}
        self.unnamed = False
        self.count = self.nodes = self.edges = self.local_bytes = 0

    def run(self) -> bool:
        report, definition = self.report, self.definition
        before = report.failed
        report.span = definition.span
        if definition.body is None:
            return True
        header = _Frame(None, 0, Region())
        for value in [*definition.symbols.values(), *(p.value for p in definition.ports),
                      *definition.ids]:
            self._define(header, value, None)
        if definition.kind == "graph":  # an `out` port has no value before it is yielded
            for port in definition.ports:
                if port.direction == 2:
                    self.scope.discard(port.value)
        self._walk(definition.body)
        for name, found in (("nodes", self.nodes), ("edges", self.edges),
                            ("local_bytes", self.local_bytes)):
            report.limit(name, found, definition.span)
        return report.failed == before

    def _walk(self, body: Region) -> None:
        """Every instruction in order, with a stack of open regions."""
        frames = [_Frame(None, 0, body)]
        simple, allowed = SIMPLE, self.allowed
        while frames and self._within_limits(frames):
            frame = frames[-1]
            for instr in frame.body:
                row = instr.row
                if row not in simple or row not in allowed or instr.immediates or instr.regions \
                        or instr.detail is not None or instr.offsets or instr.callee is not None \
                        or instr.fast or instr.uniform or instr.attributes:
                    self._parts(frame, instr)
                self._operands(frame, instr)
                if instr.regions and len(instr.regions) == row.regions:
                    frames.append(self._open(instr, 0))
                    break
                for value in instr.results:
                    self._define(frame, value, instr)
            else:
                self._close(frame)
                frames.pop()
                self._next_region(frames, frame)

    def _within_limits(self, frames: list[_Frame]) -> bool:
        """Whether the open regions nest, and hold instructions, within the limits."""
        frame = frames[-1]
        if not frame.counted:
            frame.counted = True
            self.count += len(frame.region.body)
            place = frame.owner.span if frame.owner is not None else self.definition.span
            return not self.report.limit("instructions", self.count, self.definition.span) \
                and not self.report.limit("nesting", len(frames), place)
        return True

    def _next_region(self, frames: list[_Frame], closed: _Frame) -> None:
        owner = closed.owner
        if owner is None:
            return
        if closed.number + 1 < len(owner.regions):
            following = self._open(owner, closed.number + 1)
            if owner.row is _WHILE:  # the second region sees the first one's values
                following.values, following.names = closed.values, closed.names
            frames.append(following)
            return
        for value in owner.results:
            self._define(frames[-1], value, owner)

    def _open(self, owner: Instr, number: int) -> _Frame:
        region = owner.regions[number]
        frame = _Frame(owner, number, region)
        for value in region.parameters:
            self._define(frame, value, owner)
        return frame

    def _close(self, frame: _Frame) -> None:
        """The terminator is there, forward references are resolved, names end."""
        body, wanted = frame.region.body, frame.terminator
        if not body or body[-1].row is not wanted:
            # An empty body of a definition that gives nothing needs no `yield`.
            self.report.at("HV0406", f"this region does not end with `{wanted.mnemonic}`",
                           frame.owner, help=f"end it with `{wanted.mnemonic}`") \
                if frame.owner is not None else \
                self.report.add("HV0406", f"the body of `@{self.definition.name}` does not end "
                                          "with "
                                "`yield`", self.definition.span, help="end it with `yield`")
        mine = set(frame.values) - set(frame.region.parameters) if frame.forward else set[Value]()
        for delay in frame.forward:
            if delay.operands[1] not in mine:
                value = delay.operands[1]
                self.report.at("HV0101", f"{_shown(value)} is not defined in this region", delay, 1,
                               help="`next` names a value of the same region")
        if frame.owner is not None and frame.owner.row is _WHILE and not frame.number:
            return
        self.scope.difference_update(frame.values)
        for name in frame.names:
            self.names.pop(name, None)

    # -- one instruction ---------------------------------------------------------------------------

    def _parts(self, frame: _Frame, instr: Instr) -> None:
        row = instr.row
        if row not in self.allowed:
            self._level(instr)
            return
        problem = malformed(instr)
        if problem:
            self.report.at("HV0222", f"`{row.mnemonic}` is not well formed: {problem}", instr)
            return
        if row.terminator and (row is not frame.terminator or instr is not frame.region.body[-1]):
            self._misplaced(frame, instr)
        if instr.attributes:
            self.report.span = instr.span or self.definition.span
            attributes.check(self.report, instr.attributes)
        if row is _LOCAL:
            self._local(instr)
        elif row is _NODE:
            self.nodes += 1
            self.edges += len(instr.operands)
            detail: NodeDetail = instr.detail
            if detail.ids:
                self._node_ids(detail, instr)

    def _level(self, instr: Instr) -> None:
        row, kind = instr.row, self.definition.kind
        if row.reserved:
            self.report.at("HV0104", f"`{row.mnemonic}` is reserved for a later version", instr)
            return
        places = " and ".join({"leaf": "leaves", "func": "functions", "graph": "graphs"}[k]
                              for k in ALLOWED if row in ALLOWED[k])
        self.report.at("HV0405", f"`{row.mnemonic}` can't stand in a {kind}", instr,
                       note=f"it belongs in {places}",
                       help="put it in a leaf, and use that as a `node`" if kind == "graph" else
                       "put it in a graph, around nodes" if places == "graphs" else
                       "do it in the leaf that calls this function")

    def _misplaced(self, frame: _Frame, instr: Instr) -> None:
        word, wanted = instr.row.mnemonic, frame.terminator.mnemonic
        if word != wanted:
            where = "the first region of `while`" if wanted == "check" else "this region"
            self.report.at("HV0406", f"`{word}` does not end {where}", instr,
                           help=f"write `{wanted}`")
        else:
            self.report.at("HV0406", f"`{word}` stands before the end of its region", instr,
                           note="nothing after it would run", help="remove what follows it")

    def _local(self, instr: Instr) -> None:
        found = instr.type_argument
        if isinstance(found, ty.BufferType):
            size = found.element.size_bytes
            for dim in found.shape:
                size *= max(dim.constant or 0, 0)
            self.local_bytes += size

    def _node_ids(self, detail: NodeDetail, instr: Instr) -> None:
        """Ids are seen by the node itself only."""
        frame = _Frame(instr, 0, Region())
        for value in detail.ids:
            self._define(frame, value, instr)
            if value.type is not ty.INDEX:
                self.report.at("HV0604", f"the id {_shown(value)} has type `index`", instr)
        if len(detail.ids) > 3:
            self.report.at("HV0507", f"a grid has at most 3 axes, {len(detail.ids)} given", instr)
        self.scope.difference_update(frame.values)
        for name in frame.names:
            self.names.pop(name, None)

    def _operands(self, frame: _Frame, instr: Instr) -> None:
        scope = self.scope
        for position, operand in enumerate(instr.operands):
            if type(operand) is Value:
                if operand not in scope:
                    self._out_of_scope(frame, instr, position, operand)
            elif type(operand) is Constant:
                if type(operand.type) is not ScalarType or not \
                        0 <= operand.bits < 1 << operand.type.bits:
                    self.report.at("HV0222", "a constant does not fit its type", instr, position)
            elif type(operand) is not Literal:
                self._other_operand(instr, position)

    def _out_of_scope(self, frame: _Frame, instr: Instr, position: int, value: Value) -> None:
        if instr.row is _DELAY and position == 1:
            frame.forward.append(instr)
            return
        port = next((p for p in self.definition.ports if p.value is value), None)
        if port is not None:
            self.report.at("HV0515", f"`%{port.name}` is an `out` port: it has no value in a graph",
                           instr, position, help=f"make one: `%z = zeros {port.type}`")
        elif value in self.seen:
            self.report.at("HV0101", f"{_shown(value)} is not defined here", instr, position,
                           note="its region has ended", help="yield it from its region")
        else:
            self.report.at("HV0101", f"{_shown(value)} is not defined here", instr, position,
                           help="a value can be used after its definition, in the same region or "
                           "inside it")
        self.scope.add(value)  # one message for each value

    def _other_operand(self, instr: Instr, position: int) -> None:
        operand = instr.operands[position]
        if type(operand) is GlobalRef:
            found = self.module.constants.get(operand.name)
            if found is None or operand.type not in (found.type, ty.ERROR):
                self.report.at("HV0107", f"`@{operand.name}` is not a constant of this "
                                         "module", instr,
                               position, help="define it: `const @name: f32 = 1.0`")
        elif type(operand) is not DimValue:
            self.report.at("HV0222", f"operand {position} of `{instr.row.mnemonic}` is no operand",
                           instr)
        elif self.definition.kind != "graph":  # the pass over graphs looks at all its dimensions
            self._expression(instr, position, operand)

    def _expression(self, instr: Instr, position: int, operand: DimValue) -> None:
        values: list[Value] = []
        for symbol in operand.dim.symbols():
            value = self.names.get(symbol)
            if value is None:
                self.report.at("HV0101", f"`%{symbol}` is not defined here", instr, position)
            elif value.type not in (ty.INDEX, ty.ERROR):
                self.report.at("HV0213", f"`{operand.dim}` is computed in `index`", instr, position,
                               note=f"`%{symbol}` is {value.type}",
                               help=f"convert it first: `%k = convert index %{symbol}`")
            else:
                values.append(value)
        if operand.dim.size > MAX_EXPRESSION:
            self.report.at("HV0602", f"an index expression has {operand.dim.size} parts; the "
                           f"limit is {MAX_EXPRESSION}", instr, position,
                           help="compute a part of it before: `%k = add %i, %j`")
        if (instr, position) in self.expressions:  # its names may mean something else here
            self.report.at("HV0222", "one instruction object stands in two places", instr)
        found = tuple(dict.fromkeys(values))
        self.expressions[instr, position] = self.interned.setdefault(found, found)

    def _define(self, frame: _Frame, value: Value, instr: Instr | None) -> None:
        name = value.name
        if value in self.seen:
            self.report.add("HV0102", f"{_shown(value)} is defined twice",
                            instr.span if instr else None)
            return
        self.seen.add(value)
        self.scope.add(value)
        frame.values.append(value)
        if name is None:
            self.unnamed = True
        elif name in self.names:
            self.report.add("HV0102", f"`%{name}` is defined twice", instr.span if instr else None,
                            help="give one of them another name",
                            labels=label(self.definition, "in this definition"))
        else:
            if not VALUE_NAME.fullmatch(name):
                self.report.add("HV0109", f"{name!r} is not a name", instr.span if instr else None,
                                help="names are made of letters, digits, `_` and `.`")
            self.names[name] = value
            frame.names.append(name)


def _shown(operand: object) -> str:
    return f"`%{operand.name}`" if isinstance(operand, Value) and operand.name else "a value"
