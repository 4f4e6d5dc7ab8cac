"""The parts of an instruction that most rows have: the mirror of `operand_encoder`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.assembler.layout import INT, TEXT, Plan
from hvisa.graph.model import DimValue, Instr, Operand, Value
from hvisa.spec import operations
from hvisa.spec.limits import LIMITS

if TYPE_CHECKING:
    from hvisa.assembler.body_decoder import BodyDecoder

MAX_INTEGER = 1 << 31


def read_operand(body: BodyDecoder) -> Operand:
    """The operand that stands next."""
    at = body.reader.at
    code = body.reader.number()
    if code & 1:
        return read_pooled(body, code >> 1, at)
    distance = code >> 1
    values = body.scope.values
    value = values[-distance] if 0 < distance <= len(values) else None
    if value is None:
        body.reader.fail("HV0836", f"{distance} values back", at)
    return value


def read_pooled(body: BodyDecoder, number: int, at: int) -> Operand:
    tables = body.tables
    if number >= len(tables.pool):
        body.reader.fail("HV0830", f"constant {number}; there are {len(tables.pool)}", at)
    tables.pool_used[number] = 1
    found = tables.pool[number]
    if found is not None:
        return found
    dim, symbols = tables.dims[number]
    tables.charge(body.reader, dim.size)
    return DimValue(body.scope.rename(dim, symbols, at))


def read_generic(body: BodyDecoder, instr: Instr, plan: Plan) -> None:
    """Everything but the opcode, as the plan says."""
    reader = body.reader
    if plan.immediates:
        instr.immediates = tuple(_immediate(body, kind) for kind in plan.immediates)
    if plan.fast:
        instr.fast = reader.below(operations.ALL_FAST + 1, "fast mask")
    if plan.type_argument:
        _type_argument(body, instr, plan)
    if plan.access:
        _access(body, instr, plan)
        return
    count = plan.fixed + (reader.count("operands") if plan.variadic else 0)
    instr.operands = [read_operand(body) for _ in range(count)]


def _immediate(body: BodyDecoder, kind: int) -> object:
    reader = body.reader
    if kind > 0:
        return reader.below(kind, "choice")
    if kind == TEXT:
        return body.tables.strings.get(reader)
    if kind == INT:
        return reader.below(MAX_INTEGER, "immediate")
    return tuple(reader.below(MAX_INTEGER, "immediate")
                 for _ in range(reader.count("immediates")))


def _type_argument(body: BodyDecoder, instr: Instr, plan: Plan) -> None:
    at = body.reader.at
    if plan.type_argument == 2:
        number = body.reader.below(len(body.tables.types.entries) + 1, "type", "HV0830") - 1
        if number < 0:
            return
        body.tables.types.used[number] = 1
    else:
        number = body.tables.types.lookup(body.reader)
    instr.type_argument = body.scope.type(number, at)


def _access(body: BodyDecoder, instr: Instr, plan: Plan) -> None:
    reader = body.reader
    head = reader.number()
    indices = head >> 1
    if indices > reader.end - reader.at:
        reader.fail("HV0826", f"{indices} indices, {reader.end - reader.at} bytes left")
    start = reader.at
    operands = instr.operands = [read_operand(body) for _ in range(plan.fixed + indices)]
    for index in operands[plan.fixed:]:
        if index.__class__ is DimValue and _is_displaced(index):
            reader.fail("HV0839", "a symbol plus a constant is a displaced value", start)
    if not head & 1:
        return
    start = reader.at
    offsets = tuple(reader.signed() for _ in range(indices))
    if not any(offsets):
        reader.fail("HV0839", "no displacement differs from 0", start)
    for index, offset in zip(operands[plan.fixed:], offsets, strict=True):
        if offset and index.__class__ is not Value:
            reader.fail("HV0839", "a displacement stands on a constant", start)
        reader.limit(LIMITS["displacement"], abs(offset))
    instr.offsets = offsets


def _is_displaced(index: Operand) -> bool:
    assert isinstance(index, DimValue)
    return (index.dim - index.dim.offset()).symbol is not None
