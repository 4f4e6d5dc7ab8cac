"""Loads, stores and atomics with their bounds forms; private arrays (semantics 19 and 21)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hvisa.graph.interpreter import values
from hvisa.graph.interpreter.atomics import Joiner, compare_exchange, join, joiner
from hvisa.graph.interpreter.lanes import Frame, Lanes
from hvisa.graph.interpreter.machine import Getter, Machine, Step
from hvisa.graph.interpreter.values import Array, LeafBuffer
from hvisa.graph.interpreter.watches import Touch
from hvisa.graph.model import Instr
from hvisa.spec import types as ty
from hvisa.spec.operations import ATOMICS, LOAD_BOUNDS, STORE_BOUNDS, UPDATES
from hvisa.spec.types import BufferType, VectorType


class Place(NamedTuple):
    """Where an access goes: positions within the extents for every dimension (those outside are
    moved to the nearest element), and which accesses were inside. With a vector, a second axis of
    lanes."""

    positions: tuple[Array, ...]
    inside: Array


class Access:
    """The buffer operand and indices of one instruction."""

    def __init__(self, machine: Machine, instr: Instr, at: int, width: int):
        self.instr = instr
        self.buffer = machine.getter(instr.operands[at])
        indices = instr.operands[at + 1:]
        self.indices: list[Getter] = [machine.getter(o) for o in indices]
        offsets = instr.offsets or (0,) * len(indices)
        self.offsets: list[Any] = list(offsets)
        self.wide = bool(width)
        if width:
            self.offsets[-1] = offsets[-1] + np.arange(width, dtype=np.int64)

    def place(self, frame: Frame, buffer: LeafBuffer) -> Place:
        """Displacements are added exactly: index + c is compared by moving c to the other side."""
        inside = np.ones((1, 1) if self.wide else 1, bool)
        positions: list[Array] = []
        for get, offset, extent in zip(self.indices, self.offsets, buffer.shape, strict=True):
            index = get(frame)
            if self.wide:
                index = index[:, np.newaxis]
            low, high = -offset, extent - offset
            inside = inside & (index >= low) & (index < high)
            positions.append(np.clip(index, low, np.maximum(high - 1, low)) + offset)
        if buffer.rows is not None:
            rows = buffer.rows
            positions.insert(0, rows[:, np.newaxis] if self.wide else rows)
        return Place(tuple(positions), inside)

    def trap(self, frame: Frame, buffer: LeafBuffer, place: Place) -> None:
        """HV0902 for the lanes that are outside."""
        if place.inside.all():
            return

        def message(lane: int) -> str:
            parts: list[str] = []
            for get, offset in zip(self.indices, self.offsets, strict=True):
                index = get(frame)
                base = int(index[min(lane, len(index) - 1)])
                first, last = base + int(np.min(offset)), base + int(np.max(offset))
                parts.append(str(first) if first == last else f"{first} to {last}")
            return (f"index [{', '.join(parts)}] of `{buffer.name}` is out of bounds: its "
                    f"extents are [{', '.join(map(str, buffer.shape))}]")
        frame.lanes.trap(~place.inside, "HV0902", self.instr, message,
                         "check the index, or say what happens outside: `load.zero`, `load.clamp`, "
                         "`store.skip`")

    def chosen(self, lanes: Lanes, place: Place, value: Array | None,
               ) -> tuple[tuple[Array, ...], Array | None, Array]:
        """Positions, values and lanes of the accesses that happen: inside, and by lanes on the
        path."""
        shape = (lanes.count, len(self.offsets[-1])) if self.wide else (lanes.count,)
        keep = np.broadcast_to(place.inside, shape)
        if lanes.mask is not None:
            keep = keep & (lanes.mask[:, np.newaxis] if self.wide else lanes.mask)
        number = np.arange(lanes.count)
        who = np.broadcast_to(number[:, np.newaxis] if self.wide else number, shape)
        positions = tuple(np.broadcast_to(p, shape) for p in place.positions)
        spread = None if value is None else np.broadcast_to(value, shape)
        if not keep.all():
            positions = tuple(p[keep] for p in positions)
            return positions, None if spread is None else spread[keep], who[keep]
        return positions, spread, who

    def observe(self, frame: Frame, buffer: LeafBuffer, place: Place, how: Touch) -> None:
        """Tell the buffer's watch, if it has one, which instance touches which element."""
        if buffer.watch is not None:
            positions, _, who = self.chosen(frame.lanes, place, None)
            buffer.watch.touch(frame.lanes, self.instr, positions, who, how)


def _width(type_: ty.Type | None) -> int:
    return type_.lanes if isinstance(type_, VectorType) else 0


def _gather(buffer: LeafBuffer, place: Place) -> Array:
    """The elements at the positions, in the type computed on; zeros of an empty buffer."""
    if not buffer.array.size:
        return np.zeros(place.inside.shape, values.zero(buffer.element).dtype)
    found = buffer.array[place.positions] if place.positions else buffer.array.reshape(1)
    return values.from_storage(found, buffer.element)


def load(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    access = Access(machine, instr, 0, _width(instr.type_argument))
    bounds = LOAD_BOUNDS[instr.immediates[0]]
    result = instr.results[0]

    def step(frame: Frame) -> None:
        buffer: LeafBuffer = access.buffer(frame)
        place = access.place(frame, buffer)
        if bounds == "trap":
            access.trap(frame, buffer, place)
        found = _gather(buffer, place)
        if bounds == "zero" and not place.inside.all():
            found = np.where(place.inside, found, found.dtype.type(0))
        if bounds == "clamp" and buffer.array.size:
            place = Place(place.positions, np.ones_like(place.inside))
        access.observe(frame, buffer, place, Touch.READ)
        frame.values[result] = found
    return step, False


def store(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    value_of = machine.getter(instr.operands[0])
    access = Access(machine, instr, 1, _width(instr.operands[0].type))
    traps = STORE_BOUNDS[instr.immediates[0]] == "trap"

    def step(frame: Frame) -> None:
        buffer: LeafBuffer = access.buffer(frame)
        place = access.place(frame, buffer)
        if traps:
            access.trap(frame, buffer, place)
        access.observe(frame, buffer, place, Touch.WRITE)
        value = values.to_storage(value_of(frame), buffer.element)
        positions, chosen, who = access.chosen(frame.lanes, place, value)
        if len(who):
            assert chosen is not None
            buffer.array[positions] = chosen if positions else chosen[-1]
    return step, False


Join = Callable[[LeafBuffer, tuple[Array, ...], list[Array]], Array | None]


def _atomic(machine: Machine, instr: Instr, operands: int, traps: bool, act: Join,
            ) -> tuple[Step, bool]:
    """An access that reads and writes one element in each lane, lane after lane."""
    getters = [machine.getter(o) for o in instr.operands[:operands]]
    access = Access(machine, instr, operands, 0)

    def step(frame: Frame) -> None:
        buffer: LeafBuffer = access.buffer(frame)
        lanes = frame.lanes
        place = access.place(frame, buffer)
        if traps:
            access.trap(frame, buffer, place)
        access.observe(frame, buffer, place, Touch.ATOMIC)
        positions, _, who = access.chosen(lanes, place, None)
        inputs = [values.spread(get(frame), lanes.count)[who] for get in getters]
        old = act(buffer, positions, inputs)
        if old is not None:
            found = np.zeros(lanes.count, old.dtype)
            found[who] = old
            frame.values[instr.results[0]] = found
    return step, False


def update(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    operator = joiner(UPDATES[instr.immediates[0]], _element(instr, 1))
    traps = STORE_BOUNDS[instr.immediates[1]] == "trap"

    def act(buffer: LeafBuffer, positions: tuple[Array, ...], inputs: list[Array]) -> None:
        join(operator, buffer.array, positions, inputs[0], False)
    return _atomic(machine, instr, 1, traps, act)


def atomic(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    operator: Joiner = joiner(ATOMICS[instr.immediates[0]], _element(instr, 1))

    def act(buffer: LeafBuffer, positions: tuple[Array, ...], inputs: list[Array]) -> Array:
        old = join(operator, buffer.array, positions, inputs[0], True)
        assert old is not None
        return old
    return _atomic(machine, instr, 1, True, act)


def exchange(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    element = _element(instr, 2)

    def act(buffer: LeafBuffer, positions: tuple[Array, ...], inputs: list[Array]) -> Array:
        return compare_exchange(buffer.array, positions, inputs[0], inputs[1], element)
    return _atomic(machine, instr, 2, True, act)


def _element(instr: Instr, at: int) -> ty.ScalarType:
    return values.element_type(instr.operands[at].type)


def extent(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    get, dimension, result = (machine.getter(instr.operands[0]), instr.immediates[0],
                              instr.results[0])

    def step(frame: Frame) -> None:
        frame.values[result] = values.index_value(get(frame).shape[dimension])
    return step, False


def set_extent(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    buffer_of, count_of = (machine.getter(o) for o in instr.operands)

    def step(frame: Frame) -> None:
        buffer: LeafBuffer = buffer_of(frame)
        count = count_of(frame)
        capacity = buffer.shape[0]
        wrong = (count < 0) | (count > capacity)
        if wrong.any():
            frame.lanes.trap(wrong, "HV0905", instr, f"`set_extent` of `{buffer.name}` to "
                             f"{int(count[0])}, its capacity is {capacity}",
                             "an extent is 0 to the capacity")
        elif frame.lanes.any_active():
            frame.lanes.launch.extents[buffer.name[1:]] = int(count[0])
    return step, False


def local(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    type_ = instr.type_argument
    assert isinstance(type_, BufferType)
    shape = tuple(d.constant or 0 for d in type_.shape)
    result = instr.results[0]

    def step(frame: Frame) -> None:
        count = frame.lanes.count
        array = np.zeros((count, *shape), type_.element.storage_dtype)
        frame.values[result] = LeafBuffer(f"%{result.name}", type_.element, array,
                                          np.arange(count))
    return step, False
