"""Memory: loads and stores with bounds forms, atomics, private arrays (semantics 1 to 3, 19, 21)."""

from __future__ import annotations

from typing import Any

from hvisa.diagnostics import plural
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
from hvisa.spec.operations import ATOMICS, LOAD_BOUNDS, STORE_BOUNDS, UPDATES, update_takes
from hvisa.spec.types import BufferType, Type, VectorType

GROUP = "memory"


def _buffer(row: InstrDef, operands: tuple[Type, ...], position: int, indexed: bool) -> BufferType:
    """The buffer at `position`; the operands after it are its indices, one for each dimension."""
    if len(operands) <= position:
        raise TypeRuleError("HV0201", f"`{row.mnemonic}` takes a buffer access `%b[...]`")
    found = operands[position]
    if type(found) is not BufferType:
        raise TypeRuleError("HV0211", f"`{row.mnemonic}` needs a buffer", position,
                            f"this is {found}")
    if not indexed:
        return found
    indices = operands[position + 1:]
    if len(indices) != found.rank:
        raise TypeRuleError("HV0212", f"{found} has {plural(found.rank, 'dimension')}, indices given: "
                            f"{len(indices)}", position, help="write one index for each dimension")
    for offset, index in enumerate(indices):
        if index is not ty.INDEX:
            raise TypeRuleError("HV0213", "a buffer index has type `index`", position + 1 + offset,
                                f"this is {index}", "convert it first: `%c = convert index ...`")
    return found


def _load_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
               immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    buffer = _buffer(row, operands, 0, True)
    if argument is None:
        return (buffer.element,)
    if ty.element_of(argument) is not buffer.element:
        raise TypeRuleError("HV0203", f"`load {argument}` from {buffer}", 0,
                            f"elements are {buffer.element}",
                            "a buffer can't be viewed at another element type; use `bitcast`")
    if type(argument) is VectorType and buffer.rank == 0:
        raise TypeRuleError("HV0212", "a vector is loaded along the last dimension", 0,
                            "this buffer has none")
    return (argument,)


def _store_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    buffer = _buffer(row, operands, 1, True)
    if ty.element_of(operands[0]) is not buffer.element:
        raise TypeRuleError("HV0203", f"`store` of {operands[0]} into {buffer}", 0,
                            f"this is {operands[0]}, elements are {buffer.element}",
                            f"convert it first: `%c = convert {buffer.element} ...`")
    if type(operands[0]) is VectorType and buffer.rank == 0:
        raise TypeRuleError("HV0212", "a vector is stored along the last dimension", 1,
                            "this buffer has none")
    return ()


def _atomic_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                 immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    values = 2 if row.mnemonic == "compare_exchange" else 1
    buffer = _buffer(row, operands, values, True)
    for position in range(values):
        if operands[position] is not buffer.element:
            raise TypeRuleError("HV0203", f"`{row.mnemonic}` of {operands[position]} into {buffer}",
                                position, f"this is {operands[position]}, elements are "
                                f"{buffer.element}")
    if row.immediates:
        op = row.immediates[0].choices[immediates[0]]
        if not update_takes(op, buffer.element):
            raise TypeRuleError("HV0210", f"`{row.mnemonic}.{op}` is not defined on "
                                f"{buffer.element}", values, f"this is {buffer}")
    return () if row.mnemonic == "update" else (buffer.element,)


def _extent_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                 immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    buffer = _buffer(row, operands, 0, False)
    if len(operands) != 1:
        raise TypeRuleError("HV0201", f"`extent` takes 1 operand, {len(operands)} given")
    if immediates[0] >= buffer.rank:
        raise TypeRuleError("HV0212", f"dimension {immediates[0]} of {buffer} does not exist", 0,
                            help=f"dimensions are 0 to {buffer.rank - 1}")
    return (ty.INDEX,)


def _set_extent_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                     immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    buffer = _buffer(row, operands, 0, False)
    if len(operands) != 2 or operands[1] is not ty.INDEX:
        raise TypeRuleError("HV0201", "`set_extent` takes a buffer and an `index`")
    if buffer.capacity is None:
        raise TypeRuleError("HV0214", "only an extent written `?f <= %n` can be set", 0,
                            f"this is {buffer}")
    return ()


def _local_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    if type(argument) is not BufferType:
        raise TypeRuleError("HV0205", "`local` needs a buffer type",
                            help="for example `%t = local buf<f32>[16]`")
    if any(d.constant is None for d in argument.shape) or argument.capacity is not None:
        raise TypeRuleError("HV0215", "a private array has constant extents", -1,
                            f"this is {argument}", "use `scratch` in the parent graph for sizes "
                            "known at launch")
    return (argument,)


construct("load", "buffer: buffer, index*: index -> element", """The element at an index.

Out of bounds: `load` traps (HV0902), `load.zero` gives 0, `load.clamp` takes the nearest element
(0 of an empty buffer). An index may carry a constant displacement, added exactly: `%x[%i - 1, %j]`.
With a vector type, consecutive elements of the last dimension, each with the bounds form by itself:
`%v = load vec<f32, 4> %x[%i]`. Bits are kept.
""", group=GROUP, form=Form.ACCESS, effect=Effect.READ, type_argument="optional",
          immediates=(choice("bounds", *LOAD_BOUNDS),), traps={"HV0902": None},
          type_rule=_load_rule)

construct("store", "value: T, buffer: buffer, index*: index", """Write an element at an index.

Out of bounds: `store` traps (HV0902), `store.skip` writes nothing. A vector is written to consecutive
elements of the last dimension. Others see the write at the next barrier (same parent) or at the
launch's end. Example: `store %s, %y[%i]`
""", group=GROUP, form=Form.ACCESS, effect=Effect.WRITE, traps={"HV0902": None},
          immediates=(choice("bounds", *STORE_BOUNDS),), type_rule=_store_rule)

construct("update", "value: T, buffer: buffer, index*: index",
          """Join a value into an element, as one step.

The only access that an `accumulate` port allows; the old value is not seen. Integer add wraps; min
and max are those of the instructions. A floating add is `nondeterministic`, since its order is open.
Out of bounds traps (HV0902), `update.add.skip` writes nothing. Example: `update.add 1, %h[%b]`
""", group=GROUP, form=Form.ACCESS, effect=Effect.ATOMIC, traps={"HV0902": None},
          immediates=(choice("operator", *UPDATES), choice("bounds", *STORE_BOUNDS)),
          type_rule=_atomic_rule)

construct("atomic", "value: T, buffer: buffer, index*: index -> T",
          """Join a value into an element as one step, and give the old value.

Relaxed order; needs a `shared` port and makes the node `nondeterministic`. Out of bounds traps
(HV0902). Example: `%slot = atomic.add 1, %count[0]`
""", group=GROUP, form=Form.ACCESS, effect=Effect.ATOMIC, traps={"HV0902": None},
          immediates=(choice("operator", *ATOMICS),), type_rule=_atomic_rule)

construct("compare_exchange", "expected: T, value: T, buffer: buffer, index*: index -> T",
          """Write `value` if the element's bits equal those of `expected`; give the old value.

Relaxed order; needs a `shared` port and makes the node `nondeterministic`. Out of bounds traps
(HV0902). Example: `%old = compare_exchange %free, %mine, %lock[%i]`
""", group=GROUP, form=Form.ACCESS, effect=Effect.ATOMIC, traps={"HV0902": None},
          type_rule=_atomic_rule)

construct("extent", "buffer: buffer -> index",
          "The number of elements along a dimension. Example: `%n = extent %x, 0`", group=GROUP,
          immediates=(Immediate("dimension", ImmediateKind.INT),), type_rule=_extent_rule)

construct("set_extent", "buffer: buffer, count: index",
          """Say how many leading elements of an `out` buffer with a capacity are valid.

Only in a node without grid, outside loops and conditions; traps (HV0905) when negative or beyond the
capacity. Without it the extent is the capacity. Example: `set_extent %frontier, %count`
""", group=GROUP, level=Level.LEAF, effect=Effect.WRITE, traps={"HV0905": None},
          type_rule=_set_extent_rule)

construct("local", "-> buffer", """A private array of one instance, zero at first.

Extents are constants; the whole of an instance's private arrays is limited. Example:
`%t = local buf<f32>[16]`
""", group=GROUP, form=Form.BUFFER, type_argument="needed", type_rule=_local_rule)
