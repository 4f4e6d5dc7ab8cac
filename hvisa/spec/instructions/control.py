"""Control: structured, with carried values; `reduce`; calls, assertions and debug output.

`for` is strictly serial; `reduce` has a fixed order that lanes, threads and devices can share
(semantics 11). Loop-carried values are varying unless marked `uniform` (semantics 18).
"""

from __future__ import annotations

from typing import Any

from hvisa.spec import types as ty
from hvisa.spec.definitions import (
    Effect,
    Form,
    Immediate,
    ImmediateKind,
    InstrDef,
    Level,
    TypeRuleError,
    choice,
    construct,
)
from hvisa.spec.instructions.vector import check_reduction
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.types import ScalarType, Type

GROUP = "control"


def _condition(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
               immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    if not operands or operands[0] is not ty.I1:
        raise TypeRuleError("HV0401", f"the condition of `{row.mnemonic}` is an i1", 0,
                            f"this is {operands[0]}" if operands else "",
                            "compare it first: `%c = ne %x, 0`")
    return ()


def _any_operands(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                  immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    return ()


def _range(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
           immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    low = operands[0]
    if type(low) is not ScalarType or not low.is_integer:
        raise TypeRuleError("HV0202", f"`for` does not count in {low}", 0, f"this is {low}",
                            "count in `index` or another integer type")
    for position in (1, 2):
        if operands[position] is not low:
            raise TypeRuleError("HV0203", "the bounds and step of `for` have one type", position,
                                f"this is {operands[position]}, the lower bound is {low}")
    return ()


def _reduce_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                 immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    """Operands: lower and upper bound of each axis, then `init` if written."""
    op = REDUCTIONS[immediates[0]]
    if type(argument) is not ScalarType:
        raise TypeRuleError("HV0205", "`reduce` needs its element type",
                            help="for example `reduce.add f32 over (%k in 0 .. %n) { ... }`")
    check_reduction(row, op, argument, -1)
    bounds = len(operands) - len(operands) % 2
    for position in range(bounds):
        if operands[position] is not ty.INDEX:
            raise TypeRuleError("HV0213", "the bounds of `reduce` have type `index`", position,
                                f"this is {operands[position]}")
    if bounds < len(operands) and operands[-1] is not argument:
        raise TypeRuleError("HV0203", "`init` has the element type", len(operands) - 1,
                            f"this is {operands[-1]}, elements are {argument}")
    if op.startswith("arg") and bounds < len(operands):
        raise TypeRuleError("HV0216", f"`reduce.{op}` takes no init", len(operands) - 1)
    return (argument, ty.INDEX) if op.startswith("arg") else (argument,)


construct("if", "condition: i1", """Run one of two regions.

Both yield the same types, which are the results; without results `else` may be left out. In a leaf
an instance runs only the region that it takes. Example:
`%r = if %c { yield %a } else { yield %b }`
""", group=GROUP, form=Form.IF, level=Level.ANY, effect=Effect.CONTROL, regions=2,
          type_rule=_condition)

construct("for", "low: T, high: T, step: T, init*: any", """Count from low up to, not including, high.

Carried values start as their inits and take what the body yields; zero rounds give the inits. The
number of rounds is exact, whatever the type's range; a step below 1 traps (HV0904). Rounds are in
order. Example: `%s = for %k in 0 .. %n carry (%a = %zero) { ... yield %b }`
""", on="int", group=GROUP, form=Form.FOR, level=Level.ANY, effect=Effect.CONTROL, regions=1,
          traps={"HV0904": None}, type_rule=_range)

construct("while", "init*: any", """Repeat while a condition holds.

The first region computes it and ends with `check`; the second is the body and yields the carried
values. Results are the carried values when the check failed. Example:
`%r = while (%x = %start) { ... check %c } do { ... yield %y }`
""", group=GROUP, form=Form.WHILE, effect=Effect.CONTROL, regions=2, type_rule=_any_operands)

construct("loop", "init*: any", """Repeat a part of a graph until a carried i1 is true.

The condition is one of the carried values and is looked at before each round, so a true init gives
zero rounds. Example:
`%x, %done = loop (%x0 = %a, %d0 = false) until %d0 { ... yield %x1, %d1 }`
""", group=GROUP, form=Form.LOOP, level=Level.GRAPH, effect=Effect.CONTROL, regions=1,
          immediates=(Immediate("condition", ImmediateKind.INT),), type_rule=_any_operands)

construct("reduce", "bounds*: index", """Join the yielded values of a range by an operator.

Order (semantics 11): elements in row-major order of the axes, in blocks of 4096; in a block 64
partial results of the elements with equal index modulo 64, joined by halves; blocks joined pairwise.
f16 and bf16 accumulate in f32 and round once at the end. With `init` the result is init op r, and
init if the range is empty; without it an empty range gives the operator's identity. argmin and argmax
give the value and its position: the first NaN, else the best, ties to the lowest; -1 if empty. The
body sees no carried value. Example:
`%s = reduce.add f32 over (%k in 0 .. %n) { ... yield %x }`
""", group=GROUP, form=Form.REDUCE, effect=Effect.CONTROL, regions=1, type_argument="needed",
          fast=True, immediates=(choice("operator", *REDUCTIONS),), type_rule=_reduce_rule)

construct("yield", "value*: any", "End a region and give its values to the enclosing construct.",
          group=GROUP, level=Level.ANY, effect=Effect.CONTROL, terminator=True,
          type_rule=_any_operands)

construct("check", "condition: i1", "End the first region of `while`: go on while it is true.",
          group=GROUP, effect=Effect.CONTROL, terminator=True, type_rule=_condition)

construct("call", "argument*: any", """The results of a function.

Functions take scalars, vectors and `in` buffers, may trap, and never call themselves. An `extern`
function runs on the host and must be allowed by it. Example: `%y = call @gelu(%x)`
""", group=GROUP, form=Form.CALL, effect=Effect.CALL, fast=True)

construct("assert", "condition: i1", """Trap (HV0903) with a message unless the condition holds.

Example: `assert %ok, "row pointers must not decrease"`
""", group=GROUP, immediates=(Immediate("message", ImmediateKind.TEXT),), traps={"HV0903": None},
          type_rule=_condition)

construct("print", "value*: any", """Write a line for debugging; each `{}` stands for the next operand.

There are as many `{}` as operands.

The order between instances is open. Devices without a host console drop it and say so. Example:
`print "x = {}", %x`
""", group=GROUP, effect=Effect.PRINT, immediates=(Immediate("format", ImmediateKind.TEXT),),
          type_rule=_any_operands)
