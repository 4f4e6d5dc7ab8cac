"""Lowering of graphs: one function a definition, its constructs in order, buffers by reference count.

`i32 graph(context, i1 parallel, parameters, result cells)`. Launches inside a replicated instance run
on its thread. What a graph hands to its children are views; what it makes are blocks of its frame,
freed at the end whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from hvisa.graph.model import GlobalRef, Instr, InternalNode, Operand, Region, Value, instructions
from hvisa.spec import types as ty
from hvisa.spec.operations import DIRECTIONS
from hvisa.spec.types import BufferType, GridType, ScalarType
from hvisa.translators.llvm.blocks import WRITABLE, Blocks, Held
from hvisa.translators.llvm.body import DENSE, ROWS, STRIDED, Body
from hvisa.translators.llvm.control import trip_count
from hvisa.translators.llvm.emit import FunctionText, llvm_type
from hvisa.translators.llvm.loops import Loop
from hvisa.translators.llvm.nodes import write_node
from hvisa.translators.llvm.parameters import (
    Parameter,
    bind_ports,
    has_count,
    parameter_list,
    result_parameters,
)

if TYPE_CHECKING:
    from hvisa.spec.dimensions import Dim
    from hvisa.translators.llvm.lowering import Lowering


def last_uses(region: Region) -> tuple[dict[Value, int], list[dict[Value, int]]]:
    """For each value, the position of its last use in the region (uses inside regions of an
    instruction count for it); and for each instruction how often it uses a value itself."""
    last: dict[Value, int] = {}
    counts: list[dict[Value, int]] = []
    for position, instr in enumerate(region.body):
        own: dict[Value, int] = {}
        for operand in instr.operands:
            if isinstance(operand, Value):
                own[operand] = own.get(operand, 0) + 1
                last[operand] = position
        for inner in instr.regions:
            for nested in instructions(inner):
                for operand in nested.operands:
                    if isinstance(operand, Value):
                        last[operand] = position
        counts.append(own)
    return last, counts


class Scope:
    """A region being written: which values it owns, and where each is used last."""

    __slots__ = ("counts", "last", "moved", "owned", "position")

    def __init__(self, region: Region):
        self.last, self.counts = last_uses(region)
        self.owned: dict[Value, None] = {}  # in order: the same program gives the same code
        self.moved: set[Value] = set()
        self.position = 0


class GraphBody:
    """Writes one graph function."""

    def __init__(self, lowering: Lowering, graph: InternalNode, parameters: Sequence[Parameter],
                 name: str):
        self.lowering = lowering
        self.graph = graph
        self.parameters = parameters
        header = [p for n, (port, how) in enumerate(zip(graph.ports, parameters, strict=True))
                  for p in parameter_list(port, n, how)] + result_parameters(graph)
        self.f = FunctionText(f"define internal i32 @{name}(ptr %ctx, i1 %parallel"
                              + "".join(f", {p}" for p in header) + ")")
        self.body = Body(lowering, self.f, graph.name)
        self.frame = self.f.alloca("ptr")
        self.f.allocas.append(f"  store ptr null, ptr {self.frame}")
        self.blocks = Blocks(self.body, graph, self.frame)
        self.held: dict[Value, Held] = {}
        self.scopes: list[Scope] = []
        self.ports: list[tuple[Held, int]] = []  # memory of written ports, by port number
        self.destinations: dict[Value, Held] = {}
        self.arrays: dict[Value, Held] = {}  # per-instance results of the node being written
        self.merged: list[tuple[Value, Held]] = []
        self.body.leave = self.leave

    def leave(self, status: str) -> None:
        self.f.do(f"call void @hv.frame.free(ptr %ctx, ptr {self.frame})")
        self.f.do(f"ret i32 {status}")

    def write(self) -> None:
        graph, f = self.graph, self.f
        bind_ports(self.body, graph, self.parameters)
        assert graph.body is not None
        scope = Scope(graph.body)
        for number, port in enumerate(graph.ports):
            buffer = self.body.buffers.get(port.value)
            if buffer is None:
                continue
            held = Held(buffer.element, buffer.pointer, buffer.extents, buffer.strides,
                        self.blocks.header(WRITABLE if port.written else 0), buffer.layout,
                        buffer.exclusive)
            if port.written:
                self.ports.append((held, number))
            if DIRECTIONS[port.direction] != "out":
                self.held[port.value] = held
                scope.owned[port.value] = None
        self._find_destinations()
        values = self.region(graph.body, scope)
        self._finish(values)
        f.do(f"call void @hv.frame.free(ptr %ctx, ptr {self.frame})")
        f.do("ret i32 0")
        self.lowering.text.add(f)

    def _find_destinations(self) -> None:
        """Results that end in an `out` port are made in its memory from the start."""
        assert self.graph.body is not None
        producers = {v: (i, n) for i in self.graph.body.body for n, v in enumerate(i.results)}
        final = self.graph.body.body[-1]
        for (held, number), operand in zip(self.ports, final.operands, strict=False):
            port = self.graph.ports[number]
            # Only where the types say it: what a `match` says is true only once it has been checked.
            if DIRECTIONS[port.direction] != "out" or operand.type is not port.type:
                continue
            value: Operand = operand
            while isinstance(value, Value) and value in producers:
                instr, position = producers[value]
                if value.type is not port.type:
                    break
                if instr.row.mnemonic == "zeros":
                    self.destinations.setdefault(value, held)
                    break
                if instr.row.mnemonic != "node":
                    break
                callee = self.lowering.module.definitions[instr.callee or ""]
                written = callee.written
                if position >= len(written) or DIRECTIONS[written[position].direction] == "out":
                    if isinstance(value.type, BufferType) and value.type.capacity is None:
                        self.destinations.setdefault(value, held)
                    break
                value = instr.operands[callee.taken.index(written[position])]

    def _finish(self, values: list[Operand]) -> None:
        """Last versions go to the memory of their ports, results to their cells."""
        f, body = self.f, self.body
        finals: list[Held] = []
        for (port, _), operand in zip(self.ports, values, strict=False):
            held = self._hold(operand)
            finals.append(self._rescue(held, port))
        for (port, number), held in zip(self.ports, finals, strict=True):
            target = Held(port.element, port.pointer, held.extents, port.strides, port.block,
                          port.layout)
            same = f.op(f"icmp eq ptr {held.pointer}, {port.pointer}")
            move, done = f.label("publish"), f.label("published")
            f.branch(same, done, move)
            f.start(move)
            self.blocks.copy_into(held, target)
            f.jump(done)
            f.start(done)
            if has_count(self.graph.ports[number]):
                f.do(f"store i64 {held.extents[0]}, ptr %p{number}.count")
        for number, (type_, operand) in enumerate(zip(self.graph.results, values[len(self.ports):],
                                                      strict=True)):
            if isinstance(type_, GridType):
                self._publish_grid(self._hold(operand), type_, f"%r{number}")
            else:
                body.store_cell(type_, body.value(operand), f"%r{number}")

    def _publish_grid(self, held: Held, type_: GridType, pointer: str) -> None:
        """Values given per instance go to the array of the caller."""
        lanes = max(1, ty.lanes_of(type_.element))
        size = self.body.product([*held.extents, str(held.element.size_bytes * lanes)])
        self.lowering.copy(self.body, pointer, held.pointer, size)

    def _rescue(self, held: Held, port: Held) -> Held:
        """A version that lies in another port's memory is copied out before that is overwritten."""
        f = self.f
        others = [p for p, _ in self.ports if p is not port]
        if not others:
            return held
        clash = "false"
        for other in others:
            same = f.op(f"icmp eq ptr {held.block}, {other.block}")
            clash = same if clash == "false" else f.op(f"or i1 {clash}, {same}")
        copy_, done = f.label("rescue"), f.label("rescued")
        start = f.block
        f.branch(clash, copy_, done)
        f.start(copy_)
        copy = self.blocks.new(held.element, held.extents, self.body.header(), False)
        self.blocks.copy_into(held, copy)
        end = f.block
        f.jump(done)
        f.start(done)
        pointer = f.phi("ptr", [(held.pointer, start), (copy.pointer, end)])
        strides = held.strides
        if held.layout != DENSE:
            strides = [f.phi("i64", [(a, start), (b, end)])
                       for a, b in zip(held.strides, copy.strides, strict=True)]
        return Held(held.element, pointer, held.extents, strides, held.block, held.layout)

    # -- ownership -----------------------------------------------------------------------------

    def _hold(self, operand: Operand) -> Held:
        """The buffer of an operand; takes no reference."""
        if isinstance(operand, GlobalRef):
            buffer = self.lowering.global_buffer(operand.name)
            return Held(buffer.element, buffer.pointer, buffer.extents, buffer.strides,
                        self.blocks.static())
        assert isinstance(operand, Value), operand
        return self.held[operand]

    def take(self, operand: Operand) -> Held:
        """The buffer of an operand with a reference of its own: handed over at the last use."""
        held = self._hold(operand)
        scope = self.scopes[-1]
        if isinstance(operand, Value) and operand in scope.owned \
                and scope.last.get(operand) == scope.position \
                and scope.counts[scope.position].get(operand) == 1:
            scope.moved.add(operand)
        else:
            self.blocks.retain(held)
        return held

    def define(self, value: Value, held: Held) -> None:
        """A new version, owned by the region being written."""
        self.held[value] = held
        self.scopes[-1].owned[value] = None
        type_ = value.type
        if isinstance(type_, BufferType) and type_.capacity is not None and type_.shape[0].symbol:
            self.body.symbols[type_.shape[0].symbol] = held.extents[0]

    def region(self, region: Region, scope: Scope | None = None) -> list[Operand]:
        """Write a region; the operands of its yield, references not yet taken."""
        scope = scope or Scope(region)
        self.scopes.append(scope)
        for position, instr in enumerate(region.body):
            scope.position = position
            if instr.row.terminator:
                break
            CONSTRUCTS[instr.row.mnemonic](self, instr)
            self._drop(scope, position, instr)
        return region.body[-1].operands

    def _drop(self, scope: Scope, position: int, instr: Instr) -> None:
        """Release what was used for the last time, and results that nobody uses."""
        done = [v for v in scope.owned if scope.last.get(v, -1) <= position
                and v not in scope.moved and (scope.last.get(v) == position or v in instr.results)]
        for value in sorted(done, key=lambda v: v.index):
            self.blocks.release(self.held[value].block)
            scope.moved.add(value)

    def end_region(self, operands: Sequence[Operand]) -> list[Held | str]:
        """What a region yields: buffers with a reference of their own, scalars as values."""
        scope = self.scopes[-1]
        scope.position = len(scope.counts) - 1
        out: list[Held | str] = []
        for operand in operands:
            if isinstance(operand.type, (BufferType, GridType)):
                out.append(self.blocks.dense(self.take(operand), self.body.header()))
            else:
                out.append(self.body.value(operand))
        left = [v for v in scope.owned if v not in scope.moved]
        for value in sorted(left, key=lambda v: v.index):
            self.blocks.release(self.held[value].block)
        self.scopes.pop()
        return out

    # -- merging -------------------------------------------------------------------------------

    def merge(self, value: Value, pairs: list[tuple[Held | str, str]]) -> None:
        """Define a value that comes from several blocks of code."""
        f = self.f
        first = pairs[0][0]
        if isinstance(first, str):
            self.body.define(value, f.phi(llvm_type(value.type), [(str(v), b) for v, b in pairs]))
            return
        helds = [(v, b) for v, b in pairs if isinstance(v, Held)]
        pointer = f.phi("ptr", [(h.pointer, b) for h, b in helds])
        block = f.phi("ptr", [(h.block, b) for h, b in helds])
        extents = [f.phi("i64", [(h.extents[a], b) for h, b in helds])
                   for a in range(len(first.extents))]
        self.merged.append((value, Held(first.element, pointer, extents, [], block)))

    def settle(self) -> None:
        """Complete merged buffers, once no more phis follow."""
        for value, held in self.merged:
            held.strides = self.body.dense_strides(held.extents)
            self.define(value, held)
        self.merged.clear()


# -- constructs --------------------------------------------------------------------------------------

def _if(g: GraphBody, instr: Instr) -> None:
    f = g.f
    yes, no, done = f.label("then"), f.label("else"), f.label("endif")
    f.branch(g.body.value(instr.operands[0]), yes, no)
    ends: list[tuple[list[Held | str], str]] = []
    symbols = dict(g.body.symbols)
    for label, region in zip((yes, no), instr.regions, strict=True):
        f.start(label)
        values = g.end_region(g.region(region))
        ends.append((values, f.block))
        f.jump(done)
    f.start(done)
    g.body.symbols = symbols
    for n, result in enumerate(instr.results):
        g.merge(result, [(values[n], block) for values, block in ends])
    g.settle()


class _Carried:
    """Carried values of a graph loop as IR values: scalars as they are, buffers by their fields."""

    def __init__(self, g: GraphBody, instr: Instr, first: int):
        self.g = g
        self.parameters = instr.regions[0].parameters[first:]
        inits = instr.operands[len(instr.operands) - len(self.parameters):]
        self.fields: list[tuple[str, str]] = []
        self.shapes: list[tuple[ScalarType, int] | None] = []
        for operand in inits:
            if isinstance(operand.type, (BufferType, GridType)):
                held = g.blocks.dense(g.take(operand), g.body.header())
                self.shapes.append((held.element, len(held.extents)))
                self.fields += [self._split(t) for t in held.fields()]
            else:
                self.shapes.append(None)
                self.fields.append((llvm_type(operand.type), g.body.value(operand)))

    @staticmethod
    def _split(text: str) -> tuple[str, str]:
        type_, _, value = text.partition(" ")
        return type_, value

    def rebuild(self, names: Sequence[str]) -> list[Held | str]:
        """Values again from the fields."""
        out: list[Held | str] = []
        at = 0
        for shape in self.shapes:
            if shape is None:
                out.append(names[at])
                at += 1
                continue
            element, rank = shape
            pointer, block, *extents = names[at:at + 2 + rank]
            out.append(Held(element, pointer, list(extents), [], block))
            at += 2 + rank
        return out

    def bind(self, values: Sequence[Value], names: Sequence[str], scope: Scope | None) -> None:
        """Define values of the loop's types from fields."""
        g = self.g
        for value, found in zip(values, self.rebuild(names), strict=True):
            if isinstance(found, str):
                g.body.define(value, found)
                continue
            found.strides = g.body.dense_strides(found.extents)
            g.held[value] = found
            (scope or g.scopes[-1]).owned[value] = None
            type_ = value.type
            if isinstance(type_, BufferType) and type_.capacity is not None \
                    and type_.shape[0].symbol:
                g.body.symbols[type_.shape[0].symbol] = found.extents[0]

    def next(self, values: Sequence[Held | str]) -> list[str]:
        out: list[str] = []
        for value in values:
            out += [value] if isinstance(value, str) else [self._split(t)[1] for t in value.fields()]
        return out


def _loop_body(g: GraphBody, instr: Instr, carried: _Carried, names: Sequence[str],
               prepare: Callable[[], None]) -> list[str]:
    """The body of a loop; the fields of the next round."""
    scope = Scope(instr.regions[0])
    carried.bind(carried.parameters, names, scope)
    prepare()
    g.scopes.append(scope)
    unused = sorted((v for v in scope.owned if v not in scope.last), key=lambda v: v.index)
    for value in unused:
        g.blocks.release(g.held[value].block)
        scope.moved.add(value)
    g.scopes.pop()
    values = g.end_region(g.region(instr.regions[0], scope))
    g.body.poll()
    return carried.next(values)


def _for(g: GraphBody, instr: Instr) -> None:
    f, body = g.f, g.body
    type_ = instr.operands[0].type
    assert isinstance(type_, ScalarType)
    low, high, step = (body.value(o) for o in instr.operands[:3])
    t = llvm_type(type_)
    rounds = trip_count(body, instr, low, high, step, type_)
    carried = _Carried(g, instr, 1)
    symbols = dict(body.symbols)
    loop = Loop(body, [(t, "0"), *carried.fields])
    count, *names = loop.names
    loop.leave_unless(f.op(f"icmp ult {t} {count}, {rounds}"))

    def prepare() -> None:
        scaled = count if step == "1" else f.op(f"mul {t} {count}, {step}")
        body.define(instr.regions[0].parameters[0],
                    scaled if low == "0" else f.op(f"add {t} {low}, {scaled}"))
    following = _loop_body(g, instr, carried, names, prepare)
    loop.close([f.op(f"add nuw {t} {count}, 1"), *following])
    body.symbols = symbols
    carried.bind(instr.results, names, None)


def _loop(g: GraphBody, instr: Instr) -> None:
    f, body = g.f, g.body
    carried = _Carried(g, instr, 0)
    symbols = dict(body.symbols)
    loop = Loop(body, carried.fields)
    found = carried.rebuild(loop.names)[instr.immediates[0]]
    assert isinstance(found, str)
    loop.leave_unless(f.op(f"xor i1 {found}, true"))
    following = _loop_body(g, instr, carried, loop.names, lambda: None)
    loop.close(following)
    body.symbols = symbols
    carried.bind(instr.results, loop.names, None)


def shape(g: GraphBody, dims: Sequence[Dim]) -> list[str]:
    return [g.body.dim(d) for d in dims]


def _zeros(g: GraphBody, instr: Instr) -> None:
    type_, value = instr.type_argument, instr.results[0]
    assert isinstance(type_, BufferType)
    destination = g.destinations.get(value)
    if destination is not None and len(g.scopes) == 1:
        size = g.body.product([*destination.extents, str(type_.element.size_bytes)])
        if destination.layout == DENSE:
            g.lowering.zero(g.body, destination.pointer, size)
            g.define(value, destination)
            return
    held = g.blocks.new(type_.element, shape(g, type_.shape), instr, True)
    held.exclusive = instr.row.mnemonic == "scratch"
    g.define(value, held)


def _slice(g: GraphBody, instr: Instr) -> None:
    source = g._hold(instr.operands[0])
    type_ = instr.operands[0].type
    assert isinstance(type_, BufferType)
    view = g.blocks.view(source, type_, instr.detail, instr)
    g.blocks.retain(view)
    g.define(instr.results[0], view)


def _split(g: GraphBody, instr: Instr) -> None:
    """Parts share the block, so a write to one copies it; `join` gives the whole back."""
    body, f, axis = g.body, g.f, instr.immediates[0]
    source = g._hold(instr.operands[0])
    type_ = instr.operands[0].type
    assert isinstance(type_, BufferType)
    cuts = ["0", *(body.dim(d) for d in instr.detail), source.extents[axis]]
    for low, high in pairwise(cuts):
        bad = f.op(f"or i1 {f.op(f'icmp slt i64 {low}, 0')}, {f.op(f'icmp sgt i64 {low}, {high}')}")
        body.trap_if(bad, "HV1005", instr, low, "4")
    for value, low, high in zip(instr.results, cuts, cuts[1:], strict=False):
        pointer = f.op(f"getelementptr inbounds i8, ptr {source.pointer}, i64 "
                       f"{body.product([low, source.strides[axis], str(source.element.size_bytes)])}")
        extents = list(source.extents)
        extents[axis] = f.op(f"sub nsw i64 {high}, {low}")
        layout = source.layout if axis == 0 or source.layout == STRIDED else ROWS
        strides = body.dense_strides(extents) if layout == DENSE else source.strides
        part = Held(source.element, pointer, extents, strides, source.block, layout)
        g.blocks.retain(part)
        g.define(value, part)


def _join(g: GraphBody, instr: Instr) -> None:
    body, axis = g.body, instr.immediates[0]
    parts = [g._hold(o) for o in instr.operands]
    extents = list(parts[0].extents)
    for part in parts[1:]:
        extents[axis] = g.f.op(f"add nsw i64 {extents[axis]}, {part.extents[axis]}")
    whole = g.blocks.new(parts[0].element, extents, instr, False)
    at = "0"
    for part in parts:
        offset = body.product([at, whole.strides[axis], str(whole.element.size_bytes)])
        pointer = g.f.op(f"getelementptr inbounds i8, ptr {whole.pointer}, i64 {offset}")
        layout = DENSE if axis == 0 else ROWS
        g.blocks.copy_into(part, Held(part.element, pointer, part.extents, whole.strides, whole.block,
                                      layout))
        at = g.f.op(f"add nsw i64 {at}, {part.extents[axis]}")
    g.define(instr.results[0], whole)


def _match(g: GraphBody, instr: Instr) -> None:
    left, right = instr.detail
    value = g.body.dim(right)
    if instr.results:
        g.body.define(instr.results[0], value)
        return
    other = g.body.dim(left)
    g.body.trap_if(g.f.op(f"icmp ne i64 {other}, {value}"), "HV1004", instr, other, value)


CONSTRUCTS: dict[str, Callable[[GraphBody, Instr], None]] = {
    "if": _if, "for": _for, "loop": _loop, "zeros": _zeros, "scratch": _zeros, "slice": _slice,
    "split": _split, "join": _join, "match": _match, "node": write_node}

