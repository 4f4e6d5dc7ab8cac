"""The log of one instance: every instruction that it runs, with its values.

A log is kept beside a run that is as it always is: instances are lanes, and of each step the lanes that
work for the wanted instance are shown. A launch without a log pays nothing for this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hvisa.graph.interpreter.lanes import Frame, Lanes
from hvisa.graph.interpreter.plain import show
from hvisa.graph.interpreter.trace_access import touched
from hvisa.graph.interpreter.values import LeafBuffer
from hvisa.graph.model import Definition, Instr, Region, Value
from hvisa.spec.definitions import Form

if TYPE_CHECKING:
    from hvisa.graph.interpreter.launch import Launch
    from hvisa.graph.interpreter.machine import Machine, Task

INDENT = "  "


class _Open:
    """A construct that is being run: a function called, or an instruction with regions."""

    __slots__ = ("instr", "rounds")

    def __init__(self, instr: Instr):
        self.instr = instr
        self.rounds = 0


class _Group:
    """Lines of lanes that stand side by side and are to be read one after the other: elements of a
    `reduce`. `level` is how many lanes down the chain tell them apart."""

    __slots__ = ("level", "lines")

    def __init__(self, level: int):
        self.level = level
        self.lines: list[tuple[tuple[int, ...], str]] = []


def _chain(lanes: Lanes, lane: int) -> tuple[int, ...]:
    """A lane as numbers from the outermost lanes inwards."""
    chain = [lane]
    while lanes.outer is not None and lanes.take is not None:
        lane = int(lanes.take[lane])
        lanes = lanes.outer
        chain.append(lane)
    return tuple(reversed(chain))


class Trace:
    """Writes `main/f f.hvasm:3: %x = add %a, 1 -> 3` for each instruction that the wanted instance runs.

    `instance` is its number in row-major order, `write` the text of an instruction.
    """

    def __init__(self, path: tuple[str, ...], grid: tuple[int, ...], ids: tuple[int, ...],
                 sink: Callable[[str], None], write: Callable[[Instr], str] | None):
        self.path = "/".join(path)
        self.grid = grid
        self.ids = ids
        self.instance = int(np.ravel_multi_index(ids, grid)) if grid else 0
        self._sink = sink
        self._write = write or _short
        self._open: list[_Open] = []
        self._groups: list[_Group] = []

    # -- regions -------------------------------------------------------------------------------

    def region(self, machine: Machine, region: Region, frame: Frame) -> Task:
        """What `Machine.region` does, with a log."""
        steps, yielded = machine.steps(region)
        grouped = self._group(frame)
        try:
            self._entered(region, frame)
            for step, waits, instr in steps:
                before = self._wanted(frame.lanes)
                opened = bool(len(before)) and self._opens(machine, instr)
                if opened:
                    self._say(frame, before, instr, self._write(instr))
                    self._open.append(_Open(instr))
                try:
                    if waits:
                        yield step(frame)
                    else:
                        step(frame)
                finally:
                    if opened:
                        self._open.pop()
                if len(before):
                    self._ran(machine, instr, frame, before, opened)
            found: list[Any] = [get(frame) for get in yielded]
            if region.body and region.body[-1].operands and region.body[-1].row.terminator:
                self._ended(region.body[-1], frame, found)
            return found
        finally:
            if grouped:
                self._release(self._groups.pop())

    def _wanted(self, lanes: Lanes) -> Any:
        """The lanes on the path that work for the instance."""
        return np.flatnonzero(lanes.active() & (lanes.instances == self.instance))

    def _opens(self, machine: Machine, instr: Instr) -> bool:
        """Whether other instructions run inside this one."""
        if instr.row.form is Form.CALL:
            callee = machine.module.definitions.get(instr.callee or "")
            return callee is not None and callee.body is not None
        return bool(instr.regions)

    def _group(self, frame: Frame) -> bool:
        level = len(_chain(frame.lanes, 0))
        if (self._groups and level <= self._groups[-1].level) or len(self._wanted(frame.lanes)) < 2:
            return False
        self._groups.append(_Group(level))
        return True

    def _release(self, group: _Group) -> None:
        """Pass on the lines of a group, lane after lane."""
        group.lines.sort(key=lambda line: line[0][:group.level])
        if self._groups:
            self._groups[-1].lines += group.lines
        else:
            for _, line in group.lines:
                self._sink(line)

    # -- lines ---------------------------------------------------------------------------------

    def _say(self, frame: Frame, wanted: Any, at: Instr | Definition, text: str | Callable[[int], str], *,
             line: int = 0, outdent: int = 0) -> None:
        """A line for each lane of `wanted`, in the place of `at` (or in another line of its source)."""
        span = at.span
        place = f" {span}" if span else ""
        if span and span.line:
            name = span.source.name if span.source else "<module>"
            place = f" {name}:{line or span.line}"
        head = f"{self.path}{place}: {INDENT * (len(self._open) - outdent)}"
        for lane in wanted:
            said = head + (text if isinstance(text, str) else text(int(lane)))
            if self._groups:
                self._groups[-1].lines.append((_chain(frame.lanes, int(lane)), said))
            else:
                self._sink(said)

    def launched(self, definition: Definition, frame: Frame) -> None:
        """The first line: the instance, and what is the same throughout it."""
        known = [*definition.symbols.values(), *(p.value for p in definition.ports), *definition.ids]
        where = f"instance {list(self.ids)} of grid {list(self.grid)}" if self.grid else "no grid"
        self._say(frame, self._wanted(frame.lanes), definition,
                  lambda lane: f"@{definition.name}, {where}{_named(known, frame, lane, ': ')}")

    def _entered(self, region: Region, frame: Frame) -> None:
        """What a region starts with: the round of a loop, the side of an `if`."""
        if not self._open:
            return
        opened, wanted = self._open[-1], self._wanted(frame.lanes)
        instr = opened.instr
        # A construct that other instances alone run is not open; its regions are not those of the last.
        number = next((n for n, r in enumerate(instr.regions) if r is region), -1)
        if number == 1:
            word = "else" if instr.row.form is Form.IF else "do"
            if len(region.body) > 1 or region.body[0].operands:  # else it is left out of the text too
                self._say(frame, wanted, instr, f"}} {word} {{", line=region.start_line, outdent=1)
        elif number == 0 and region.parameters:
            # Elements of a `reduce` run side by side, so they tell themselves apart by their indices.
            word = "element" if instr.row.form is Form.REDUCE else f"round {opened.rounds}"
            opened.rounds += 1
            self._say(frame, wanted, instr,
                      lambda lane: word + _named(region.parameters, frame, lane, ": "))

    def _ran(self, machine: Machine, instr: Instr, frame: Frame, before: Any, opened: bool) -> None:
        """An instruction is done; lanes that left the path have trapped, here or inside it."""
        after = self._wanted(frame.lanes)
        if not opened:
            gone = np.setdiff1d(before, after)
            self._say(frame, gone, instr, f"{self._write(instr)} -> {self._trap(frame.lanes.launch)}")
        line = instr.regions[-1].end_line if instr.regions else 0
        text = "}" if instr.regions else self._write(instr)
        self._say(frame, after, instr,
                  lambda lane: text + _arrow(self._outcome(machine, instr, frame, lane)), line=line)

    def _trap(self, launch: Launch) -> str:
        known = launch.trap
        if known is None or known.instance != self.instance:
            return "trap"  # what is reported is the fault of a lower instance
        return f"trap {known.code}: {known.message}"

    def _ended(self, end: Instr, frame: Frame, found: Sequence[Any]) -> None:
        self._say(frame, self._wanted(frame.lanes), end, lambda lane: self._write(end) + _arrow(
            ", ".join(show(v, o.type, lane) for v, o in zip(found, end.operands, strict=True))))

    def _outcome(self, machine: Machine, instr: Instr, frame: Frame, lane: int) -> str:
        """What an instruction gave or did."""
        shown = ", ".join(show(frame.get(v), v.type, lane) for v in instr.results)
        if instr.row.form is Form.ACCESS:
            return touched(machine, instr, frame, lane, shown)
        if instr.results or instr.regions or instr.row.form is Form.CALL:
            return shown
        operands = [(machine.getter(o)(frame), o.type) for o in instr.operands]
        return ", ".join(show(v, t, lane) for v, t in operands if not isinstance(v, LeafBuffer))


def _arrow(shown: str) -> str:
    return f" -> {shown}" if shown else ""


def _named(known: Sequence[Value], frame: Frame, lane: int, before: str) -> str:
    """`: %i = 3, %a = 2.0`; buffers are left out."""
    found = [(v, frame.get(v)) for v in known if v.name and v in frame.values]
    shown = ", ".join(f"%{v.name} = {show(x, v.type, lane)}" for v, x in found if isinstance(x, np.ndarray))
    return before + shown if shown else ""


def _short(instr: Instr) -> str:
    """An instruction without its operands, where nobody says how it is written."""
    names = ", ".join(f"%{v.name}" for v in instr.results)
    return f"{names}{' = ' if names else ''}{instr.row.mnemonic}"


