"""The parts of an instruction that most rows have: immediates, type, operands, displacements.

An operand is `distance << 1` for a value (distance 1 is the newest) or `entry << 1 | 1` for an entry
of the table of constants. Operands come out in their one form, whatever form a builder gave them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.assembler import layout
from hvisa.assembler.layout import INT, TEXT, Plan
from hvisa.assembler.leb128 import unsigned
from hvisa.assembler.shapes import encode_dim
from hvisa.graph.model import Constant, DimValue, GlobalRef, Instr, Literal, Operand, Value
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.limits import LIMITS
from hvisa.spec.literals import integer_value
from hvisa.spec.types import Type

if TYPE_CHECKING:
    from hvisa.assembler.body_encoder import BodyEncoder

_I64 = range(-(1 << 63), 1 << 63)
MAX_INTEGER = 1 << 31  # integer immediates are below it


def write_generic(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    """Everything but the opcode, as the plan says."""
    if plan.immediates or instr.immediates:
        _immediates(body, instr, plan)
    if plan.fast:
        body.writer.number(instr.fast)
    if plan.type_argument:
        _type_argument(body, instr, plan)
    operands = instr.operands
    extra = len(operands) - plan.fixed
    if extra < 0 or (extra and not plan.variadic):
        raise body.error(f"{len(operands)} operands")
    if plan.access:
        _access(body, instr, plan, extra)
        return
    if plan.variadic:
        body.writer.number(extra)
    for operand in operands:
        write_operand(body, operand)


def _immediates(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    if len(instr.immediates) != len(plan.immediates):
        raise body.error(f"{len(instr.immediates)} immediates")
    for value, kind in zip(instr.immediates, plan.immediates, strict=True):
        if kind >= INT:
            _immediate(body, value, kind)
        elif kind == TEXT:
            body.writer.string(body.tables.strings, value.encode())
        else:
            body.writer.number(len(value))
            for number in value:
                _immediate(body, number, INT)


def _immediate(body: BodyEncoder, value: int, kind: int) -> None:
    """A choice of `kind` words, or an integer."""
    if not 0 <= value < (MAX_INTEGER if kind == INT else kind):
        raise body.error(f"an immediate is {value}")
    body.writer.number(value)


def _type_argument(body: BodyEncoder, instr: Instr, plan: Plan) -> None:
    type_ = instr.type_argument
    optional = plan.type_argument == 2
    if type_ is None:
        if not optional:
            raise body.error("its type is missing")
        body.writer.number(0)
    else:
        write_type(body, type_, 1, int(optional))


def write_type(body: BodyEncoder, type_: Type, scale: int = 1, bias: int = 0) -> None:
    """A type, as `scale` times its number plus `bias`."""
    if type_ is ty.ERROR:
        raise body.error("a type is not known; complete the module first")
    types = body.tables.types
    body.writer.refer(types, types.key(type_, body.names), scale, bias)


def _access(body: BodyEncoder, instr: Instr, plan: Plan, extra: int) -> None:
    """An access: operands and displacements, which stand on values only."""
    operands, offsets = instr.operands, instr.offsets
    if offsets and len(offsets) != extra:
        raise body.error(f"{len(offsets)} displacements for {extra} indices")
    if offsets or any(o.__class__ is DimValue for o in operands[plan.fixed:]):
        pairs = [_displaced(body, o, n) for o, n in
                 zip(operands[plan.fixed:], offsets or (0,) * extra, strict=True)]
        operands = operands[:plan.fixed] + [o for o, _ in pairs]
        offsets = tuple(n for _, n in pairs)
    moved = any(offsets)
    body.writer.number(extra << 1 | moved)
    for operand in operands:
        write_operand(body, operand)
    if moved:
        for offset in offsets:
            if abs(offset) > LIMITS["displacement"].value:
                raise body.error(f"the displacement {offset}")
            body.writer.signed(offset)


def _displaced(body: BodyEncoder, operand: Operand, offset: int) -> tuple[Operand, int]:
    """A constant takes its displacement in; a symbol plus a constant is a displaced value."""
    if isinstance(operand, Value):
        return operand, offset
    if isinstance(operand, Constant):
        return (Constant(operand.type, _bits(body, integer_value(operand.bits, operand.type)
                                                  + offset)) if offset else operand), 0
    if not isinstance(operand, DimValue):
        return operand, offset
    dim = operand.dim + offset
    rest = dim - dim.offset()
    if rest.symbol is None:
        return DimValue(dim), 0
    return DimValue(rest), dim.offset()


def _bits(body: BodyEncoder, value: int) -> int:
    if value not in _I64:
        raise body.error(f"{value} is beyond `index`")
    return value & (1 << 64) - 1


def write_operand(body: BodyEncoder, operand: Operand) -> None:
    """One operand: a distance, or an entry of the table of constants."""
    if isinstance(operand, Value):
        body.writer.number(len(body.numbers) - body.numbers[operand] << 1)
        return
    if isinstance(operand, DimValue):
        constant, symbol = operand.dim.constant, operand.dim.symbol
        if symbol is not None:
            _symbol(body, symbol)
            return
        if constant is not None:
            operand = Constant(ty.INDEX, _bits(body, constant))
    pool = body.tables.pool
    if isinstance(operand, Constant):
        type_ = operand.type
        key = bytes((type_.code,)) + operand.bits.to_bytes(type_.size_bytes, "little")
    elif isinstance(operand, DimValue):
        key = unsigned(layout.POOL_DIMENSION) + encode_dim(operand.dim, body.names)
    elif isinstance(operand, GlobalRef):
        number = body.tables.constants.get(operand.name)
        if number is None:
            raise body.error(f"`@{operand.name}` is no constant of the module")
        key = unsigned(layout.POOL_DATA) + unsigned(number)
    else:
        assert isinstance(operand, Literal), operand
        raise body.error(f"the type of `{operand.text}` is open; complete the module first")
    body.writer.refer(pool, pool.use(key), 2, 1)


def _symbol(body: BodyEncoder, symbol: str) -> None:
    """A dimension that is a value and no more is that operand."""
    number = body.names[symbol]
    if number in body.extents:
        raise body.error(f"the extent `%{symbol}` can't be an operand alone")
    body.writer.number(len(body.numbers) - number << 1)


def write_dim(body: BodyEncoder, dim: Dim) -> None:
    body.writer.out += encode_dim(dim, body.names)
