"""Graph constructs: nodes, views, parts, delay edges (semantics 1 to 9).

Inside a graph, buffers are values: a construct takes versions and makes new ones. `reserved` rows have
a number and no meaning yet (semantics 29).
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
    construct,
)
from hvisa.spec.types import BufferType, Type

GROUP = "graph"


def _buffer_argument(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                     immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    if type(argument) is not BufferType or argument.capacity is not None:
        raise TypeRuleError("HV0205", f"`{row.mnemonic}` needs a buffer type",
                            help=f"for example `%t = {row.mnemonic} buf<f32>[32, 32]`")
    return (argument,)


def _join_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
               immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    axis = immediates[0]
    first = operands[0] if operands else None
    if len(operands) < 2 or type(first) is not BufferType:
        raise TypeRuleError("HV0201", "`join` takes two buffers or more")
    if axis >= first.rank:
        raise TypeRuleError("HV0212", f"dimension {axis} of {first} does not exist", 0)
    total = first.shape[axis]
    for position, part in enumerate(operands[1:], 1):
        if (type(part) is not BufferType or part.element is not first.element
                or part.rank != first.rank
                or any(a != b for d, (a, b) in enumerate(zip(part.shape, first.shape, strict=True))
                       if d != axis)):
            raise TypeRuleError("HV0217", "parts differ in more than the joined dimension", position,
                                f"this is {part}, the first part is {first}")
        total = total + part.shape[axis]
    shape = (*first.shape[:axis], total, *first.shape[axis + 1:])
    return (ty.buffer(first.element, shape),)


def _delay_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    """Operands: the initial value, and the stream whose items come one firing later."""
    return (ty.stream(operands[0]),)


construct("node", "argument*: any", """A node: a leaf or graph, launched as one transaction.

Arguments go to the `value`, `in` and `inout` ports in order; results are the written ports in order,
then the per-instance results. A replicated graph gets its grid here, and each written buffer its
footprint box: `%c = node @tile(%a, %b) grid(%i < ceildiv(%m, 32)) -> (buf<f32>[%m] at [32*%i :+ 32])`.
A per-instance result is joined with `-> (collect)` or `-> (reduce.add)`. `one %b` states that each
instance reads only what the same instance of the producer wrote.
""", group=GROUP, form=Form.NODE, level=Level.GRAPH, effect=Effect.CALL)

construct("scratch", "-> buffer", """A buffer that belongs to one instance of the graph, zero at first.

Its versions pass through nodes like any buffer's, and it never leaves the device of its parent.
Example: `%ta = scratch buf<f32>[32, 32]`
""", group=GROUP, form=Form.BUFFER, level=Level.GRAPH, type_argument="needed",
          type_rule=_buffer_argument)

construct("zeros", "-> buffer", "A new buffer of zeros. Example: `%z = zeros buf<i32>[%n]`", group=GROUP,
          form=Form.BUFFER, level=Level.GRAPH, type_argument="needed", type_rule=_buffer_argument)

construct("slice", "buffer: buffer -> buffer", """A read-only view of a box, clipped at the extents.

`[offset :+ length]` for each dimension; an `offset` alone takes one element and keeps the dimension.
Example: `%top = slice %x[0 :+ 8, 0 :+ %n]`
""", group=GROUP, form=Form.BOX, level=Level.GRAPH)

construct("split", "buffer: buffer -> buffer", """Disjoint parts of a buffer along one dimension.

k cut points give k + 1 parts; they must be in order and within the extent (a launch error else).
Parts flow separately, and `join` gives the whole back without a copy. Example:
`%a, %b = split %x axis 0 at (%k)`
""", group=GROUP, form=Form.PARTS, level=Level.GRAPH,
          immediates=(Immediate("axis", ImmediateKind.INT),))

construct("join", "part*: buffer -> buffer",
          "The parts one after another along a dimension. Example: `%x = join %a, %b, 0`", group=GROUP,
          level=Level.GRAPH, immediates=(Immediate("axis", ImmediateKind.INT),),
          type_rule=_join_rule)

construct("match", "value*: index", """State that two dimensions are equal; a launch error if not.

What `match %a == %b` says may be used by every type after it. If the left side is a new symbol it is
bound to the right side. Example: `match %q == 2*%p`
""", group=GROUP, form=Form.MATCH, level=Level.GRAPH)

construct("delay", "init: any, next: any -> any", """A stream's items, one firing later.

The first item is `init`. `next` may be defined further down: this is the one edge that may close a
cycle. A cycle that no stream from outside feeds runs once for each of their items. Example:
`%last = delay %s0, next %state`
""", group=GROUP, form=Form.DELAY, level=Level.GRAPH, type_rule=_delay_rule)

_RESERVED = {
    "stash": "A view of a box, filled on demand and written back (semantics 9).",
    "bulk_copy": "Collective copy of a view to scratch with a completion token.",
    "bulk_wait": "Wait for the completion token of a bulk copy.",
    "mma": "Collective matrix multiply-accumulate on tiles.",
    "dot4": "Dot product of four 8-bit lanes into 32 bits.",
    "unpack": "Numbers of a sub-byte or 8-bit float storage format.",
}
for _name, _doc in _RESERVED.items():
    construct(_name, "", f"{_doc}\n\nReserved: no module may use it yet.", group=GROUP,
              level=Level.ANY, reserved=True)

