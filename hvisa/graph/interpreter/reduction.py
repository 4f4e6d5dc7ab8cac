"""`reduce`: many elements at a time as lanes, joined in the order of semantics 11."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hvisa.graph.interpreter import values
from hvisa.graph.interpreter.lanes import Frame
from hvisa.graph.interpreter.machine import Machine, Step, Task
from hvisa.graph.interpreter.values import Array
from hvisa.graph.model import Instr
from hvisa.spec import numerics, types as ty
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.types import ScalarType

_MANY = 1 << 62


class Axes(NamedTuple):
    """Lower bounds and lengths of the ranges, one array an axis (uniform or one row a lane)."""

    low: list[Array]
    length: list[Array]

    def total(self) -> Array:
        """Elements to join, for each lane (or uniform); more than 2^62 are as good as 2^62."""
        out = np.ones(1, np.int64)
        for length in self.length:
            over = out > _MANY // np.maximum(length, 1)
            out = np.where(over, _MANY, out * length)
        return out


def accumulator(element: ScalarType) -> ScalarType:
    """The type a reduction computes in: f16 and bf16 join in f32."""
    return ty.F32 if element in (ty.F16, ty.BF16) else element


def accumulated(x: Array, element: ScalarType) -> Array:
    """Values of the element type, in the accumulator's."""
    return x.astype(np.float32) if element is ty.F16 else x


def rounded(x: Array, element: ScalarType) -> Array:
    """The one rounding at the end."""
    if element is ty.BF16:
        return numerics.round_bf16(x)
    return x.astype(np.float16) if element is ty.F16 else x


def identity(operator: str, element: ScalarType) -> Array:
    """What joining nothing gives, as a uniform value."""
    return np.array([numerics.identity(operator, element)], numerics.value_dtype(element))


class Best:
    """argmin or argmax over consecutive chunks: the first NaN, else the best, ties to the
    lowest."""

    def __init__(self, operator: str):
        self.operator = operator
        self.value: Array | None = None
        self.position: Array | None = None

    def join(self, x: Array, start: int) -> None:
        """Take in the elements `x` (lanes, elements) from position `start` on."""
        at: NDArray[np.int64] = numerics.fold_arg(self.operator, x).astype(np.int64)
        value = np.take_along_axis(x, at[:, np.newaxis], 1)[:, 0]
        at = at + start
        if self.value is None or self.position is None:
            self.value, self.position = value, at
            return
        better = value < self.value if self.operator == "argmin" else value > self.value
        if x.dtype.kind == "f":
            better = ~np.isnan(self.value) & (better | np.isnan(value))
        self.value = np.where(better, value, self.value)
        self.position = np.where(better, at, self.position)


def reduction(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    operator = REDUCTIONS[instr.immediates[0]]
    element = instr.type_argument
    assert isinstance(element, ScalarType)
    axes = len(instr.regions[0].parameters)
    bounds = [machine.getter(o) for o in instr.operands[:2 * axes]]
    init = machine.getter(instr.operands[-1]) if len(instr.operands) % 2 else None
    argument = operator.startswith("arg")

    def step(frame: Frame) -> Task:
        found = [get(frame) for get in bounds]
        ranges = Axes(found[0::2], [_length(a, b) for a, b in
                                    zip(found[0::2], found[1::2], strict=True)])
        count = frame.lanes.count
        out = [np.repeat(identity(operator, accumulator(element)), count)]
        if argument:
            out.append(np.full(count, -1, np.int64))
        for take, total in _batches(frame, ranges.total(), frame.lanes.launch.lane_limit):
            joined = yield _join(machine, instr, frame, ranges, take, total, operator, element)
            for column, part in zip(out, joined, strict=True):
                column[take] = part
        if init is not None:
            start = values.spread(init(frame), count)
            empty = values.spread(ranges.total() == 0, count)
            joined = numerics.combine(operator, accumulated(start, element), out[0],
                                      accumulator(element))
            out[0] = np.where(empty, start, joined)
        frame.values[instr.results[0]] = rounded(out[0], element)
        if argument:
            frame.values[instr.results[1]] = out[1]
    return step, True


def _length(low: Array, high: Array) -> Array:
    """Elements of a range; one beyond 2^62 could never end, so it is held there."""
    distance = high.astype(np.uint64) - low.astype(np.uint64)
    held = np.minimum(distance, np.uint64(1 << 62)).astype(np.int64)
    return np.where(high > low, held, np.int64(0))


def _batches(frame: Frame, total: Array, limit: int) -> Iterator[tuple[Array, int]]:
    """Lanes on the path with the same number of elements, few enough to run at once."""
    active = np.flatnonzero(frame.lanes.active())
    if not len(active):
        return
    totals = values.spread(total, frame.lanes.count)[active]
    for size in np.unique(totals):
        if size == 0:
            continue
        lanes = active[totals == size]
        width = max(1, limit // min(int(size), numerics.BLOCK))
        for start in range(0, len(lanes), width):
            yield lanes[start:start + width], int(size)


def _join(machine: Machine, instr: Instr, frame: Frame, ranges: Axes, take: Array, total: int,
          operator: str, element: ScalarType) -> Task:
    """The joined elements of the lanes `take`: one array, or value and position."""
    best = Best(operator)
    blocks: list[Array] = []
    for start in range(0, total, numerics.BLOCK):
        stop = min(start + numerics.BLOCK, total)
        x = yield _elements(machine, instr, frame, ranges, take, start, stop)
        x = accumulated(x, element)
        if operator.startswith("arg"):
            best.join(x, start)
        else:
            blocks.append(numerics.fold_block(operator, x, accumulator(element)))
        if not frame.lanes.any_active():
            break
        machine.poll()
    if operator.startswith("arg"):
        return [best.value, best.position]
    return [numerics.fold_blocks(operator, blocks, accumulator(element))]


def _elements(machine: Machine, instr: Instr, frame: Frame, ranges: Axes, take: Array, start: int,
              stop: int) -> Task:
    """What the body yields for elements start .. stop: (lanes, elements)."""
    columns: list[Array] = []
    piece = max(1, frame.lanes.launch.lane_limit // len(take))
    for low in range(start, stop, piece):
        position = np.arange(low, min(low + piece, stop), dtype=np.int64)
        part = frame.part(np.repeat(take, len(position)))
        _set_indices(part, instr, ranges, np.tile(position, len(take)))
        (x,) = yield machine.region(instr.regions[0], part)
        columns.append(values.spread(x, part.lanes.count).reshape(len(take), len(position)))
    return columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)


def _set_indices(part: Frame, instr: Instr, ranges: Axes, position: Array) -> None:
    """The index of each axis, the last one running fastest."""
    take = part.lanes.take
    assert take is not None
    parameters = instr.regions[0].parameters
    for axis in range(len(parameters) - 1, -1, -1):
        low, length = (a if len(a) == 1 else a[take] for a in (ranges.low[axis],
                                                               ranges.length[axis]))
        if axis == 0:
            part.values[parameters[0]] = low + position
        else:
            part.values[parameters[axis]] = low + position % length
            position = position // length
