"""The parts of instructions that have a form of their own, written after the opcode.

The order is that of the decoder: immediates, fast mask, type, callee, count, operands, the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from hvisa.assembler.layout import OutputKind, Plan, loop_inits
from hvisa.assembler.operand_encoder import write_dim, write_generic, write_operand, write_type
from hvisa.graph.model import Box, Definition, Function, Instr, NodeDetail, Output, Value
from hvisa.spec.definitions import Form
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import DIRECTIONS, OUTPUT_FORMS, REDUCTIONS
from hvisa.spec.types import BufferType, Type

if TYPE_CHECKING:
    from hvisa.assembler.body_encoder import BodyEncoder

_REDUCE = OUTPUT_FORMS.index("reduce")
_OUT = DIRECTIONS.index("out")


def _results(body: BodyEncoder, instr: Instr, wanted: int) -> None:
    if len(instr.results) != wanted:
        raise body.error(f"{len(instr.results)} results")
    body.define(instr.results)


def _callee(body: BodyEncoder, instr: Instr) -> Definition:
    number = body.tables.definitions.get(instr.callee or "")
    if number is None:
        raise body.error(f"`@{instr.callee}` is not defined in the module")
    body.writer.number(number)
    return body.tables.module.definitions[cast(str, instr.callee)]


def _operands(body: BodyEncoder, instr: Instr, wanted: int) -> None:
    if len(instr.operands) != wanted:
        raise body.error(f"{len(instr.operands)} operands")
    for operand in instr.operands:
        write_operand(body, operand)


def _call(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    body.writer.number(instr.fast)
    callee = _callee(body, instr)
    if not isinstance(callee, Function):
        raise body.error(f"`@{callee.name}` is a {callee.kind}")
    _operands(body, instr, len(callee.ports))
    _results(body, instr, len(callee.results))


# -- regions -----------------------------------------------------------------------------------

def _loop(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    """`for`, `while`, `loop`: the class of each carried value, and its type if not the init's."""
    write_generic(body, instr, plan)
    first = loop_inits(plan.form)
    parameters = instr.regions[0].parameters
    shift = len(parameters) - (len(instr.operands) - first)
    carried, inits = parameters[shift:], instr.operands[first:]
    if shift != (plan.form is Form.FOR) or len(instr.uniform) != len(inits):
        raise body.error("carried values and inits differ in number")
    if plan.form is Form.LOOP and instr.immediates[0] >= len(inits):
        raise body.error("the condition is no carried value")
    base = len(body.numbers) + shift
    for position, (value, init, uniform) in enumerate(zip(carried, inits, instr.uniform,
                                                          strict=True)):
        if not uniform:
            raise body.error("a carried value is no constant")
        if value.type is init.type:
            body.writer.number(uniform)
        else:
            _own_extent(body, value.type, base + position)
            write_type(body, value.type, 4, 4 + uniform)


def _own_extent(body: BodyEncoder, type_: Type, number: int) -> None:
    """A written type may bring the symbol of its leading extent with it."""
    if not isinstance(type_, BufferType) or type_.capacity is None:
        return
    symbol = type_.shape[0].symbol
    if symbol is not None and symbol not in body.names:
        body.name(symbol, number)
        body.extents[number] = body.own_extents[number] = symbol


def _generic(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    if plan.form is Form.REDUCE and len(instr.operands) < 2:
        raise body.error("there is no axis")
    write_generic(body, instr, plan)


# -- graph constructs --------------------------------------------------------------------------

def _box(body: BodyEncoder, box: Box) -> None:
    body.writer.number(len(box))
    for offset, length in box:
        write_dim(body, offset)
        write_dim(body, length)


def _dims(body: BodyEncoder, dims: tuple[Dim, ...]) -> None:
    body.writer.number(len(dims))
    for dim in dims:
        write_dim(body, dim)


def _slice(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    write_generic(body, instr, plan)
    _box(body, instr.detail)
    _results(body, instr, 1)


def _split(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    write_generic(body, instr, plan)
    if not instr.detail:
        raise body.error("there is no cut")
    _dims(body, instr.detail)
    _results(body, instr, len(instr.detail) + 1)


def _match(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    """1 and the right side if the left one is a new symbol, the result; else 0 and both sides."""
    left, right = instr.detail
    body.writer.number(len(instr.results))
    if not instr.results:
        if left.symbol is not None and body.names[left.symbol] in body.extents:
            raise body.error("a leading extent stands alone on the right side only")
        write_dim(body, left)
    elif len(instr.results) > 1 or left.symbol != instr.results[0].name:
        raise body.error("the left side is not the result")
    write_dim(body, right)
    body.define(instr.results)


def _delay(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    if len(instr.operands) != 2 or not isinstance(instr.operands[1], Value):
        raise body.error("`next` is a value")
    write_operand(body, instr.operands[0])
    body.later.append((instr, len(body.numbers)))
    body.writer.refer(body.delays, instr)
    _results(body, instr, 1)


def _node(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    callee = _callee(body, instr)
    if isinstance(callee, Function):
        raise body.error(f"`@{callee.name}` is a function")
    detail: NodeDetail = instr.detail
    results = len(callee.written) + len(callee.results)
    outputs = detail.outputs or [Output() for _ in range(results)]
    if len(detail.arguments) != len(instr.operands) or len(outputs) != results \
            or len(detail.ids) != len(detail.grid):
        raise body.error("arguments, outputs or ids differ in number")
    body.nodes += 1
    body.edges += len(instr.operands)
    _dims(body, detail.grid)
    mark = len(body.added)
    body.define(detail.ids)
    _operands(body, instr, len(callee.taken))  # they may be the ids
    for argument in detail.arguments:
        body.writer.number(argument.edge | (argument.box is not None) << 1
                           | (argument.consume != 1) << 2)
        if argument.box is not None:
            _box(body, argument.box)
        if argument.consume != 1:
            body.writer.number(argument.consume)
    for output in outputs:
        _output(body, output)
    body.writer.number(detail.effect)
    for name in body.added[mark:]:
        del body.names[name]
    del body.added[mark:]
    _results(body, instr, results)
    for value, port, output in zip(instr.results, callee.written, outputs, strict=False):
        _fresh_extent(body, value, port.direction, output)


def _output_kind(output: Output) -> OutputKind:
    if output.box is not None:
        return OutputKind.BOX
    if output.form:
        return OutputKind.REDUCE if output.form == _REDUCE else OutputKind.COLLECT
    return OutputKind.SEVERAL if output.produce != 1 else OutputKind.PLAIN


def _output(body: BodyEncoder, output: Output) -> None:
    kind = _output_kind(output)
    body.writer.number(kind)
    parts = (output.form, output.box is not None, output.produce != 1)
    if sum(map(bool, parts)) > 1 or (output.whole is None) != (output.box is None):
        raise body.error("an output has parts that do not go together")
    if kind is OutputKind.REDUCE:
        if REDUCTIONS[output.operator].startswith("arg"):
            raise body.error(f"`{REDUCTIONS[output.operator]}` does not join the results of a grid")
        body.writer.number(output.operator)
    if output.whole is not None and output.box is not None:
        write_type(body, output.whole)
        _box(body, output.box)
    if kind is OutputKind.SEVERAL:
        body.writer.number(output.produce)


def _fresh_extent(body: BodyEncoder, value: Value, direction: int, output: Output) -> None:
    """The leading extent of an `out` buffer with a capacity is a symbol of its own."""
    type_ = value.type
    if direction != _OUT or output.whole is not None or not isinstance(type_, BufferType) \
            or type_.capacity is None:
        return
    symbol = type_.shape[0].symbol
    if symbol is not None:
        number = body.numbers[value]
        body.name(symbol, number)
        body.extents[number] = symbol


FORMS: dict[Form, Callable[[BodyEncoder, Instr, Plan], None]] = {
    Form.CALL: _call, Form.IF: _generic, Form.FOR: _loop, Form.WHILE: _loop, Form.LOOP: _loop,
    Form.REDUCE: _generic, Form.NODE: _node, Form.BOX: _slice, Form.PARTS: _split,
    Form.MATCH: _match, Form.DELAY: _delay}
