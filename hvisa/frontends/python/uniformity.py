"""Loops around a barrier: which of their carried values are the same in all instances of the parent.

The text form writes `uniform` on them (semantics 18); a Python loop has no place for it, so it is found
here. All are taken to be uniform at first, and those that turn out to vary are dropped until nothing
changes. The verifier checks what is found.
"""

from __future__ import annotations

from collections.abc import Sequence

from hvisa.graph.model import ENTER, LEAVE, Instr, LeafNode, Operand, Value, instructions, walk
from hvisa.spec.definitions import Effect
from hvisa.spec.operations import UNIFORMITY
from hvisa.spec.types import BufferType

PARENT, VARYING = UNIFORMITY.index("parent"), UNIFORMITY.index("varying")
_LEADING = {"for": 1, "while": 0}  # parameters before the carried ones


def mark_uniform(leaf: LeafNode) -> None:
    """Set `uniform` on the carried values of loops that hold a barrier or another collective."""
    assert leaf.body is not None
    loops = [i for i in instructions(leaf.body) if i.row.mnemonic in _LEADING
             and any(inner.row.collective for r in i.regions for inner in instructions(r))]
    if not loops:
        return
    marked = {p for loop in loops for p in _carried(loop)}
    while True:
        uniform = _uniform_values(leaf, marked)
        kept = {p for loop in loops for n, p in enumerate(_carried(loop))
                if p in marked and _stays(loop, n, uniform)}
        if kept == marked:
            break
        marked = kept
    for loop in loops:
        loop.uniform = tuple(PARENT if p in marked else VARYING for p in _carried(loop))


def _carried(loop: Instr) -> list[Value]:
    return loop.regions[0].parameters[_LEADING[loop.row.mnemonic]:]


def _stays(loop: Instr, number: int, uniform: set[Value]) -> bool:
    """Whether a carried value is uniform at the start and at the end of a round."""
    ends = [loop.operands[len(loop.operands) - len(_carried(loop)) + number],
            loop.regions[-1].body[-1].operands[number]]
    return all(not isinstance(v, Value) or v in uniform for v in ends)


def _uniform_values(leaf: LeafNode, marked: set[Value]) -> set[Value]:
    """Values that do not depend on the instance if the marked ones do not."""
    uniform = {*leaf.symbols.values(), *(p.value for p in leaf.ports if not p.written), *marked}
    assert leaf.body is not None
    for event, instr, region in walk(leaf.body):
        if event == ENTER and region is instr.regions[0] and instr.row.mnemonic == "for" \
                and _all(instr.operands[:3], uniform):
            uniform.add(instr.regions[0].parameters[0])
        if event == LEAVE and region is instr.regions[-1] and instr.row.mnemonic in _LEADING:
            uniform |= {r for r, p in zip(instr.results, _carried(instr), strict=True) if p in marked}
        if event == 0 and not instr.regions and _all(instr.operands, uniform) and _plain(instr):
            uniform.update(instr.results)
    return uniform


def _all(operands: Sequence[Operand], uniform: set[Value]) -> bool:
    return all(not isinstance(o, Value) or o in uniform for o in operands)


def _plain(instr: Instr) -> bool:
    """Whether equal operands give equal results: no effects, or a read of what nobody writes."""
    effect = instr.row.effect
    return effect is Effect.NONE or (effect is Effect.READ and isinstance(
        instr.operands[0].type, BufferType))
