"""Between the instances of one parent: barrier and collectives (semantics 18 to 20).

They stand only under parent-uniform conditions, in the body of a leaf. Results of collectives other
than `group_scan` and `group_shuffle` are parent-uniform. "Instances" are those of the leaf within one
instance of its parent, in row-major order of the grid.
"""

from __future__ import annotations

from typing import Any

from hvisa.spec import types as ty
from hvisa.spec.definitions import Effect, InstrDef, Level, choice, construct
from hvisa.spec.instructions.vector import check_reduction
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.types import Type

GROUP = "sync"
ANY = "bool int float"
_SCANS = tuple(op for op in REDUCTIONS if op not in ("argmin", "argmax", "any", "all"))


def _group_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    results = row._check(operands, argument)
    element = ty.element_of(operands[0])
    assert element is not None
    op = row.immediates[0].choices[immediates[0]]
    check_reduction(row, op, element, 0)
    return (*results, ty.INDEX) if op.startswith("arg") else results


def _collective(mnemonic: str, signature: str, doc: str, **options: Any) -> InstrDef:
    return construct(mnemonic, signature, doc, group=GROUP, effect=Effect.SYNC, collective=True,
                     level=Level.LEAF, **options)


_collective("barrier", "", """Wait until all instances of the parent are here.

What they wrote before is visible after it. An instance that trapped counts as arrived.
""")

_collective("group_any", "a: i1 -> i1", "True if any instance's operand is true.")
_collective("group_all", "a: i1 -> i1", "True if every instance's operand is true.")

_collective("group_broadcast", "a: T, instance: index -> T", """The operand of one instance.

`instance` is its linear number and must be parent-uniform; 0 of the type if there is none such.
""", on=ANY, vectors=False)

_collective("group_reduce", "a: T -> T", """The operands of all instances joined, in the order of `reduce`.

argmin and argmax give value and linear instance number. f16 and bf16 accumulate in f32. Example:
`%s = group_reduce.add %x`
""", on=ANY, vectors=False, immediates=(choice("operator", *REDUCTIONS),), type_rule=_group_rule)

_collective("group_scan", "a: T -> T", """The operands up to this instance, joined left to right.

`group_scan.add` includes this instance, `group_scan.add.exclusive` does not and gives the operator's
identity to the first. f16 and bf16 round at each step.
""", on=ANY, vectors=False, type_rule=_group_rule,
            immediates=(choice("operator", *_SCANS), choice("kind", "inclusive", "exclusive")))

_collective("group_shuffle", "a: T, instance: index -> T",
            "The operand of the instance with this linear number; 0 of the type if there is none.",
            on=ANY, vectors=False)
