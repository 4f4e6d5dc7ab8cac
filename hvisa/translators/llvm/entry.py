"""The entry of a module of native code: from argument slots to the first launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hvisa.graph.model import Definition, Instr, InternalNode, LeafNode, Module
from hvisa.spec.operations import DIRECTIONS
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, ScalarType
from hvisa.translators.base import Options
from hvisa.translators.llvm.blocks import copy_elements
from hvisa.translators.llvm.body import DENSE, STRIDED, Body, Buffer
from hvisa.translators.llvm.control import from_cell, to_cell
from hvisa.translators.llvm.emit import FunctionText, llvm_type
from hvisa.translators.llvm.leaf import enter_float_environment, leave_float_environment
from hvisa.translators.llvm.lowering import Lowering
from hvisa.translators.llvm.parameters import Parameter, has_count, has_owner, synchronises
from hvisa.translators.native import entry_symbol, part_symbol, signature

if TYPE_CHECKING:
    from hvisa.graph.facts import Facts


def lower_entry(module: Module, facts: Facts | None, entry: str,
                options: Options) -> tuple[str, dict[str, Any]]:
    """IR of an entry's whole closure, and the metadata that its launch needs."""
    lowering = Lowering(module, facts, options)
    definition = module.definitions[entry]
    f = FunctionText(f"define dso_local i32 @{entry_symbol()}(ptr %ctx, ptr %slots)")
    body = Body(lowering, f, entry)
    saved = enter_float_environment(body)
    owner = f.op('call i64 asm sideeffect "movq %fs:0, $0", "=r"()')
    f.do(f"store i64 {owner}, ptr {lowering.field(f, 'owner')}")
    frame = f.alloca("ptr")
    f.do(f"store ptr null, ptr {frame}")

    def leave(status: str) -> None:
        f.do(f"call void @hv.frame.free(ptr %ctx, ptr {frame})")
        leave_float_environment(body, saved)
        f.do(f"ret i32 {status}")
    body.leave = leave
    layout = signature(definition)
    passed, parameters = _arguments(body, definition, layout)
    results, cells = _results(body, definition, layout)
    if isinstance(definition, LeafNode):
        prepare_leaf_outputs(body, definition, passed, frame)
        name = lowering.leaf(definition, parameters)
    else:
        assert isinstance(definition, InternalNode)
        name = lowering.graph(definition, parameters)
    arguments = [a for texts in passed for a in texts]
    status = f.op(f"call i32 @{name}(ptr %ctx, i1 {'true' if options.threads else 'false'}"
                  + "".join(f", {a}" for a in [*arguments, *results]) + ")")
    body.check_status(status)
    _write_back(body, definition, layout, cells)
    leave("0")
    lowering.text.add(f)
    if options.parts and isinstance(definition, LeafNode) and not synchronises(definition):
        _write_part(lowering, definition, name.replace("launch.", "range."), layout)
    metadata = {"signature": layout, "sites": lowering.sites, "nodes": lowering.nodes,
                "externs": lowering.externs, "notes": lowering.notes}
    return lowering.finish(), metadata


def _write_part(lowering: Lowering, leaf: LeafNode, range_name: str, layout: dict[str, Any]) -> None:
    """The second entry: a range of instances, without a launch around it."""
    f = FunctionText(f"define dso_local i32 @{part_symbol()}(ptr %ctx, ptr %slots, i64 %begin, "
                     "i64 %end)")
    body = Body(lowering, f, leaf.name)
    saved = enter_float_environment(body)
    passed, _ = _arguments(body, leaf, layout)
    results, cells = _results(body, leaf, layout)
    arguments = [a for texts in passed for a in texts]
    status = f.op(f"call i32 @{range_name}(ptr %ctx, "
                  + "".join(f"{a}, " for a in [*arguments, *results]) + "i64 %begin, i64 %end)")
    _write_back(body, leaf, layout, cells)
    leave_float_environment(body, saved)
    f.do(f"ret i32 {status}")
    lowering.text.add(f)


def _slot(body: Body, number: int) -> str:
    return body.f.op(f"getelementptr inbounds i64, ptr %slots, i64 {number}")


def _load_slot(body: Body, number: int, type_: str = "i64") -> str:
    return body.f.op(f"load {type_}, ptr {_slot(body, number)}")


def _arguments(body: Body, definition: Definition,
               layout: dict[str, Any]) -> tuple[list[list[str]], list[Parameter]]:
    """Typed argument texts of every port, and how each arrives."""
    passed: list[list[str]] = []
    parameters: list[Parameter] = []
    for port, entry in zip(definition.ports, layout["ports"], strict=True):
        slot, type_ = entry["slot"], port.type
        if not isinstance(type_, BufferType):
            parameters.append(Parameter())
            if isinstance(type_, ScalarType):
                value = from_cell(body, _load_slot(body, slot), type_)
            else:
                value = body.load_cell(type_, _load_slot(body, slot, "ptr"))
            body.define(port.value, value)
            passed.append([f"{llvm_type(type_)} {value}"])
            continue
        parameters.append(Parameter(STRIDED if port.strided else DENSE))
        pointer = _load_slot(body, slot, "ptr")
        extents = [_load_slot(body, slot + 1 + a) for a in range(type_.rank)]
        strides = ([_load_slot(body, slot + 1 + type_.rank + a) for a in range(type_.rank)]
                   if port.strided else body.dense_strides(extents))
        body.bind_shape(type_, extents)
        texts = [f"ptr {pointer}", *(f"i64 {v}" for v in [*extents, *strides])]
        if has_owner(port):
            texts.append("ptr null")
        if has_count(port):
            texts.append(f"ptr {_slot(body, slot + 1)}")
        passed.append(texts)
    return passed, parameters


def _results(body: Body, definition: Definition,
             layout: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Where results go: an array of the host for a grid's, a cell of the frame else."""
    texts: list[str] = []
    cells: list[str] = []
    for type_, entry in zip(definition.results, layout["results"], strict=True):
        if definition.grid or not isinstance(type_, ScalarType):
            # A grid's values, or a vector's lanes: an array of the host.
            pointer = _load_slot(body, entry["slot"], "ptr")
        else:
            pointer = body.f.alloca("i64")
        cells.append(pointer)
        texts.append(f"ptr {pointer}")
    return texts, cells


def _write_back(body: Body, definition: Definition, layout: dict[str, Any],
                cells: Sequence[str]) -> None:
    for type_, entry, pointer in zip(definition.results, layout["results"], cells, strict=True):
        if definition.grid or not isinstance(type_, ScalarType):
            continue
        value = body.load_cell(type_, pointer)
        body.f.do(f"store i64 {to_cell(body, value, type_)}, ptr {_slot(body, entry['slot'])}")


def prepare_leaf_outputs(body: Body, leaf: LeafNode, passed: list[list[str]], frame: str) -> None:
    """Zero or copied contents of `out` ports, and the tables of `own checked` ones (semantics 6)."""
    for number, port in enumerate(leaf.ports):
        type_ = port.type
        if not isinstance(type_, BufferType):
            continue
        extents = [t.rpartition(" ")[2] for t in passed[number][1:1 + type_.rank]]
        if DIRECTIONS[port.direction] == "out" and not body.lowering.covered(leaf, port):
            fill_output(body, leaf, number, passed, extents)
        if has_owner(port):
            at = next(n for n, t in enumerate(passed[number]) if t == "ptr null")
            passed[number][at] = f"ptr {owner_table(body, frame, leaf, extents)}"


def fill_output(body: Body, leaf: Definition, number: int, passed: list[list[str]],
                extents: list[str]) -> None:
    """Start an `out` buffer as zeros, or as a copy of the port that it names."""
    port = leaf.ports[number]
    assert isinstance(port.type, BufferType)
    pointer = passed[number][0].rpartition(" ")[2]
    strides = [t.rpartition(" ")[2] for t in
               passed[number][1 + port.type.rank:1 + 2 * port.type.rank]]
    size = body.product([*extents, str(port.type.element.size_bytes)])
    if port.source is None:
        if port.strided:
            copy_elements(body, port.type.element, None,
                          Buffer(port.type.element, pointer, extents, strides))
        else:
            body.lowering.zero(body, pointer, size)
        return
    origin = next(n for n, p in enumerate(leaf.ports) if p.name == port.source)
    other = passed[origin]
    source = other[0].rpartition(" ")[2]
    from_strides = [t.rpartition(" ")[2] for t in other[1 + port.type.rank:1 + 2 * port.type.rank]]
    if port.strided or leaf.ports[origin].strided:
        element = port.type.element
        copy_elements(body, element, Buffer(element, source, extents, from_strides),
                      Buffer(element, pointer, extents, strides))
    else:
        body.lowering.copy(body, pointer, source, size)


def owner_table(body: Body, frame: str, leaf: Definition, extents: list[str]) -> str:
    """One zeroed cell an element, for `own checked`."""
    size = body.product([*extents, "8"])
    pointer = new_block(body, frame, size, leaf)[1]
    body.lowering.zero(body, pointer, size)
    return pointer


def new_block(body: Body, frame: str, size: str, place: Definition) -> tuple[str, str]:
    """A new block of memory: (block, data); leaves with HV0910 where there is none."""
    block = body.f.op(f"call ptr @hv.block.new(ptr %ctx, ptr {frame}, i64 {size})")
    stand_in = Instr(ROWS["zeros"], [], [], place.span)
    body.lowering.keep.append(stand_in)
    body.trap_if(body.f.op(f"icmp eq ptr {block}, null"), "HV0910", stand_in, size)
    return block, body.f.op(f"getelementptr inbounds i8, ptr {block}, i64 256")
