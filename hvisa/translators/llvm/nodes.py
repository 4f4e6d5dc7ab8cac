"""Lowering of `node`: arguments to ports, memory for results, one launch or a grid of graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.graph.model import (
    Box,
    Definition,
    DimValue,
    Instr,
    InternalNode,
    LeafNode,
    NodeDetail,
    Operand,
    Output,
    Port,
    Value,
)
from hvisa.graph.signatures import node_binding
from hvisa.spec import types as ty
from hvisa.spec.operations import DIRECTIONS, OUTPUT_FORMS, REDUCTIONS
from hvisa.spec.types import BufferType, GridType, ScalarType, StreamType
from hvisa.translators.llvm import leaf as leaves
from hvisa.translators.llvm.blocks import Blocks, Held, copy_elements
from hvisa.translators.llvm.body import DENSE, Body
from hvisa.translators.llvm.emit import NARROW, FunctionText, llvm_type
from hvisa.translators.llvm.folds import fold
from hvisa.translators.llvm.loops import Loop
from hvisa.translators.llvm.memory import take
from hvisa.translators.llvm.parameters import Parameter, has_count, has_owner, synchronises
from hvisa.translators.llvm.rows import convert

if TYPE_CHECKING:
    from hvisa.translators.llvm.graph import GraphBody


class Passed:
    """What one port of a node gets: an IR value, an array of values, or a buffer."""

    __slots__ = ("array", "held", "value")

    def __init__(self, value: str = "", array: Held | None = None, held: Held | None = None):
        self.value = value
        self.array = array
        self.held = held


def write_node(g: GraphBody, instr: Instr) -> None:
    """Everything of one node: prepare, launch, define the results."""
    callee = g.lowering.module.definitions[instr.callee or ""]
    detail: NodeDetail = instr.detail
    passed = _take_arguments(g, instr, callee)
    _make_outputs(g, instr, callee, detail, passed)
    arrays = _result_arrays(g, instr, callee, detail)
    node = g.lowering.node(callee.name)
    leave = g.body.leave

    def unwind(status: str) -> None:
        g.f.do(f"call void @hv.unwind(ptr %ctx, i32 {status}, i32 {node})")
        leave(status)
    g.body.leave = unwind
    counts = {n: g.f.alloca("i64") for n, p in enumerate(callee.ports) if has_count(p)}
    if isinstance(callee, InternalNode) and detail.grid:
        _launch_grid(g, instr, callee, detail, passed, arrays)
    else:
        _launch(g, callee, passed, arrays, counts)
    g.body.leave = leave
    _define_results(g, instr, callee, detail, passed, arrays, counts)


def _take_arguments(g: GraphBody, instr: Instr, callee: Definition) -> list[Passed]:
    """One Passed for each port of the callee; `out` ports are still empty."""
    passed: list[Passed] = []
    position = 0
    for port in callee.ports:
        if not port.taken:
            passed.append(Passed())
            continue
        operand, argument = instr.operands[position], instr.detail.arguments[position]
        position += 1
        if isinstance(operand.type, GridType) and not isinstance(port.type, GridType):
            passed.append(Passed(array=g._hold(operand)))
        elif not isinstance(operand.type, BufferType):
            assert not isinstance(operand.type, StreamType), "streams go through the runtime"
            # Arguments that name the ids of this node's grid are computed per instance.
            passed.append(Passed("" if _names_ids(operand, instr.detail) else g.body.value(operand)))
        elif port.written:
            passed.append(Passed(held=g.blocks.unique(g.take(operand), instr)))
        elif argument.box is not None and not instr.detail.grid:
            passed.append(Passed(held=g.blocks.view(g._hold(operand), operand.type, argument.box,
                                                    instr)))
        else:
            passed.append(Passed(held=g._hold(operand)))
    return passed


def _names_ids(operand: object, detail: NodeDetail) -> bool:
    ids = {v.name for v in detail.ids}
    if isinstance(operand, Value):
        return operand in detail.ids
    return isinstance(operand, DimValue) and any(s in ids for s in operand.dim.symbols())


def _make_outputs(g: GraphBody, instr: Instr, callee: Definition, detail: NodeDetail,
                  passed: list[Passed]) -> None:
    """Memory for `out` ports: fresh, or that of the graph's own port that the result ends in."""
    for number, port in enumerate(callee.written):
        if DIRECTIONS[port.direction] != "out":
            continue
        value = instr.results[number]
        type_ = value.type
        assert isinstance(type_, BufferType) and isinstance(port.type, BufferType)
        extents = [g.body.dim(d) for d in type_.shape[1:]]
        leading = type_.capacity if type_.capacity is not None else (
            type_.shape[0] if type_.rank else None)
        if leading is not None:
            extents = [g.body.dim(leading), *extents]
        held = g.destinations.get(value) if len(g.scopes) == 1 else None
        if held is None:
            held = g.blocks.new(type_.element, extents, instr, False)
        _fill(g, callee, port, value, detail, passed, held)
        passed[callee.ports.index(port)].held = held


def _fill(g: GraphBody, callee: Definition, port: Port, value: Value, detail: NodeDetail,
          passed: list[Passed], held: Held) -> None:
    """Contents before the first store. A graph without grid yields the whole buffer anyway."""
    if isinstance(callee, InternalNode):
        if not detail.grid or g.lowering.tiled(g.graph.name, value):
            return
    elif g.lowering.covered(callee, port):
        return
    if port.source is not None:
        origin = next(n for n, p in enumerate(callee.ports) if p.name == port.source)
        source = passed[origin].held
        assert source is not None
        g.blocks.copy_into(source, held)
    elif held.layout == DENSE:
        size = g.body.product([*held.extents, str(held.element.size_bytes)])
        g.lowering.zero(g.body, held.pointer, size)
    else:
        copy_elements(g.body, held.element, None, held)


def _result_arrays(g: GraphBody, instr: Instr, callee: Definition, detail: NodeDetail) -> list[str]:
    """Where per-instance results go: a cell, or an array over the grid."""
    written = len(callee.written)
    pointers: list[str] = []
    for type_, value, output in zip(callee.results, instr.results[written:],
                                    detail.outputs[written:], strict=True):
        if isinstance(type_, GridType):
            assert isinstance(value.type, GridType)
            pointers.append(_grid_array(g, instr, value, value.type))
            continue
        element = ty.element_of(type_)
        assert element is not None
        extents = _grid_extents(g, instr, callee, detail)
        if extents is None:
            pointers.append(g.f.alloca(f"[{max(1, ty.lanes_of(type_)) * 8} x i8]", 64))
            continue
        destination = g.destinations.get(value) if len(g.scopes) == 1 else None
        if OUTPUT_FORMS[output.form] == "collect" and destination is not None \
                and destination.layout == DENSE:
            array = destination
        else:
            array = g.blocks.new(element, extents, instr, False, ty.lanes_of(type_))
        g.arrays[value] = array
        pointers.append(array.pointer)
    return pointers


def _grid_array(g: GraphBody, instr: Instr, value: Value, type_: GridType) -> str:
    """Room for values that a graph gives per instance of a grid inside it."""
    element = ty.element_of(type_.element)
    assert element is not None
    extents = [g.body.dim(d) for d in type_.extents]
    array = g.arrays[value] = g.blocks.new(element, extents, instr, False, ty.lanes_of(type_.element))
    return array.pointer


def _grid_extents(g: GraphBody, instr: Instr, callee: Definition,
                  detail: NodeDetail) -> list[str] | None:
    """Extents of the grid that the node runs over, None for a single instance."""
    if isinstance(callee, InternalNode):
        return [g.body.dim(d) for d in detail.grid] if detail.ids else None
    if not callee.grid:
        return None
    binding = node_binding(instr, callee)
    return [g.body.dim(d.substitute(binding)) for d in callee.grid]


def arguments(port: Port, passed: Passed, extra: dict[str, str]) -> tuple[list[str], Parameter]:
    """Typed texts for one port, in the order of `parameter_list`."""
    if not isinstance(port.type, BufferType):
        if passed.array is not None:
            return [f"ptr {passed.array.pointer}"], Parameter(each=True)
        return [f"{llvm_type(port.type)} {passed.value}"], Parameter()
    held = passed.held
    assert held is not None
    texts = [f"ptr {held.pointer}", *(f"i64 {v}" for v in [*held.extents, *held.strides])]
    texts += [f"ptr {extra[k]}" for k in ("owner", "count") if k in extra]
    return texts, Parameter(held.layout, exclusive=held.exclusive)


def _launch(g: GraphBody, callee: Definition, passed: list[Passed], arrays: list[str],
            counts: dict[int, str]) -> None:
    texts: list[str] = []
    parameters: list[Parameter] = []
    for number, (port, one) in enumerate(zip(callee.ports, passed, strict=True)):
        extra: dict[str, str] = {}
        if has_owner(port) and isinstance(callee, LeafNode):
            assert one.held is not None
            table = g.blocks.new(ty.I64, one.held.extents, g.body.header(), True)
            extra["owner"] = table.pointer
        elif has_owner(port):
            extra["owner"] = "null"
        if number in counts:
            assert one.held is not None
            g.f.do(f"store i64 {one.held.extents[0]}, ptr {counts[number]}")
            extra["count"] = counts[number]
        found, how = arguments(port, one, extra)
        # A leaf that does not synchronise may be spread over threads, scratch or not.
        how.exclusive = how.exclusive and not (isinstance(callee, LeafNode) and not synchronises(callee))
        texts += found
        parameters.append(how)
    if isinstance(callee, LeafNode):
        name = g.lowering.leaf(callee, parameters)
    else:
        assert isinstance(callee, InternalNode)
        name = g.lowering.graph(callee, parameters)
    results = "".join(f", ptr {p}" for p in arrays)
    status = g.f.op(f"call i32 @{name}(ptr %ctx, i1 %parallel" + "".join(f", {t}" for t in texts)
                    + results + ")")
    g.body.check_status(status)


def _define_results(g: GraphBody, instr: Instr, callee: Definition, detail: NodeDetail,
                    passed: list[Passed], arrays: list[str], counts: dict[int, str]) -> None:
    written = callee.written
    for port, value in zip(written, instr.results, strict=False):
        number = callee.ports.index(port)
        held = passed[number].held
        assert held is not None
        if number in counts:
            count = g.f.op(f"load i64, ptr {counts[number]}")
            held = Held(held.element, held.pointer, [count, *held.extents[1:]], held.strides,
                        held.block, held.layout, held.exclusive)
        g.define(value, held)
    rest = zip(callee.results, instr.results[len(written):], detail.outputs[len(written):], arrays,
               strict=True)
    for type_, value, output, pointer in rest:
        array = g.arrays.pop(value, None)
        form = OUTPUT_FORMS[output.form]
        if array is None:
            g.body.define(value, g.body.load_cell(type_, pointer))
        elif form == "reduce":
            assert isinstance(type_, ScalarType)
            g.body.define(value, _reduced(g, type_, output, array))
            g.blocks.release(array.block)
        else:
            g.define(value, array)


def _reduced(g: GraphBody, element: ScalarType, output: Output, array: Held) -> str:
    """Join the results of a grid in row-major order (semantics 5 and 11)."""
    op = REDUCTIONS[output.operator]
    wide = ty.F32 if element in NARROW and op in ("add", "mul") else element

    def at(index: str) -> str:
        value = g.body.load_cell(element, g.body.cell(element, array.pointer, index))
        return convert(g.body, value, element, wide, 0)
    total = g.body.product(array.extents)
    return convert(g.body, fold(g.body, op, total, at, wide, 0), wide, element, 0)


# -- grids of graphs ---------------------------------------------------------------------------------

def _launch_grid(g: GraphBody, instr: Instr, callee: InternalNode, detail: NodeDetail,
                 passed: list[Passed], arrays: list[str]) -> None:
    """A range function over the instances of a replicated graph, launched like a leaf."""
    lowering = g.lowering
    name = f"launch.{callee.name}.grid{len(lowering.functions)}"
    lowering.functions[("grid", id(instr), name)] = name
    header: list[str] = []
    texts: list[str] = []
    for number, one in enumerate(passed):
        for type_, suffix, value in _captured(callee.ports[number], one):
            header.append(f"{type_} %c{number}{suffix}")
            texts.append(f"{type_} {value}")
    for number, pointer in enumerate(arrays):
        header.append(f"ptr %r{number}")
        texts.append(f"ptr {pointer}")
    symbols = sorted(_needed(instr, detail))
    for number, symbol in enumerate(symbols):
        header.append(f"i64 %n{number}")
        texts.append(f"i64 {g.body.symbols[symbol]}")
    bound = {s: f"%n{n}" for n, s in enumerate(symbols)}
    for number, (port, one) in enumerate(zip(callee.ports, passed, strict=True)):
        if has_owner(port) and one.held is not None:
            table = g.blocks.new(ty.I64, one.held.extents, instr, True)
            header.append(f"ptr %o{number}")
            texts.append(f"ptr {table.pointer}")
    _write_range(g, instr, callee, detail, passed, name, header, bound, len(arrays))

    def bind(body: Body) -> None:
        body.symbols.update(bound)
    # A graph is work enough for a thread of its own, whatever its size.
    leaves.write_launch(lowering, name, header, header, name.replace("launch.", "range."), callee.name,
                        bind, detail.grid, 1 << 20)
    status = g.f.op(f"call i32 @{name}(ptr %ctx, i1 %parallel" + "".join(f", {t}" for t in texts)
                    + ")")
    g.body.check_status(status)


def _captured(port: Port, one: Passed) -> list[tuple[str, str, str]]:
    """(type, name suffix, value) of what a range function needs of one argument."""
    if one.array is not None:
        return [("ptr", "", one.array.pointer)]
    if one.held is None:
        return [(llvm_type(port.type), "", one.value)] if one.value else []
    out = [("ptr", "", one.held.pointer)]
    out += [("i64", f".e{a}", v) for a, v in enumerate(one.held.extents)]
    return out + [("i64", f".s{a}", v) for a, v in enumerate(one.held.strides)]


def _needed(instr: Instr, detail: NodeDetail) -> set[str]:
    """Symbols that an instance needs: of boxes, grid and computed arguments, but not its ids."""
    boxes = [a.box for a in detail.arguments] + [o.box for o in detail.outputs]
    found = {s for d in detail.grid for s in d.symbols()}
    found |= {s for box in boxes if box for pair in box for d in pair for s in d.symbols()}
    found |= {s for o in instr.operands if isinstance(o, DimValue) for s in o.dim.symbols()}
    return found - {v.name or "" for v in detail.ids}


def _write_range(g: GraphBody, instr: Instr, callee: InternalNode, detail: NodeDetail,
                 passed: list[Passed], name: str, header: list[str], bound: dict[str, str],
                 results: int) -> None:
    f = FunctionText(f"define internal i32 @{name.replace('launch.', 'range.')}(ptr %ctx, "
                     + "".join(f"{h}, " for h in header) + "i64 %begin, i64 %end)")
    body = Body(g.lowering, f, callee.name)
    body.symbols.update(bound)
    blocks = Blocks(body, g.graph, "null")

    def run() -> None:
        texts: list[str] = []
        parameters: list[Parameter] = []
        position = written = 0
        for number, (port, one) in enumerate(zip(callee.ports, passed, strict=True)):
            operand = argument = None
            if port.taken:
                operand, argument = instr.operands[position], detail.arguments[position]
                position += 1
            box = argument.box if argument is not None else None
            whole = operand.type if operand is not None else None
            if port.written:
                if not port.taken:
                    output = detail.outputs[written]
                    box, whole = output.box, output.whole
                written += 1
            inner = _inner(body, blocks, instr, port, number, one, operand, box, whole)
            if has_owner(port) and box is not None and one.held is not None:
                _own_box(body, instr, number, len(one.held.extents), inner, box)
            found, how = arguments(port, inner, {"owner": "null"} if has_owner(port) else {})
            texts += found
            parameters.append(how)
        child = g.lowering.graph(callee, parameters)
        for n in range(results):
            element = ty.element_of(callee.results[n])
            assert element is not None
            cell = body.cell(element, f"%r{n}", body.instance, ty.lanes_of(callee.results[n]))
            texts.append(f"ptr {cell}")
        status = f.op(f"call i32 @{child}(ptr %ctx, i1 false" + "".join(f", {t}" for t in texts)
                      + ")")
        body.check_status(status)
    leaves.over_instances(body, detail, "%begin", "%end", run)
    f.do("ret i32 0")
    g.lowering.text.add(f)


def _own_box(body: Body, instr: Instr, number: int, rank: int, inner: Passed, box: Box) -> None:
    """`own checked` on a grid of graphs: the box is the footprint, and no two may meet."""
    f, held = body.f, inner.held
    assert held is not None
    strides = body.dense_strides([f"%c{number}.e{a}" for a in range(rank)])
    total = body.product(held.extents)
    loop = Loop(body, [("i64", "0")])
    loop.leave_unless(f.op(f"icmp slt i64 {loop.names[0]}, {total}"))
    rest, at = loop.names[0], "0"
    for axis in range(rank - 1, -1, -1):
        part = rest if not axis else f.op(f"urem i64 {rest}, {held.extents[axis]}")
        rest = rest if not axis else f.op(f"udiv i64 {rest}, {held.extents[axis]}")
        place = f.op(f"add i64 {part}, {body.dim(box[axis][0])}")
        at = f.op(f"add i64 {at}, {f.op(f'mul i64 {place}, {strides[axis]}')}")
    take(body, instr, f"%o{number}", at)
    loop.close([f.op(f"add nuw nsw i64 {loop.names[0]}, 1")])


def _inner(body: Body, blocks: Blocks, instr: Instr, port: Port, number: int, one: Passed,
           operand: Operand | None, box: Box | None, whole: ty.Type | None) -> Passed:
    """One argument as the instance sees it."""
    c = f"%c{number}"
    if not isinstance(port.type, BufferType):
        if one.array is not None:
            value = leaves.load_each(body, port.type, c, body.instance)
            return Passed(value)
        if one.value:
            return Passed(c)
        assert operand is not None
        return Passed(body.value(operand))
    assert one.held is not None
    rank = len(one.held.extents)
    strides = [f"{c}.s{a}" for a in range(rank)]
    if one.held.layout != "strided" and rank:
        strides[-1] = "1"
    held = Held(one.held.element, c, [f"{c}.e{a}" for a in range(rank)], strides, "null",
                one.held.layout)  # shared with the other instances, whatever it was outside
    if box is not None:
        assert isinstance(whole, BufferType)
        held = blocks.view(held, whole, box, instr)
    return Passed(held=held)
