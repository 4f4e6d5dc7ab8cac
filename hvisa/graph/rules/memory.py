"""Accesses against what their buffer allows, and what they do to the effect class (semantics 1-4,
9, 21).

| buffer | load | store | update | atomic |
|---|---|---|---|---|
| `in` port, constant | yes | | | |
| `own` | yes | yes | | |
| `accumulate(op)` | | | by `op` | |
| `shared` | yes | yes | yes | yes |
| private array | yes | yes | | |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.graph.facts import CONSTANT, NONDETERMINISTIC, VARYING
from hvisa.graph.model import Definition, DimValue, GlobalRef, Instr, Operand, Port, Value
from hvisa.graph.rules import own
from hvisa.spec import types as ty
from hvisa.spec.operations import LOAD_BOUNDS, MODES, UPDATES
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType

if TYPE_CHECKING:
    from hvisa.graph.rules.body import Body

OWN, CHECKED, ACCUMULATE, SHARED, READ, LOCAL = range(6)
_CLAMP = LOAD_BOUNDS.index("clamp")
_NAMES = {READ: "read only", OWN: "`own`", CHECKED: "`own checked`", ACCUMULATE: "`accumulate`",
          SHARED: "`shared`", LOCAL: "a private array"}
assert MODES == ("own", "own checked", "accumulate", "shared")


class Access:
    """One way of reaching elements: the first instruction that does it. `certain` says that every
    instance gets there, in every round of the `for` loops around it, which are `loops`."""

    __slots__ = ("certain", "clamped", "first", "instr", "lanes", "loops", "stores")

    def __init__(self, instr: Instr, first: int, lanes: int, clamped: bool, stores: bool,
                 certain: bool, loops: tuple[Instr, ...]):
        self.instr = instr
        self.first = first  # position of the first index among the operands
        self.lanes = lanes
        self.clamped = clamped
        self.stores = stores
        self.certain = certain
        self.loops = loops


class Place:
    """A buffer as a body sees it. `accesses` are kept by index, each once, where a rule needs
    them. `exposed` says that an instance may see what an element held before it stored into it;
    `settled` are the indices that it has stored into, each with the constructs around the store."""

    __slots__ = ("accesses", "exposed", "keeps", "kind", "loaded", "loops", "operators", "port",
                 "settled", "stored", "type", "updated")

    def __init__(self, kind: int, type_: BufferType, port: Port | None, keeps: bool,
                 loops: int = 0):
        self.kind = kind
        self.type = type_
        self.port = port
        self.keeps = keeps
        self.loops = loops
        self.accesses: dict[object, Access] = {}
        self.exposed = False
        self.settled: dict[object, tuple[Instr, ...]] = {}
        self.loaded: Instr | None = None
        self.stored = False
        self.updated = False
        self.operators: set[str] = set()


def places(definition: Definition, observed: frozenset[str]) -> dict[Value, Place]:
    """The buffer ports. Accesses are kept for `own` ports, and for the `observed` ones."""
    found: dict[Value, Place] = {}
    for port in definition.ports:
        if type(port.type) is BufferType:
            kind = port.mode if port.written else READ
            keeps = kind == OWN or port.name in observed
            found[port.value] = Place(kind, port.type, port, keeps)
    return found


def _place(body: Body, operand: Operand) -> Place | None:
    return body.places.get(operand) if type(operand) is Value else None


def _name(operand: Operand) -> str:
    if isinstance(operand, Value):
        return f"%{operand.name}"
    return f"@{operand.name}" if isinstance(operand, GlobalRef) else "the buffer"


def _record(body: Body, place: Place, instr: Instr, first: int, type_: ty.Type, clamped: bool,
            stores: bool) -> None:
    indices = instr.operands[first:]
    lanes = ty.lanes_of(type_) or 1
    certain = stores and not body.branches
    named = [body.expressions.get((instr, n)) for n, o in enumerate(indices, first)
             if type(o) is DimValue]
    key = (*indices, instr.offsets, lanes, clamped, stores, certain and body.loops, *named)
    element = (*indices, instr.offsets, lanes, *named)
    if certain:
        place.settled.setdefault(element, tuple(f.instr for f in body.frames))
    elif not stores:
        around = place.settled.get(element)
        if around is None or clamped or place.kind != OWN or any(
                n >= len(body.frames) or body.frames[n].instr is not i for n, i in enumerate(around)):
            place.exposed = True
    if key not in place.accesses:
        loops = tuple(f.instr for f in body.frames) if certain else ()
        place.accesses[key] = Access(instr, first, lanes, clamped, stores, certain, loops)


def _in_reduce(body: Body, instr: Instr) -> None:
    if body.reduces:
        body.report.at("HV0410", f"`{instr.row.mnemonic}` can't stand inside `reduce`", instr,
                       note="its rounds are spread over lanes and threads",
                       help="yield the value and store the result, or use `for`")


def _wrong(body: Body, instr: Instr, position: int, code: str, verb: str, help_: str) -> None:
    operand = instr.operands[position]
    place = _place(body, operand)
    kind = _NAMES[place.kind] if place is not None else "read only"
    body.report.at(code, f"`{instr.row.mnemonic}` {verb} `{_name(operand)}`, which is "
                         f"{kind}", instr,
                   position, help=help_)


# -- the accesses ----------------------------------------------------------------------------------

def load(body: Body, instr: Instr) -> None:
    buffer = instr.operands[0]
    found = body.join(instr, 1)
    place = _place(body, buffer)
    if place is None:  # a constant of the module
        body.give(instr, found)
        return
    if place.kind == READ:
        found = max(found, _content(body))
    else:
        found = VARYING
        if place.kind == ACCUMULATE:
            _wrong(body, instr, 0, "HV0307", "reads", "the sum is seen by the node that takes this "
                   "buffer next; write `inout shared` to read it here")
        _reads(body, place, instr, 0)
    if place.keeps:
        _record(body, place, instr, 1, instr.results[0].type,
                instr.immediates[0] == _CLAMP, False)
    body.give(instr, found)


def _content(body: Body) -> int:
    """How the elements of a read-only port vary, at one index."""
    return VARYING if body.definition.kind == "func" else body.base


def _reads(body: Body, place: Place, instr: Instr, position: int) -> None:
    if place.loaded is None:
        place.loaded = instr
    if place.kind == LOCAL and not place.stored and place.loops == body.loops:
        body.report.at("HV0317", f"`{_name(instr.operands[position])}` is read before any write",
                       instr, position, note="nothing was stored into it yet",
                       help="store into it first, or use the constant 0")


def store(body: Body, instr: Instr) -> None:
    place = _place(body, instr.operands[1])
    _in_reduce(body, instr)
    if place is None or place.kind == READ:
        name = _name(instr.operands[1])
        _wrong(body, instr, 1, "HV0306", "writes", f"make it `inout {name}` or `out {name}`"
               if place is not None else "copy it into a buffer first")
        return
    if place.kind == ACCUMULATE:
        op = UPDATES[place.port.operator] if place.port else "add"
        _wrong(body, instr, 1, "HV0307", "writes", f"join the value in: `update.{op} %v, "
               f"{_name(instr.operands[1])}[...]`")
    elif place.kind == SHARED:
        body.raise_effect(NONDETERMINISTIC, instr,
                          f"it stores into the shared `{_name(instr.operands[1])}`")
    place.stored = True
    if place.keeps:
        _record(body, place, instr, 2, instr.operands[0].type, False, True)


def update(body: Body, instr: Instr) -> None:
    place = _place(body, instr.operands[1])
    op = UPDATES[instr.immediates[0]]
    _in_reduce(body, instr)
    if not _takes_atomics(body, instr, 1, place, op):
        return
    assert place is not None
    place.updated = place.exposed = True
    place.operators.add(op)
    if place.kind == SHARED and len(place.operators) > 1:
        body.raise_effect(NONDETERMINISTIC, instr, "updates by several operators depend on the order")
    if place.kind == ACCUMULATE and place.port is not None and UPDATES[place.port.operator] != op:
        wanted = UPDATES[place.port.operator]
        body.report.at("HV0307", f"`update.{op}` into `{_name(instr.operands[1])}`, which is "
                       f"`accumulate({wanted})`", instr, 1, note="a port has one operator",
                       help=f"write `update.{wanted}`, or make the port `shared`")
    elif op == "add" and place.type.element.is_float:
        body.raise_effect(NONDETERMINISTIC, instr, "a floating sum depends on the order")


def atomic(body: Body, instr: Instr) -> None:
    position = 2 if instr.row is ROWS["compare_exchange"] else 1
    place = _place(body, instr.operands[position])
    _in_reduce(body, instr)
    body.give(instr, VARYING)
    if not _takes_atomics(body, instr, position, place, "op"):
        return
    assert place is not None
    place.updated = place.exposed = True
    if place.kind == ACCUMULATE:
        _wrong(body, instr, position, "HV0307", "reads", "`update` joins a value without reading; "
               "write `inout shared` to see the old one")
    else:
        body.raise_effect(NONDETERMINISTIC, instr, "the old value depends on the order")


def _takes_atomics(body: Body, instr: Instr, position: int, place: Place | None, op: str) -> bool:
    name = _name(instr.operands[position])
    if place is None or place.kind == READ:
        _wrong(body, instr, position, "HV0306", "writes", f"make it `inout shared {name}`"
               if place is not None else "copy it into a buffer first")
    elif place.kind == LOCAL:
        _wrong(body, instr, position, "HV0309", "joins into", "nobody else sees it: load, compute "
               "and store")
    elif place.kind in (OWN, CHECKED):
        mode = f"accumulate({op})" if op in UPDATES else "shared"
        _wrong(body, instr, position, "HV0308", "joins into", f"write `inout {mode} {name}`, or "
                                                              "load, "
               "compute and store")
    else:
        return True
    return False


def local(body: Body, instr: Instr) -> None:
    found = instr.type_argument
    assert isinstance(found, BufferType)
    size = found.element.size_bytes
    for dim in found.shape:
        size *= max(dim.constant or 0, 0)
    body.local_bytes += size
    body.places[instr.results[0]] = Place(LOCAL, found, None, False, body.loops)
    body.give(instr, CONSTANT)


def extent(body: Body, instr: Instr) -> None:
    place = _place(body, instr.operands[0])
    body.give(instr, _content(body) if place is not None and place.kind != LOCAL else CONSTANT)


def set_extent(body: Body, instr: Instr) -> None:
    place = _place(body, instr.operands[0])
    problem = ""
    if body.frames:
        problem = "stands in a loop or condition"
    elif body.definition.grid:
        problem = "stands in a leaf with a grid"
    elif place is None or place.port is None or place.port.direction != 2:
        problem = "takes an `out` port"
    if problem:
        body.report.at("HV0316", f"`set_extent` {problem}", instr,
                       note="an extent is set once for the whole launch" if body.frames
                       or body.definition.grid else "",
                       help="set it at the end of a leaf without grid")


def arguments(body: Body, instr: Instr) -> int:
    """How the arguments of a call vary; buffers are read by the callee, anywhere."""
    found = body.join(instr)
    for position, operand in enumerate(instr.operands):
        place = _place(body, operand)
        if place is None:
            continue
        if place.kind == READ:
            found = max(found, _content(body))
            continue
        found = VARYING
        place.exposed = True
        _reads(body, place, instr, position)
        if place.kind == ACCUMULATE:
            _wrong(body, instr, position, "HV0307", "reads", "write `inout shared` to read it here")
        elif place.kind in (OWN, CHECKED) and body.definition.grid:
            body.report.at("HV0310", f"`@{instr.callee}` may read every element of "
                           f"`{_name(operand)}`, also those of other instances", instr, position,
                           note="the port is `own`", help="take the old version through a separate "
                           f"port: `in %old: {place.type}`")
    return found


def finish(body: Body) -> None:
    """What only the whole body shows: disjoint footprints, coverage, reads of what is updated."""
    own.finish(body)
    for value, place in body.places.items():
        if place.kind == SHARED and place.loaded is not None and (place.updated or place.stored):
            body.raise_effect(NONDETERMINISTIC, place.loaded,
                              f"it reads the shared `%{value.name}` while others write it")


HANDLERS = {ROWS["load"]: load, ROWS["store"]: store, ROWS["update"]: update,
            ROWS["atomic"]: atomic, ROWS["compare_exchange"]: atomic, ROWS["local"]: local,
            ROWS["extent"]: extent, ROWS["set_extent"]: set_extent}
