"""Who touched which element of a written port: `own checked` (semantics 2) and the check for
races."""

from __future__ import annotations

import enum

import numpy as np

from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.graph.interpreter.lanes import Lanes
from hvisa.graph.interpreter.values import Array
from hvisa.graph.model import Instr

NOBODY = -1
_MANY = np.iinfo(np.int64).max


class Touch(enum.Enum):
    READ = "read"
    WRITE = "written"
    ATOMIC = "updated"


def _places(positions: tuple[Array, ...], count: int) -> tuple[Array, ...]:
    """The positions in flat arrays; of a buffer of rank 0, those of its one element."""
    return tuple(p.ravel() for p in positions) or (np.zeros(count, np.int64),)


class OwnerWatch:
    """`own checked`: an element belongs to the first instance that touches it; another one
    traps."""

    def __init__(self, name: str, shape: tuple[int, ...]):
        self.name = name
        self.owner = np.full(shape or (1,), NOBODY, np.int64)

    def touch(self, lanes: Lanes, instr: Instr, positions: tuple[Array, ...], who: Array,
              how: Touch) -> None:
        instances = lanes.instances[who].ravel()
        places = _places(positions, len(instances))
        # Backwards, so that the first lane of several is the one that stays.
        order = np.flatnonzero(self.owner[places] == NOBODY)[::-1]
        self.owner[tuple(p[order] for p in places)] = instances[order]
        wrong = self.owner[places] != instances
        if not wrong.any():
            return
        bad = np.zeros(lanes.count, bool)
        bad[who.ravel()[wrong]] = True
        at = {int(lane): n for n, lane in reversed(list(enumerate(who.ravel()))) if wrong[n]}

        def message(lane: int) -> str:
            place = [int(p[at[lane]]) for p in places]
            return (f"element {place} of `%{self.name}` is outside this instance's footprint: "
                    f"instance number {int(self.owner[tuple(place)])} touched it")
        lanes.trap(bad, "HV0906", instr, message,
                   "each element of an `own` port belongs to one instance; else write `shared`")

    def barrier(self) -> None:
        """Footprints hold for the whole launch."""


class RaceWatch:
    """`check_races`: two instances may not touch one element without order between them.

    Of an `own` port no element may be touched by two instances at all; of a `shared` port, plain
    accesses of which one writes need a barrier in between. For each element it keeps the last
    writer, and the lowest and highest reader since the last barrier, with the instructions of the
    last access.
    """

    def __init__(self, name: str, shape: tuple[int, ...], node: str, own: bool,
                 extents: tuple[int, ...]):
        self.name = name
        self.node = node
        self.own = own
        self.extents = extents
        self.shape = shape or (1,)
        self.instrs: list[Instr] = []
        self.numbers: dict[Instr, int] = {}
        self.reset()

    def reset(self) -> None:
        self.writer = np.full(self.shape, NOBODY, np.int64)
        self.low_reader = np.full(self.shape, _MANY, np.int64)
        self.high_reader = np.full(self.shape, NOBODY, np.int64)
        self.write_instr = np.full(self.shape, NOBODY, np.int32)
        self.read_instr = np.full(self.shape, NOBODY, np.int32)

    def barrier(self) -> None:
        if not self.own:
            self.reset()

    def touch(self, lanes: Lanes, instr: Instr, positions: tuple[Array, ...], who: Array,
              how: Touch) -> None:
        if how is Touch.ATOMIC:
            return
        number = self.numbers.setdefault(instr, len(self.instrs))
        if number == len(self.instrs):
            self.instrs.append(instr)
        instances = lanes.instances[who].ravel()
        places = _places(positions, len(instances))
        others = self.writer[places]
        self._report(places, instances, (others != NOBODY) & (others != instances), others, instr,
                     self.write_instr, how)
        if how is Touch.WRITE or self.own:
            for readers in (self.low_reader[places], self.high_reader[places]):
                known = self.high_reader[places] != NOBODY
                self._report(places, instances, known & (readers != instances), readers, instr,
                             self.read_instr, how)
        if how is Touch.WRITE:
            self.writer[places] = instances
            self.write_instr[places] = number
            others = self.writer[places]
            self._report(places, instances, others != instances, others, instr, self.write_instr,
                         how)
            return
        np.minimum.at(self.low_reader, places, instances)
        np.maximum.at(self.high_reader, places, instances)
        self.read_instr[places] = number
        if self.own:
            others = self.low_reader[places]
            self._report(places, instances, others != instances, others, instr, self.read_instr,
                         how)

    def _report(self, places: tuple[Array, ...], instances: Array, wrong: Array, others: Array,
                instr: Instr, instrs: Array, how: Touch) -> None:
        if not wrong.any():
            return
        at = int(np.flatnonzero(wrong)[0])
        place = tuple(int(p[at]) for p in places)
        other = int(others[at])
        first = self.instrs[int(instrs[place])]
        mine, theirs = (self._ids(n) for n in (int(instances[at]), other))
        labels = [(first.span, f"touched here by instance {theirs}")] if first.span else []
        raise HvisaError(Diagnostic(
            "HV0320", f"race: instances {theirs} and {mine} of `@{self.node}` touch element "
            f"{list(place)} of `%{self.name}` without order", instr.span,
            note=f"{how.value} here by instance {mine}",
            help="put a `barrier` between, use `atomic`, or give each instance its own elements",
            labels=labels))

    def _ids(self, instance: int) -> tuple[int, ...]:
        if not self.extents:
            return ()
        return tuple(int(n) for n in np.unravel_index(instance, self.extents))
