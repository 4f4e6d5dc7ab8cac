"""Calls and nodes: how arguments meet ports, what symbols become, what comes back.

Symbols of a callee are bound by shapes in which they stand alone, by `index` arguments, and by the
boxes of written ports (semantics 3 and 24); every other extent is then an equation between normal
forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hvisa.diagnostics import plural
from hvisa.graph.model import (
    Box,
    Constant,
    Definition,
    DimValue,
    Function,
    Instr,
    Literal,
    Operand,
    Output,
    Port,
    Value,
)
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.definitions import Form
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.literals import integer_value
from hvisa.spec.operations import OUTPUT_FORMS, REDUCTIONS
from hvisa.spec.types import BufferType, GridType, ScalarType, StreamType, Type, VectorType

if TYPE_CHECKING:
    from hvisa.diagnostics import Diagnostic

Bindings = dict[str, Dim]


class Reporter(Protocol):
    errors: list[Diagnostic]

    def report(self, code: str, message: str, instr: Instr, operand: int = -1, note: str = "",
               help: str = "") -> None: ...

    def settle(self, instr: Instr, position: int, wanted: Type) -> Type: ...

    def same(self, left: Dim, right: Dim) -> bool: ...

    def fits(self, wanted: Type, found: Type) -> bool: ...


def fits(wanted: Type, found: Type) -> bool:
    """Whether a value of type `found` may stand where `wanted` is written: equal, or a buffer whose
    leading extent is fresh and bounded where `wanted` bounds a fresh one too."""
    if wanted is found:
        return True
    if not (isinstance(wanted, BufferType) and isinstance(found, BufferType)):
        return False
    if wanted.capacity is None or wanted.element is not found.element or wanted.rank != found.rank:
        return False
    return wanted.shape[1:] == found.shape[1:] and (
        found.capacity == wanted.capacity or found.shape[0] == wanted.capacity)


def yielded(definition: Definition) -> list[Type]:
    """What the body of a definition yields: results, and in a graph the written ports before
    them."""
    if definition.kind == "graph":
        return [p.type for p in definition.written] + definition.results
    return list(definition.results)


def index_dim(operand: Operand) -> Dim | None:
    """An operand of type index as a dimension."""
    if isinstance(operand, DimValue):
        return operand.dim
    if isinstance(operand, Constant):
        value = integer_value(operand.bits, operand.type)
        return dims.constant(value) if abs(value) <= dims.MAX_COEFFICIENT else None
    return dims.symbol(operand.name) if isinstance(operand, Value) and operand.name else None


def boxed(run: Reporter | None, instr: Instr, whole: BufferType, box: Box, operand: int) -> BufferType:
    """The view of a box, clipped at the far end of each dimension."""
    if len(box) != whole.rank:
        assert run is not None
        run.report("HV0212", f"{whole} has {plural(whole.rank, 'dimension')}, the box has "
                   f"{len(box)}", instr, operand, help="write `offset :+ length` for each dimension")
        return whole
    shape: list[Dim] = []
    for (offset, length), extent in zip(box, whole.shape, strict=True):
        rest = extent - offset
        try:
            shape.append(length if length == rest else dims.minimum(length, rest))
        except DimError as error:
            assert run is not None
            run.report("HV0602", str(error), instr, operand)
            shape.append(length)
    return ty.buffer(whole.element, tuple(shape))


def bind_call(run: Reporter, instr: Instr, callee: Function) -> list[Type]:
    """Check a call; the result types in the caller's symbols."""
    if len(instr.operands) != len(callee.ports):
        names = ", ".join(f"%{p.name}" for p in callee.ports)
        run.report("HV0201", f"`@{callee.name}` takes {plural(len(callee.ports), 'argument')}, "
                   f"{len(instr.operands)} given", instr, note=f"they are ({names})")
        return [ty.ERROR] * len(callee.results)
    found = [run.settle(instr, n, p.type) for n, p in enumerate(callee.ports)]
    binding = _bind(callee, callee.ports, found, instr.operands)
    for position, (port, type_) in enumerate(zip(callee.ports, found, strict=True)):
        _check_argument(run, instr, callee, port, type_, position, binding)
    return [ty.substitute(t, binding) for t in callee.results]


def bind_node(run: Reporter, instr: Instr, callee: Definition) -> list[Type]:
    """Check a node's arguments; the types of its results in the graph's symbols."""
    detail, taken = instr.detail, callee.taken
    if len(instr.operands) != len(taken):
        names = ", ".join(f"%{p.name}" for p in taken)
        run.report("HV0501", f"`@{callee.name}` takes {plural(len(taken), 'argument')}, "
                   f"{len(instr.operands)} given", instr, note=f"they are ({names})",
                   help="`out` ports are results and are not passed")
        return [ty.ERROR] * (len(callee.written) + len(callee.results))
    if not detail.outputs:
        detail.outputs = [Output() for _ in range(len(callee.written) + len(callee.results))]
    if len(detail.outputs) != len(callee.written) + len(callee.results):
        run.report("HV0501", f"`@{callee.name}` gives "
                   f"{plural(len(callee.written) + len(callee.results), 'result')}, "
                   f"{plural(len(detail.outputs), 'output')} written", instr,
                   help="write `_` for a result that needs no form")
        return [ty.ERROR] * (len(callee.written) + len(callee.results))
    found: list[Type] = []
    whole: list[Type] = []
    lifted = False
    for position, (port, argument) in enumerate(zip(taken, detail.arguments, strict=True)):
        type_ = run.settle(instr, position, port.type)
        whole.append(type_)
        if isinstance(type_, StreamType) and not isinstance(port.type, StreamType):
            lifted = True
            type_ = _batched(type_.item, argument.consume)
        if argument.box is not None and isinstance(type_, BufferType):
            type_ = boxed(run, instr, type_, argument.box, position)
        elif argument.box is not None and type_ is not ty.ERROR:
            run.report("HV0211", "only a buffer has a box", instr, position, f"this is {type_}")
        found.append(type_)
    binding = _bind(callee, taken, found, instr.operands)
    written = callee.written
    parts: list[tuple[Port, BufferType]] = []
    for port, output in zip(written, detail.outputs, strict=False):
        if isinstance(output.whole, BufferType) and output.box is not None:
            part = boxed(run, instr, output.whole, output.box, -1)
            _bind_shape(port.type, part, binding)
            parts.append((port, part))
    _bind_rest(callee, binding)
    for port, part in parts:
        _check_shape(run, instr, callee, port, part, binding)
    grid = callee.grid if callee.kind == "leaf" else detail.grid
    if callee.kind == "leaf" and detail.grid:
        run.report("HV0502", f"`@{callee.name}` is a leaf: its grid is in its own header", instr)
    extents = tuple(d.substitute(binding) for d in grid) if callee.kind == "leaf" else detail.grid
    for position, (port, type_) in enumerate(zip(taken, found, strict=True)):
        if isinstance(type_, GridType) and not isinstance(port.type, GridType):
            _check_one_to_one(run, instr, port, type_, extents, position)
        else:
            _check_argument(run, instr, callee, port, type_, position, binding)
    return _outputs(run, instr, callee, taken, whole, binding, extents, lifted)


def node_binding(instr: Instr, callee: Definition) -> Bindings:
    """What the symbols of a node's callee are in the graph's symbols, for a checked node."""
    found: list[Type] = []
    for operand, argument in zip(instr.operands, instr.detail.arguments, strict=True):
        type_ = operand.type
        if isinstance(type_, StreamType):
            type_ = _batched(type_.item, argument.consume)
        if argument.box is not None and isinstance(type_, BufferType):
            type_ = boxed(None, instr, type_, argument.box, -1)
        found.append(type_)
    binding = _bind(callee, callee.taken, found, instr.operands)
    for port, output in zip(callee.written, instr.detail.outputs, strict=False):
        if isinstance(output.whole, BufferType) and output.box is not None:
            _bind_shape(port.type, boxed(None, instr, output.whole, output.box, -1), binding)
    return binding


def _batched(item: Type, count: int) -> Type:
    """What a firing that takes several items sees: they lie along a new leading dimension."""
    if count == 1:
        return item
    if isinstance(item, BufferType):
        return ty.buffer(item.element, (dims.constant(count), *item.shape))
    return ty.buffer(item, (dims.constant(count),)) if isinstance(item, ScalarType) else item


def _unbatched(type_: Type, count: int) -> Type:
    """The items of a result that a firing gives several of."""
    if count == 1 or not isinstance(type_, BufferType) or not type_.rank:
        return type_
    return ty.buffer(type_.element, type_.shape[1:]) if type_.rank > 1 else type_.element


def _outputs(run: Reporter, instr: Instr, callee: Definition, taken: list[Port], whole: list[Type],
             binding: Bindings, extents: tuple[Dim, ...], lifted: bool) -> list[Type]:
    """Result types: written ports in order, then the per-instance results."""
    types: list[Type] = []
    outputs: list[Output] = instr.detail.outputs
    places = {id(port): n for n, port in enumerate(taken)}
    for number, (port, output) in enumerate(zip(callee.written, outputs, strict=False)):
        if port.direction == 3:
            passed = whole[places[id(port)]]
            types.append(passed.item if isinstance(passed, StreamType) and lifted else passed)
        elif output.whole is not None:
            types.append(output.whole)
        else:
            types.append(_fresh(port.type, ty.substitute(port.type, binding), instr, number))
        if output.form:
            run.report("HV0503", f"`{OUTPUT_FORMS[output.form]}` joins results given per instance",
                       instr, note=f"`%{port.name}` is a buffer")
    for type_, output in zip(callee.results, outputs[len(callee.written):], strict=False):
        types.append(_joined(run, instr, type_, output, extents))
    if lifted:
        types = [ty.stream(_unbatched(t, o.produce)) if t is not ty.ERROR else t
                 for t, o in zip(types, outputs, strict=True)]
    return types


def capacity_symbol(result: str | None, port_type: Type) -> str | None:
    """The symbol of the leading extent of a node's result, if it is known only after the run."""
    if not isinstance(port_type, BufferType) or port_type.capacity is None:
        return None
    return f"{result}.{port_type.shape[0].symbol}"


def _fresh(port_type: Type, type_: Type, instr: Instr, number: int) -> Type:
    """A leading extent that is known after the run is a new symbol, named after the result."""
    name = instr.results[number].name if number < len(instr.results) else None
    symbol = capacity_symbol(name or instr.callee, port_type)
    if symbol is None or not isinstance(type_, BufferType):
        return type_
    return ty.buffer(type_.element, (dims.symbol(symbol), *type_.shape[1:]), type_.capacity)


def _joined(run: Reporter, instr: Instr, type_: Type, output: Output,
            extents: tuple[Dim, ...]) -> Type:
    if not isinstance(type_, (ScalarType, VectorType)):
        return type_
    form = OUTPUT_FORMS[output.form]
    if form == "plain":
        return ty.grid(type_, extents) if extents else type_
    if not isinstance(type_, ScalarType):
        run.report("HV0503", f"`{form}` joins scalars", instr, note=f"this result is {type_}")
        return ty.ERROR
    if form == "collect":
        return ty.buffer(type_, extents)
    from hvisa.spec.operations import reduction_takes
    if not reduction_takes(REDUCTIONS[output.operator], type_):
        run.report("HV0210", f"`reduce.{REDUCTIONS[output.operator]}` is not defined on {type_}",
                   instr)
    return type_


def _bind(callee: Definition, ports: list[Port], found: list[Type],
          operands: list[Operand]) -> Bindings:
    binding: Bindings = {}
    for port, operand in zip(ports, operands, strict=True):
        if port.type is ty.INDEX and port.value.name:
            dim = index_dim(operand)
            if dim is not None:
                binding[port.value.name] = dim
    for port, type_ in zip(ports, found, strict=True):
        _bind_shape(port.type, type_, binding)
    return binding


def _bind_shape(wanted: Type, found: Type, binding: Bindings) -> None:
    if isinstance(wanted, StreamType) and isinstance(found, StreamType):
        wanted, found = wanted.item, found.item
    if isinstance(wanted, GridType) and isinstance(found, GridType):
        pairs = list(zip(wanted.extents, found.extents, strict=False))
    elif isinstance(wanted, BufferType) and isinstance(found, BufferType):
        pairs = list(zip(wanted.shape, found.shape, strict=False))
    else:
        return
    for port_dim, dim in pairs:
        symbol = port_dim.symbol
        if symbol is not None:
            binding.setdefault(symbol, dim)


def _bind_rest(callee: Definition, binding: Bindings) -> None:
    """Symbols that arguments do not bind: by a `match` at the top of the callee's body, else by a
    name of their own, so that no symbol of the caller is meant by accident."""
    if all(symbol in binding for symbol in callee.symbols):
        return
    for instr in callee.body.body if callee.body is not None else ():
        found = instr.detail  # the callee may not be verified yet
        if instr.row.form is Form.MATCH and isinstance(found, tuple) and len(found) == 2 \
                and all(type(d) is Dim for d in found):
            for left, right in (found, found[::-1]):
                if left.symbol in callee.symbols and left.symbol not in binding \
                        and all(s in binding for s in right.symbols()):
                    binding[left.symbol] = right.substitute(binding)
    fresh = {p.type.shape[0].symbol for p in callee.ports
             if isinstance(p.type, BufferType) and p.type.capacity is not None}
    for symbol in callee.symbols:
        if symbol not in binding and symbol not in fresh:
            binding[symbol] = dims.symbol(f"@{callee.name}.{symbol}")


def binding_of(instr: Instr, callee: Definition) -> Bindings:
    """What the symbols of a well-typed node's leaf stand for, in the graph's symbols."""
    binding = _bind(callee, callee.taken, [o.type for o in instr.operands], instr.operands)
    _bind_rest(callee, binding)
    return binding


def _check_argument(run: Reporter, instr: Instr, callee: Definition, port: Port, found: Type,
                    position: int, binding: Bindings) -> None:
    if found is ty.ERROR or isinstance(instr.operands[position], Literal):
        return
    _check_shape(run, instr, callee, port, found, binding, position)


def _check_shape(run: Reporter, instr: Instr, callee: Definition, port: Port, found: Type,
                 binding: Bindings, position: int = -1) -> None:
    """Hold what goes to a port, or the box that it writes, against the port's type."""
    try:
        wanted = ty.substitute(port.type, binding)
    except DimError as error:
        run.report("HV0602", str(error), instr, position)
        return
    if wanted is found or run.fits(wanted, found):
        return
    what = "argument" if position >= 0 else "box"
    if isinstance(wanted, BufferType) and isinstance(found, BufferType) \
            and wanted.element is found.element and wanted.rank == found.rank:
        for axis, (a, b) in enumerate(zip(wanted.shape, found.shape, strict=True)):
            if not run.same(a, b):
                run.report("HV0605", f"dimension {axis} of `%{port.name}` of `@{callee.name}` is `{a}`"
                           f", the {what} has `{b}`", instr, position,
                           f"this is {found}, expected {wanted}",
                           f"if they are equal, say so: `match {b} == {a}`")
                return
        return
    run.report("HV0203", f"{what} for `%{port.name}` of `@{callee.name}` has the wrong type", instr,
               position, f"this is {found}, expected {wanted}")


def _check_one_to_one(run: Reporter, instr: Instr, port: Port, found: GridType,
                      extents: tuple[Dim, ...], position: int) -> None:
    if port.type is not found.element:
        run.report("HV0203", f"argument for `%{port.name}` has the wrong type", instr, position,
                   f"each instance gives {found.element}, the port takes {port.type}")
    elif len(found.extents) != len(extents) or not all(map(run.same, found.extents, extents)):
        mine = ", ".join(map(str, extents))
        run.report("HV0504", "a one-to-one edge needs equal grids", instr, position,
                   f"this is {found}, the consumer's grid is ({mine})",
                   "join it at the producer: `-> (collect)` or `-> (reduce.add)`")


