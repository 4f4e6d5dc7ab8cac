"""The parts of instructions that have a form of their own, read after the opcode.

Each function gives the number of results still to be defined, or None if the instruction's regions
follow; operands, detail and the like go into the instruction. The order of the parts is that of
`forms_encoder`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hvisa.assembler.layout import OutputKind, Plan, loop_inits, parameter_counts
from hvisa.assembler.leb128 import unzigzag
from hvisa.assembler.names import default_capacity_name
from hvisa.assembler.operand_decoder import read_generic, read_operand
from hvisa.graph.model import Argument, Box, Definition, Function, Instr, NodeDetail, Output, Region
from hvisa.graph.signatures import capacity_symbol
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.definitions import Form
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import (
    ALL_FAST,
    DIRECTIONS,
    EDGE_KINDS,
    EFFECT_CLASSES,
    OUTPUT_FORMS,
    REDUCTIONS,
    UNIFORMITY,
)
from hvisa.spec.types import Type

if TYPE_CHECKING:
    from hvisa.assembler.body_decoder import BodyDecoder

_UNIFORM_BITS = 2
_OUT = DIRECTIONS.index("out")
MAX_COUNT = 1 << 31  # items of a stream per firing are below it


def _callee(body: BodyDecoder, instr: Instr, function: bool) -> Definition:
    at = body.reader.at
    known = body.tables.definitions
    callee = known[body.reader.below(len(known), "definition", "HV0830")]
    if isinstance(callee, Function) != function:
        body.reader.fail("HV0837", f"`{instr.row.mnemonic}` of a {callee.kind}", at)
    instr.callee = callee.name
    return callee


def _call(body: BodyDecoder, instr: Instr, plan: Plan) -> int:
    instr.fast = body.reader.below(ALL_FAST + 1, "fast mask")
    callee = _callee(body, instr, True)
    instr.operands = [read_operand(body) for _ in callee.ports]
    return len(callee.results)


# -- regions -----------------------------------------------------------------------------------

def _if(body: BodyDecoder, instr: Instr, plan: Plan) -> None:
    read_generic(body, instr, plan)


def _reduce(body: BodyDecoder, instr: Instr, plan: Plan) -> None:
    read_generic(body, instr, plan)
    if len(instr.operands) < 2:
        body.reader.fail("HV0837", "`reduce` over no axis")


def _loop(body: BodyDecoder, instr: Instr, plan: Plan) -> None:
    """`for`, `while`, `loop`: the carried values are defined here, since they may have types."""
    read_generic(body, instr, plan)
    inits = instr.operands[loop_inits(plan.form):]
    if plan.form is Form.LOOP and instr.immediates[0] >= len(inits):
        body.reader.fail("HV0835", f"carried value {instr.immediates[0]} as the condition")
    heads: list[tuple[int, int]] = []
    for _ in inits:
        at = body.reader.at
        heads.append((body.reader.number(), at))
    instr.uniform = tuple(head % len(UNIFORMITY) for head, _ in heads)
    if 0 in instr.uniform:
        body.reader.fail("HV0835", f"a carried value is {UNIFORMITY[0]}")
    instr.regions = tuple(Region() for _ in parameter_counts(plan.form, len(instr.operands)))
    body.enter_region(instr)
    parameters = instr.regions[0].parameters
    if plan.form is Form.FOR:
        parameters.append(body.scope.define())
    carried = [body.scope.define() for _ in inits]
    parameters += carried
    first = len(body.scope.values) - len(carried)
    for number, (value, init, (head, at)) in enumerate(zip(carried, inits, heads, strict=True), first):
        if head >> _UNIFORM_BITS:
            value.type = _carried_type(body, (head >> _UNIFORM_BITS) - 1, number, at)
            body.scope.pending.typed.append((value, init, at))


def _carried_type(body: BodyDecoder, entry: int, number: int, at: int) -> Type:
    """A written type, whose leading extent may be a symbol of the value's own."""
    types = body.tables.types
    if entry >= len(types.entries):
        body.reader.fail("HV0830", f"type {entry}; there are {len(types.entries)}", at)
    types.used[entry] = 1
    type_ = types.entries[entry].type
    if isinstance(type_, ty.BufferType) and type_.capacity is not None \
            and type_.shape[0].symbol == str(number):
        default = default_capacity_name(number)
        name = body.scope.names.capacities.get(number, default)
        if number in body.scope.names.capacities:
            body.extent_names_used += 1
            if name == default:
                body.reader.fail("HV0839", f"the extent `%{name}` has its default name", at)
        body.own_extent(number, name)
    return body.scope.type(entry, at)


# -- graph constructs --------------------------------------------------------------------------

def _dims(body: BodyDecoder) -> tuple[Dim, ...]:
    return tuple(body.scope.dim() for _ in range(body.reader.count("dimensions")))


def _box(body: BodyDecoder) -> Box:
    dim = body.scope.dim
    return tuple((dim(), dim()) for _ in range(body.reader.count("dimensions", 2)))


def _slice(body: BodyDecoder, instr: Instr, plan: Plan) -> int:
    read_generic(body, instr, plan)
    instr.detail = _box(body)
    return 1


def _split(body: BodyDecoder, instr: Instr, plan: Plan) -> int:
    read_generic(body, instr, plan)
    instr.detail = _dims(body)
    if not instr.detail:
        body.reader.fail("HV0837", "`split` without a cut")
    return len(instr.detail) + 1


def _match(body: BodyDecoder, instr: Instr, plan: Plan) -> int:
    at = body.reader.at
    if not body.reader.below(2, "form of `match`"):
        left = body.scope.dim()
        if left.symbol in body.scope.extents.values():
            body.reader.fail("HV0842", "a leading extent stands alone on the right side only", at)
        instr.detail = (left, body.scope.dim())
        return 0
    right = body.scope.dim()
    instr.results = [body.scope.define()]
    instr.detail = (dims.symbol(instr.results[0].name or ""), right)
    return 0


def _delay(body: BodyDecoder, instr: Instr, plan: Plan) -> int:
    init = read_operand(body)
    at = body.reader.at
    number = len(body.scope.values) - unzigzag(body.reader.number())
    known = body.scope.values[number] if 0 <= number < len(body.scope.values) else None
    if known is None:
        if number < len(body.scope.values):
            body.reader.fail("HV0836", f"`next` is value {number}", at)
        body.frames[-1].later.append((instr, number, at))
    # The place of a value further down is taken by the init until the region ends.
    instr.operands = [init, init if known is None else known]
    return 1


def _node(body: BodyDecoder, instr: Instr, plan: Plan) -> int:
    reader = body.reader
    callee = _callee(body, instr, False)
    taken, written = body.tables.ports(callee)
    body.nodes += 1
    body.edges += taken
    grid = _dims(body)
    first = len(body.scope.values)
    ids = [body.scope.define(ty.INDEX) for _ in grid]
    instr.operands = [read_operand(body) for _ in range(taken)]
    arguments = [_argument(body) for _ in range(taken)]
    outputs = [_output(body) for _ in range(len(written) + len(callee.results))]
    effect = reader.below(len(EFFECT_CLASSES), "effect class")
    instr.detail = NodeDetail(grid, ids, arguments, outputs, effect)
    body.scope.forget(first, len(body.scope.values))
    at = reader.at
    first = len(body.scope.values)
    instr.results = [body.scope.define() for _ in outputs]
    for number, (port, output) in enumerate(zip(written, outputs, strict=False)):
        value = instr.results[number]
        symbol = capacity_symbol(value.name, port.type)
        if port.direction == _OUT and output.whole is None and symbol is not None:
            body.own_extent(first + number, symbol)
            body.scope.pending.extents.append((value, symbol, at))
    return 0


def _count(body: BodyDecoder) -> int:
    """A number of items that is not the default of 1."""
    at = body.reader.at
    found = body.reader.below(MAX_COUNT, "items")
    if found < 2:
        body.reader.fail("HV0839", f"{found} items", at)
    return found


def _argument(body: BodyDecoder) -> Argument:
    flags = body.reader.below(8, "flags of an argument")
    box = _box(body) if flags & 2 else None
    return Argument(box, flags % len(EDGE_KINDS), _count(body) if flags & 4 else 1)


def _output(body: BodyDecoder) -> Output:
    reader = body.reader
    kind = OutputKind(reader.below(len(OutputKind), "kind of an output"))
    if kind is OutputKind.SEVERAL:
        return Output(produce=_count(body))
    if kind is OutputKind.BOX:
        at = reader.at
        return Output(whole=body.scope.type(body.tables.types.lookup(reader), at), box=_box(body))
    if kind is OutputKind.REDUCE:
        at = reader.at
        operator = reader.below(len(REDUCTIONS), "operator")
        if REDUCTIONS[operator].startswith("arg"):
            reader.fail("HV0835", f"`{REDUCTIONS[operator]}` does not join results of a grid", at)
        return Output(OUTPUT_FORMS.index("reduce"), operator)
    return Output(OUTPUT_FORMS.index("collect") if kind is OutputKind.COLLECT else 0)


FORMS: dict[Form, Callable[[BodyDecoder, Instr, Plan], int | None]] = {
    Form.CALL: _call, Form.IF: _if, Form.FOR: _loop, Form.WHILE: _loop, Form.LOOP: _loop,
    Form.REDUCE: _reduce, Form.NODE: _node, Form.BOX: _slice, Form.PARTS: _split,
    Form.MATCH: _match, Form.DELAY: _delay}
