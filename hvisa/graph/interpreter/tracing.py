"""The log of one instance: every instruction with its values."""

from __future__ import annotations

import difflib
from collections.abc import Callable

import numpy as np

from hvisa.diagnostics import fail, plural
from hvisa.graph.interpreter.lanes import Frame
from hvisa.graph.interpreter.machine import Options
from hvisa.graph.interpreter.plain import show
from hvisa.graph.model import Instr, Module


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


def check_trace(options: Options, module: Module) -> None:
    """HV1001 unless the instance to follow is one of a leaf with as many ids as its grid has."""
    if options.trace_instance is None:
        return
    where, ids = options.trace_instance
    name = where.rpartition("/")[2].lstrip("@")
    leaves = {n: d for n, d in module.definitions.items() if d.kind == "leaf" and d.body is not None}
    if name not in leaves:
        near = difflib.get_close_matches(name, leaves, 1)
        raise fail("HV1001", f"there is no leaf `@{name}` whose instance could be followed",
                   help=f"did you mean `{near[0]}`?" if near else
                   f"leaves are {', '.join(f'`@{n}`' for n in leaves) or 'none'}")
    rank = len(leaves[name].grid)
    if len(ids) != rank:
        raise fail("HV1001", f"the grid of `@{name}` has {plural(rank, 'id')}, {len(ids)} given to "
                   "follow", leaves[name].span,
                   help=f"write `{name}:{','.join('0' * rank)}` for the first instance")


def check_traced(options: Options) -> None:
    """HV1001 if no launch had the instance to follow."""
    if options.trace_instance is None:
        return
    where, ids = options.trace_instance
    grids = options.traced
    if any(all(i < n for i, n in zip(ids, grid, strict=True)) for grid in grids):
        return
    why = f"its grid was {' and '.join(str(list(g)) for g in dict.fromkeys(grids))}" if grids else \
        "it was not launched"
    raise fail("HV1001", f"`{where}` had no instance {list(ids)} to follow: {why}",
               help="ids start at 0; a path is `entry/.../node`")


def trace_for(options: Options, name: str, path: tuple[str, ...],
              grid: tuple[int, ...]) -> Trace | None:
    """The trace of a launch: wanted by the node's name or its whole path (`main/tile/leaf`)."""
    wanted = options.trace_instance
    if wanted is None or wanted[0].lstrip("@") not in (name, "/".join(path)):
        return None
    options.traced.append(grid)
    return Trace(wanted[1], options.print_sink)
