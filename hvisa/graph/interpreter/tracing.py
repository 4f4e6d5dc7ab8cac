"""The log of one instance: every instruction with its values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hvisa.graph.interpreter.lanes import Frame
from hvisa.graph.interpreter.machine import Options
from hvisa.graph.interpreter.plain import show
from hvisa.graph.model import Instr


class Trace:
    """Writes `file:line: %x = add -> 3` for each instruction that the wanted instance runs."""

    def __init__(self, ids: tuple[int, ...], sink: Callable[[str], None]):
        self.ids = ids
        self.sink = sink

    def after(self, instr: Instr, frame: Frame) -> None:
        lanes = frame.lanes
        grid = lanes.launch.grid
        if len(self.ids) != len(grid) or any(i >= n for i, n in zip(self.ids, grid, strict=True)):
            return
        wanted = int(np.ravel_multi_index(self.ids, grid)) if grid else 0
        for lane in np.flatnonzero(lanes.active() & (lanes.instances == wanted)):
            names = ", ".join(f"%{v.name}" for v in instr.results)
            shown = ", ".join(show(frame.get(v), v.type, int(lane)) for v in instr.results)
            place = f"{instr.span}: " if instr.span else ""
            self.sink(f"{place}{names}{' = ' if names else ''}{instr.row.mnemonic}"
                      f"{f' -> {shown}' if shown else ''}")


def trace_for(options: Options, name: str, path: tuple[str, ...]) -> Trace | None:
    """The trace of a launch: wanted by the node's name or its whole path (`main/tile/leaf`)."""
    wanted = options.trace_instance
    if wanted is None or wanted[0].lstrip("@") not in (name, "/".join(path)):
        return None
    return Trace(wanted[1], options.print_sink)
