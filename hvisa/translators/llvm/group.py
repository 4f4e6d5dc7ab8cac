"""Leaves with barriers or collectives: all instances of one parent on one thread, by loop fission.

The body is cut at its collectives into segments; each segment becomes a loop over the instances.
Values that cross a cut live in arrays of one cell an instance. Control around a collective is
parent-uniform (semantics 18), so it is executed once for all instances.
Source: Jääskeläinen et al., "pocl: A Performance-Portable OpenCL Implementation", section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hvisa.graph.model import Instr, LeafNode, Operand, Region, Value, instructions
from hvisa.spec import types as ty
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.types import BufferType, ScalarType, Type
from hvisa.translators.llvm.blocks import Blocks
from hvisa.translators.llvm.body import Body, Buffer
from hvisa.translators.llvm.control import trip_count
from hvisa.translators.llvm.emit import NARROW, FunctionText, element_type, llvm_type
from hvisa.translators.llvm.folds import fold, fold_arg, identity_text
from hvisa.translators.llvm.leaf import grid_total, load_each, over_instances, store_each
from hvisa.translators.llvm.loops import Loop
from hvisa.translators.llvm.memory import guarded, zero_of
from hvisa.translators.llvm.parameters import (
    Parameter,
    bind_ports,
    parameter_list,
    result_parameters,
)
from hvisa.translators.llvm.rows import combine, convert
from hvisa.translators.llvm.support import BLOCK_HEADER

if TYPE_CHECKING:
    from hvisa.translators.llvm.lowering import Lowering


def synchronous(instr: Instr) -> bool:
    """Whether an instruction is, or holds, a collective."""
    return instr.row.collective or any(
        i.row.collective for region in instr.regions for i in instructions(region))


def write_group_leaf(lowering: Lowering, leaf: LeafNode, parameters: Sequence[Parameter],
                     name: str) -> None:
    """Add the launch function of a leaf that synchronises."""
    header = [p for n, (port, how) in enumerate(zip(leaf.ports, parameters, strict=True))
              for p in parameter_list(port, n, how)] + result_parameters(leaf)
    f = FunctionText(f"define internal i32 @{name}(ptr %ctx, i1 %parallel"
                     + "".join(f", {p}" for p in header) + ")")
    Group(lowering, leaf, parameters, f).write()
    lowering.text.add(f)


class Group:
    """One such leaf being written."""

    def __init__(self, lowering: Lowering, leaf: LeafNode, parameters: Sequence[Parameter],
                 f: FunctionText):
        self.leaf = leaf
        self.parameters = parameters
        self.f = f
        self.body = Body(lowering, f, leaf.name)
        self.frame = f.alloca("ptr")
        f.allocas.append(f"  store ptr null, ptr {self.frame}")
        self.blocks = Blocks(self.body, leaf, self.frame)
        self.cells: dict[Value, str] = {}  # array of a value that crosses a cut
        self.locals: dict[Value, str] = {}
        self.total = "0"
        self.crossing = _Crossing(leaf)
        self.body.leave = self._leave

    def _leave(self, status: str) -> None:
        self.f.do(f"call void @hv.frame.free(ptr %ctx, ptr {self.frame})")
        self.f.do(f"ret i32 {status}")

    def write(self) -> None:
        f, leaf = self.f, self.leaf
        bind_ports(self.body, leaf, self.parameters)
        self.total = grid_total(self.body, leaf.name, leaf.grid)
        empty, go = f.label("none"), f.label("some")
        f.branch(f.op(f"icmp eq i64 {self.total}, 0"), empty, go)
        f.start(empty)
        self._leave("0")
        f.start(go)
        for number, (port, how) in enumerate(zip(leaf.ports, self.parameters, strict=True)):
            if how.each:
                self.cells[port.value] = f"%p{number}"
        assert leaf.body is not None
        values = self.sequence(leaf.body)

        def publish() -> None:
            for number, (type_, value) in enumerate(zip(leaf.results, values, strict=True)):
                store_each(self.body, type_, self.own(value), f"%r{number}", self.body.instance)
        if values:
            self.each(publish)
        self._leave("0")

    # -- instances -----------------------------------------------------------------------------

    def each(self, run: Callable[[], None]) -> None:
        """A loop over all instances."""
        over_instances(self.body, self.leaf, "0", self.total, run)
        self.body.instance = "0"

    def cell(self, value: Value) -> str:
        """The array of a value; made by the region that needs it, before its loops."""
        found = self.cells.get(value)
        if found is None:
            element = ty.element_of(value.type)
            assert element is not None, value
            held = self.blocks.new(element, [self.total], self.body.header(), False,
                                   ty.lanes_of(value.type))
            found = self.cells[value] = held.pointer
        return found

    def at(self, operand: Operand, index: str) -> str:
        """The value of an operand in the instance with linear number `index`."""
        if isinstance(operand, Value):
            if operand in self.cells:
                return load_each(self.body, operand.type, self.cells[operand], index)
            if operand in self.leaf.ids:
                return self._id(operand, index)
        return self.body.value(operand)

    def _id(self, value: Value, index: str) -> str:
        axis = self.leaf.ids.index(value)
        for dim in self.leaf.grid[:axis:-1]:
            index = self.f.op(f"udiv i64 {index}, {self.body.dim(dim)}")
        if axis == 0:
            return index
        return self.f.op(f"urem i64 {index}, {self.body.dim(self.leaf.grid[axis])}")

    def own(self, operand: Operand) -> str:
        """The value of an operand in the instance being written."""
        return self.at(operand, self.body.instance)

    def uniform(self, operand: Operand) -> str:
        """The value of an operand that is equal in all instances."""
        return self.at(operand, "0")

    def assign(self, targets: Sequence[Value], sources: Sequence[Operand]) -> None:
        """Give values to cells, in every instance; all are read before any is written."""
        if not targets:
            return
        arrays = [self.cell(t) for t in targets]

        def run() -> None:
            found = [self.own(s) for s in sources]
            for target, array, value in zip(targets, arrays, found, strict=True):
                store_each(self.body, target.type, value, array, self.body.instance)
        self.each(run)

    def snapshot(self) -> tuple[dict[Value, str], dict[Value, str]]:
        """The arrays that exist now."""
        return dict(self.cells), dict(self.locals)

    def forget(self, before: tuple[dict[Value, str], dict[Value, str]]) -> None:
        """At the end of a region: free the arrays that only it needed."""
        kept = {*before[0].values(), *before[1].values()}
        made = {*self.cells.values(), *self.locals.values()} - kept
        for pointer in sorted(made):
            self.blocks.release(self.f.op(f"getelementptr inbounds i8, ptr {pointer}, "
                                          f"i64 -{BLOCK_HEADER}"))
        self.cells, self.locals = dict(before[0]), dict(before[1])

    # -- sequences -----------------------------------------------------------------------------

    def sequence(self, region: Region) -> list[Operand]:
        """Write a region that holds collectives; the operands that it yields."""
        self._prepare(region)
        segment: list[Instr] = []
        for instr in region.body:
            if instr.row.terminator:
                break
            if not synchronous(instr):
                segment.append(instr)
                continue
            self._segment(segment)
            segment = []
            _GROUP[instr.row.mnemonic](self, instr)
        self._segment(segment)
        return region.body[-1].operands

    def _prepare(self, region: Region) -> None:
        """Make the arrays that this region's segments need before any loop starts."""
        for instr in region.body:
            if not synchronous(instr):
                for value in instr.results:
                    if value in self.crossing.values and not isinstance(value.type, BufferType):
                        self.cell(value)

    def _segment(self, segment: list[Instr]) -> None:
        if not segment:
            return
        needed = self.crossing.needed(segment)
        for instr in segment:
            if instr.row.mnemonic == "local":
                self._make_local(instr)

        def run() -> None:
            for value in needed:
                if value in self.locals:
                    self._bind_local(value)
                elif value in self.cells:
                    self.body.define(value, self.own(value))
            for instr in segment:
                if instr.row.mnemonic == "local":
                    self._bind_local(instr.results[0], zero=True)
                    continue
                self.body.instruction(instr)
                for value in instr.results:
                    if value in self.cells:
                        store_each(self.body, value.type, self.body.env[value], self.cells[value],
                                   self.body.instance)
        self.each(run)

    def _make_local(self, instr: Instr) -> None:
        type_ = instr.type_argument
        assert isinstance(type_, BufferType)
        held = self.blocks.new(type_.element, [self.total, *(str(d) for d in type_.shape)],
                               self.body.header(), False)
        self.locals[instr.results[0]] = held.pointer

    def _bind_local(self, value: Value, zero: bool = False) -> None:
        type_, body = value.type, self.body
        assert isinstance(type_, BufferType)
        extents = [str(d) for d in type_.shape]
        size = body.product([*extents, str(type_.element.size_bytes)])
        offset = self.f.op(f"mul nsw i64 {body.instance}, {size}")
        pointer = self.f.op(f"getelementptr inbounds i8, ptr {self.locals[value]}, i64 {offset}")
        if zero:
            body.lowering.zero(body, pointer, size)
        body.buffers[value] = Buffer(type_.element, pointer, extents, body.dense_strides(extents),
                                     written=True, exclusive=True)

class _Crossing:
    """Which values are used in another segment than the one that defines them."""

    def __init__(self, leaf: LeafNode):
        self.values: set[Value] = set()
        self._home: dict[Value, int] = {}
        self._place: dict[int, int] = {}
        self._count = 0
        assert leaf.body is not None
        for region in self._regions(leaf.body):
            self._number(region)
        for region in self._regions(leaf.body):
            self._collect(region)

    @staticmethod
    def _regions(region: Region) -> list[Region]:
        """The region and those inside it that hold collectives."""
        out, stack = [], [region]
        while stack:
            found = stack.pop()
            out.append(found)
            stack += [r for i in found.body if synchronous(i) for r in i.regions]
        return out

    def _number(self, region: Region) -> None:
        self._count += 1
        for instr in region.body:
            if synchronous(instr) or instr.row.terminator:
                self._count += 1
                continue
            self._place[id(instr)] = self._count
            for value in instr.results:
                self._home[value] = self._count

    def _collect(self, region: Region) -> None:
        for instr in region.body:
            home = self._place.get(id(instr), -1)  # -1: used by the construct that cuts
            inner = [instr] if home < 0 else [instr, *(i for r in instr.regions
                                                       for i in instructions(r))]
            for used in inner:
                for operand in used.operands:
                    if isinstance(operand, Value) and self._home.get(operand, home) != home:
                        self.values.add(operand)

    def needed(self, segment: Sequence[Instr]) -> list[Value]:
        """Values from elsewhere that a segment uses, in order."""
        own = {v for i in segment for v in i.results}
        found: dict[Value, None] = {}
        for instr in segment:
            for used in [instr, *(i for r in instr.regions for i in instructions(r))]:
                for operand in used.operands:
                    if isinstance(operand, Value) and operand not in own:
                        found[operand] = None
        return list(found)


def _if(g: Group, instr: Instr) -> None:
    f = g.f
    for value in instr.results:
        g.cell(value)
    yes, no, done = f.label("then"), f.label("else"), f.label("endif")
    f.branch(g.uniform(instr.operands[0]), yes, no)
    before = g.snapshot()
    for label, region in zip((yes, no), instr.regions, strict=True):
        f.start(label)
        g.assign(instr.results, g.sequence(region))
        g.forget(before)
        f.jump(done)
    f.start(done)


def _for(g: Group, instr: Instr) -> None:
    f, body = g.f, g.body
    type_ = instr.operands[0].type
    assert isinstance(type_, ScalarType)
    t = element_type(type_)
    low, high, step = (g.uniform(o) for o in instr.operands[:3])
    rounds = trip_count(body, instr, low, high, step, type_)
    counter, *parameters = instr.regions[0].parameters
    g.assign(parameters, instr.operands[3:])
    before = g.snapshot()
    loop = Loop(body, [(t, "0")])
    count = loop.names[0]
    loop.leave_unless(f.op(f"icmp ult {t} {count}, {rounds}"))
    scaled = count if step == "1" else f.op(f"mul {t} {count}, {step}")
    body.define(counter, scaled if low == "0" else f.op(f"add {t} {low}, {scaled}"))
    _round(g, instr.regions[0], parameters, before)
    loop.close([f.op(f"add nuw {t} {count}, 1")])
    _results(g, instr, parameters)


def _round(g: Group, region: Region, parameters: Sequence[Value],
           before: tuple[dict[Value, str], dict[Value, str]]) -> None:
    """One round of a loop."""
    g.assign(parameters, g.sequence(region))
    g.forget(before)
    g.body.poll()


def _results(g: Group, instr: Instr, parameters: Sequence[Value]) -> None:
    for result, parameter in zip(instr.results, parameters, strict=True):
        g.cells[result] = g.cells[parameter]


def _while(g: Group, instr: Instr) -> None:
    parameters = instr.regions[0].parameters
    g.assign(parameters, instr.operands)
    before = g.snapshot()
    loop = Loop(g.body, [])
    condition = g.sequence(instr.regions[0])[0]
    loop.leave_unless(g.uniform(condition))
    _round(g, instr.regions[1], parameters, before)
    loop.close([])
    _results(g, instr, parameters)


def _barrier(g: Group, instr: Instr) -> None:
    """A cut is all that a barrier needs."""


def _vote(g: Group, instr: Instr) -> None:
    op = instr.row.mnemonic.removeprefix("group_")
    g.body.define(instr.results[0], fold(g.body, op, g.total, lambda i: g.at(instr.operands[0], i),
                                         ty.I1, 0))


def _broadcast(g: Group, instr: Instr) -> None:
    index = g.uniform(instr.operands[1])
    g.body.define(instr.results[0], _from(g, instr.operands[0], index, instr.results[0].type))


def _from(g: Group, operand: Operand, index: str, type_: Type) -> str:
    """The operand of another instance, 0 if there is none such."""
    ok = g.f.op(f"icmp ult i64 {index}, {g.total}")
    return guarded(g.body, ok, llvm_type(type_), lambda: g.at(operand, index), zero_of(type_))


def _reduce(g: Group, instr: Instr) -> None:
    op, element = REDUCTIONS[instr.immediates[0]], instr.operands[0].type
    assert isinstance(element, ScalarType)
    operand, body = instr.operands[0], g.body
    if op.startswith("arg"):
        best, position = fold_arg(body, op, g.total, lambda i: g.at(operand, i), element)
        body.define(instr.results[0], best)
        body.define(instr.results[1], position)
        return
    wide = ty.F32 if element in NARROW and op in ("add", "mul") else element
    value = fold(body, op, g.total, lambda i: convert(body, g.at(operand, i), element, wide, 0), wide,
                 instr.fast)
    body.define(instr.results[0], convert(body, value, wide, element, 0))


def _scan(g: Group, instr: Instr) -> None:
    f, element, body = g.f, instr.operands[0].type, g.body
    assert isinstance(element, ScalarType)
    op = instr.row.immediates[0].choices[instr.immediates[0]]
    exclusive = instr.immediates[1] == 1
    array, text = g.cell(instr.results[0]), element_type(element)
    loop = Loop(body, [("i64", "0"), (text, identity_text(op, element))])
    index, so_far = loop.names
    loop.leave_unless(f.op(f"icmp slt i64 {index}, {g.total}"))
    value = g.at(instr.operands[0], index)
    first = f.op(f"icmp eq i64 {index}, 0")
    joined = combine(body, op, so_far, value, element)
    total = f.op(f"select i1 {first}, {text} {value}, {text} {joined}")
    store_each(body, element, so_far if exclusive else total, array, index)
    loop.close([f.op(f"add nuw nsw i64 {index}, 1"), total])


def _shuffle(g: Group, instr: Instr) -> None:
    result = instr.results[0]
    array = g.cell(result)

    def run() -> None:
        value = _from(g, instr.operands[0], g.own(instr.operands[1]), result.type)
        store_each(g.body, result.type, value, array, g.body.instance)
    g.each(run)


_GROUP: dict[str, Callable[[Group, Instr], None]] = {
    "if": _if, "for": _for, "while": _while, "barrier": _barrier, "group_any": _vote,
    "group_all": _vote, "group_broadcast": _broadcast, "group_reduce": _reduce, "group_scan": _scan,
    "group_shuffle": _shuffle}
