"""Barrier and collectives: all instances of the parent are lanes of one block (semantics 18 to
20)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hvisa.graph.interpreter import reduction, values
from hvisa.graph.interpreter.lanes import Frame
from hvisa.graph.interpreter.machine import Machine, Step
from hvisa.graph.interpreter.values import Array
from hvisa.graph.model import Instr
from hvisa.spec import numerics
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.types import ScalarType


class ParentEnds(Exception):
    """An instance trapped: its parent ends no later than here."""


def _meet(frame: Frame) -> None:
    """All lanes are here, or the parent ends."""
    lanes = frame.lanes
    if lanes.dead is not None:
        raise ParentEnds
    assert lanes.mask is None and lanes.outer is None, "a collective under a varying condition"


def _ordered(frame: Frame, value: Array) -> tuple[Array, Array]:
    """The value by instance number, and the lane of each instance."""
    order = np.argsort(frame.lanes.instances)
    return values.spread(value, frame.lanes.count)[order], order


def barrier(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    def step(frame: Frame) -> None:
        _meet(frame)
        for watch in frame.lanes.launch.watches:
            watch.barrier()
    return step, False


def _collective(act: Callable[[Instr, Frame, list[Array]], list[Array]],
                ) -> Callable[[Machine, Instr], tuple[Step, bool]]:
    """A maker of steps: meet, then compute the results from the operands."""
    def make(machine: Machine, instr: Instr) -> tuple[Step, bool]:
        getters = [machine.getter(o) for o in instr.operands]

        def step(frame: Frame) -> None:
            operands = [get(frame) for get in getters]
            _meet(frame)
            frame.values.update(zip(instr.results, act(instr, frame, operands), strict=True))
        return step, False
    return make


def _any(instr: Instr, frame: Frame, operands: list[Array]) -> list[Array]:
    return [np.array([operands[0].any()])]


def _all(instr: Instr, frame: Frame, operands: list[Array]) -> list[Array]:
    return [np.array([operands[0].all()])]


def _shuffle(instr: Instr, frame: Frame, operands: list[Array]) -> list[Array]:
    """The operand of the instance named, 0 if there is none; uniform if the number is."""
    by_instance, _ = _ordered(frame, operands[0])
    number = operands[1]
    inside = (number >= 0) & (number < frame.lanes.count)
    found = by_instance[np.where(inside, number, 0)]
    return [np.where(inside, found, found.dtype.type(0))]


def _broadcast(instr: Instr, frame: Frame, operands: list[Array]) -> list[Array]:
    number = operands[1]
    assert (number == number[0]).all(), "the instance of `group_broadcast` is not uniform"
    return _shuffle(instr, frame, [operands[0], number[:1]])


def _reduce(instr: Instr, frame: Frame, operands: list[Array]) -> list[Array]:
    operator = REDUCTIONS[instr.immediates[0]]
    by_instance, _ = _ordered(frame, operands[0])
    return fold_instances(operator, by_instance, values.element_type(instr.operands[0].type))


def fold_instances(operator: str, by_instance: Array, element: ScalarType) -> list[Array]:
    """One value for each instance, joined in the order of semantics 11: the result, uniform, and
    for argmin and argmax the instance number."""
    if not len(by_instance):
        return [reduction.identity(operator, element), values.index_value(-1)]
    x = reduction.accumulated(by_instance, element)[np.newaxis, :]
    if operator.startswith("arg"):
        best = reduction.Best(operator)
        best.join(x, 0)
        assert best.value is not None and best.position is not None
        return [reduction.rounded(best.value, element), best.position]
    folded = numerics.fold(operator, x, reduction.accumulator(element))
    return [reduction.rounded(folded, element)]


def _scan(instr: Instr, frame: Frame, operands: list[Array]) -> list[Array]:
    """Left to right in the element type, one rounding a step."""
    operator = REDUCTIONS[instr.immediates[0]]
    element = values.element_type(instr.operands[0].type)
    by_instance, order = _ordered(frame, operands[0])
    out = np.empty_like(by_instance)
    running = reduction.identity(operator, element)
    for number in range(len(by_instance)):
        here = by_instance[number:number + 1]
        joined = here if number == 0 else numerics.combine(operator, running, here, element)
        out[number] = running[0] if instr.immediates[1] else joined[0]
        running = joined
    by_lane = np.empty_like(out)
    by_lane[order] = out
    return [by_lane]


MAKERS: dict[str, Callable[[Machine, Instr], tuple[Step, bool]]] = {
    "barrier": barrier, "group_any": _collective(_any), "group_all": _collective(_all),
    "group_broadcast": _collective(_broadcast), "group_reduce": _collective(_reduce),
    "group_scan": _collective(_scan), "group_shuffle": _collective(_shuffle)}
