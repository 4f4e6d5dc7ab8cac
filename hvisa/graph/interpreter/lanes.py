"""Instances that run together, and what they hold: lanes, frames, the record of traps.

All lanes take each step at once. `mask` says which of them are on the path being run; a lane that
trapped is dead and never on a path again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hvisa.graph.interpreter.values import Array, LeafBuffer
from hvisa.graph.model import Instr, Value

if TYPE_CHECKING:
    from hvisa.graph.interpreter.launch import Launch


class TrapRecord:
    """The fault of the lowest instance seen so far."""

    __slots__ = ("code", "help", "instance", "instr", "message")

    def __init__(self, code: str, message: str, help: str, instance: int, instr: Instr):
        self.code = code
        self.message = message
        self.help = help
        self.instance = instance
        self.instr = instr


class Lanes:
    """`count` lanes of one launch; lane l works for instance `instances[l]` (a row-major number).

    `mask` is None when every lane is on the path, `dead` None while none has trapped. Lanes made
    for a part of the work (a chunk of a `reduce`, the last lanes of a long loop) have `outer`, the
    lanes they work for, and `take`, the outer lane of each.
    """

    __slots__ = ("count", "dead", "instances", "launch", "mask", "outer", "take")

    def __init__(self, launch: Launch, instances: Array, outer: Lanes | None = None,
                 take: Array | None = None):
        self.launch = launch
        self.instances = instances
        self.count = len(instances)
        self.mask: Array | None = None
        self.dead: Array | None = None
        self.outer = outer
        self.take = take

    def active(self) -> Array:
        """A truth value for each lane: on the path and alive."""
        return np.ones(self.count, bool) if self.mask is None else self.mask

    def any_active(self) -> bool:
        return self.mask is None or bool(self.mask.any())

    def narrow(self, condition: Array) -> None:
        """Keep the lanes on the path where the condition (one truth value a lane) holds."""
        mask = condition if self.mask is None else condition & self.mask
        self.mask = None if mask.all() else mask

    def restore(self, mask: Array | None) -> None:
        """Go back to an earlier path, without the lanes that died since."""
        if self.dead is not None:
            mask = ~self.dead if mask is None else mask & ~self.dead
        self.mask = mask

    def trap(self, bad: Array, code: str, instr: Instr, message: str | Callable[[int], str],
             help: str) -> None:
        """Record the fault of each lane on the path where `bad` holds (also of a vector's lanes),
        and end those lanes. `message` is asked about the lane that gets reported."""
        if bad.ndim > 1:
            bad = np.asarray(bad.any(axis=tuple(range(1, bad.ndim))))
        lanes = np.flatnonzero(self.active() & bad)
        if not len(lanes):
            return
        first = int(lanes[np.argmin(self.instances[lanes])])
        instance = int(self.instances[first])
        known = self.launch.trap
        if known is None or instance < known.instance:
            text = message if isinstance(message, str) else message(first)
            self.launch.trap = TrapRecord(code, text, help, instance, instr)
        self.kill(lanes)

    def kill(self, lanes: Array) -> None:
        """These lanes, and what they work for, take no more steps."""
        if self.dead is None:
            self.dead = np.zeros(self.count, bool)
        self.dead[lanes] = True
        self.restore(self.mask)
        if self.outer is not None and self.take is not None:
            self.outer.kill(self.take[lanes])


class Frame:
    """What the values of one body are, for its lanes.

    A frame over a part of another frame's lanes reads that frame's values through `outer`, expanded
    or reduced to its own lanes.
    """

    __slots__ = ("lanes", "outer", "values")

    def __init__(self, lanes: Lanes, outer: Frame | None = None):
        self.lanes = lanes
        self.outer = outer
        self.values: dict[Value, Any] = {}

    def get(self, value: Value) -> Any:
        """An array for a scalar or vector, a LeafBuffer for a buffer."""
        found = self.values.get(value)
        if found is None:
            assert self.outer is not None and self.lanes.take is not None, f"{value} has no value"
            found = self.outer.get(value)
            if isinstance(found, LeafBuffer):
                found = found.taken(self.lanes.take)
            elif len(found) > 1:
                found = found[self.lanes.take]
            self.values[value] = found
        return found

    def part(self, take: Array) -> Frame:
        """A frame whose lanes work for the lanes `take` of this one."""
        lanes = Lanes(self.lanes.launch, self.lanes.instances[take], self.lanes, take)
        return Frame(lanes, self)
