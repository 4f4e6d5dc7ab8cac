"""One launch of a leaf: ports made ready, instances run in blocks, traps, results (semantics 1, 2,
20)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hvisa.diagnostics import Diagnostic, HvisaTrap, Span, instance_text
from hvisa.graph.interpreter import shapes, values
from hvisa.graph.interpreter.collectives import ParentEnds
from hvisa.graph.interpreter.lanes import Frame, Lanes, TrapRecord
from hvisa.graph.interpreter.machine import Machine, Task
from hvisa.graph.interpreter.trace_log import Trace
from hvisa.graph.interpreter.tracing import trace_for
from hvisa.graph.interpreter.values import Array, GridValue, LeafBuffer
from hvisa.graph.interpreter.watches import OwnerWatch, RaceWatch
from hvisa.graph.model import Definition, Port, instructions
from hvisa.spec.operations import MODES
from hvisa.spec.types import BufferType

LANES = 1 << 16  # instances of one block, and lanes of one step of a `reduce`
LOCAL_BYTES = 1 << 26  # private arrays of one block


class Launch:
    """A launch in progress. `trap` is the lowest fault so far, `extents` what `set_extent` said,
    `lane_limit` how many lanes a step may have."""

    __slots__ = ("definition", "extents", "grid", "lane_limit", "path", "trace", "trap", "watches")

    def __init__(self, definition: Definition, path: tuple[str, ...], grid: tuple[int, ...],
                 trace: Trace | None):
        self.definition = definition
        self.path = path
        self.grid = grid
        self.trace = trace
        self.trap: TrapRecord | None = None
        self.extents: dict[str, int] = {}
        self.watches: list[OwnerWatch | RaceWatch] = []
        self.lane_limit = LANES

    def ids(self, instance: int) -> tuple[int, ...]:
        return tuple(int(n) for n in np.unravel_index(instance, self.grid)) if self.grid else ()

    def raise_trap(self) -> None:
        if self.trap is not None:
            raise trap_error(self.trap.code, self.trap.message, self.path,
                             self.ids(self.trap.instance), self.trap.instr.span, self.trap.help)


def trap_error(code: str, message: str, path: tuple[str, ...], instance: tuple[int, ...] | None,
               span: Span | None, help: str) -> HvisaTrap:
    """The exception for a fault at run time."""
    where = instance_text(path, instance)
    return HvisaTrap(Diagnostic(code, f"{message} ({where})", span, help=help), path, instance)


class LeafFacts:
    """What the body of a leaf needs, found once: lockstep, and how many lanes fit in memory."""

    __slots__ = ("lane_limit", "lockstep")

    def __init__(self, definition: Definition):
        body = list(instructions(definition.body)) if definition.body is not None else []
        self.lockstep = any(i.row.collective for i in body) or any(
            MODES[p.mode] == "shared" for p in definition.written)
        private = sum(math.prod(d.constant or 0 for d in i.type_argument.shape)
                      * i.type_argument.element.size_bytes for i in body
                      if i.row.mnemonic == "local" and isinstance(i.type_argument, BufferType))
        self.lane_limit = max(1, min(LANES, LOCAL_BYTES // max(1, private)))


def launch_leaf(machine: Machine, definition: Definition, arguments: dict[str, Any],
                environment: shapes.Environment, path: tuple[str, ...]) -> Task:
    """Run every instance; the new versions of the written ports, then one value per instance (an
    array of all instances) for each result.

    `arguments` has an array for each taken buffer port, a uniform value or GridValue for each value
    port. `environment` has the header's symbols.
    """
    what = f"`@{definition.name}`"
    grid = shapes.grid_extents(definition.grid, environment, f"the grid of {what}", definition.span)
    launch = Launch(definition, path, grid, trace_for(machine.options, definition.name, path,
                                                    tuple(grid)))
    facts: LeafFacts = machine.facts(definition, LeafFacts)
    launch.lane_limit = facts.lane_limit
    bound: dict[str, Any] = {}
    fresh: dict[str, Array] = {}
    for port in definition.ports:
        bound[port.name] = arguments.get(port.name)
        if isinstance(port.type, BufferType):
            array = bound[port.name]
            if port.written:
                array = fresh[port.name] = new_version(port, arguments, environment, path)
                # An extent with a capacity is all of it until the launch has ended.
                shapes.bind(port.type, array.shape, environment)
            bound[port.name] = LeafBuffer(f"%{port.name}", port.type.element, array,
                                          watch=_watch(machine, launch, port, array.shape))
    total = math.prod(grid)
    results = [np.zeros((total, *values.zero(t).shape[1:]), values.zero(t).dtype)
               for t in definition.results]
    for instances in _blocks(machine, total, total if facts.lockstep else facts.lane_limit):
        frame = _frame(definition, Lanes(launch, instances), bound, environment, grid)
        yield _block(machine, definition, frame, results)
        launch.raise_trap()
    return [_published(port, fresh[port.name], arguments, launch)
            for port in definition.written] + results


def _block(machine: Machine, definition: Definition, frame: Frame, results: list[Array]) -> Task:
    """Run the body for the lanes of one block and keep what each instance gives."""
    assert definition.body is not None
    trace = frame.lanes.launch.trace
    if trace is not None:
        trace.launched(definition, frame)
    try:
        found = yield machine.region(definition.body, frame)
    except ParentEnds:
        return
    for column, value in zip(results, found, strict=True):
        column[frame.lanes.instances] = value
    machine.poll()


def new_version(port: Port, arguments: dict[str, Any], environment: shapes.Environment,
                path: tuple[str, ...]) -> Array:
    """The array that a launch writes: a copy of the old version, or zeros (semantics 6).

    An extent with a capacity has room for all of it.
    """
    assert isinstance(port.type, BufferType)
    source = arguments.get(port.name if port.direction == 3 else port.source or "")
    if source is not None and port.type.capacity is None:
        return np.array(source, order="C")
    shape = shapes.buffer_shape(port.type, environment, f"`%{port.name}`", port.span)
    array = shapes.zeros(shape, port.type.element, f"`%{port.name}`", path, port.span)
    if source is not None:
        array[:len(source)] = source
    return array


def _published(port: Port, array: Array, arguments: dict[str, Any], launch: Launch) -> Array:
    """The new version: with a capacity, the elements that are valid."""
    if isinstance(port.type, BufferType) and port.type.capacity is not None:
        before = len(array) if port.direction == 2 else len(arguments[port.name])
        array = array[:launch.extents.get(port.name, before)]
    array.flags.writeable = False
    return array


def _watch(machine: Machine, launch: Launch, port: Port, shape: tuple[int, ...],
           ) -> OwnerWatch | RaceWatch | None:
    mode = MODES[port.mode]
    if not port.written or mode == "accumulate":
        return None
    if mode == "own checked":
        watch: OwnerWatch | RaceWatch = OwnerWatch(port.name, shape)
    elif machine.options.check_races:
        watch = RaceWatch(port.name, shape, launch.definition.name, mode == "own", launch.grid)
    else:
        return None
    launch.watches.append(watch)
    return watch


def _blocks(machine: Machine, total: int, size: int) -> Iterator[Array]:
    """Instance numbers of each block, in the order asked for."""
    order = machine.options.lane_order
    starts: Sequence[int] = range(0, total, size) if total else ()
    generator = None
    if order == "reverse":
        starts = starts[::-1]
    elif order is not None:
        generator = np.random.default_rng(int(order.partition(":")[2]))
        starts = generator.permutation(np.array(starts, np.int64)).tolist()
    for start in starts:
        block = np.arange(start, min(start + size, total), dtype=np.int64)
        if generator is not None:
            block = generator.permutation(block)
        yield block[::-1] if order == "reverse" else block


def _frame(definition: Definition, lanes: Lanes, bound: dict[str, Any],
           environment: shapes.Environment, grid: tuple[int, ...]) -> Frame:
    frame = Frame(lanes)
    for port in definition.ports:
        found = bound[port.name]
        frame.values[port.value] = found.array[lanes.instances] if isinstance(found, GridValue) \
            else found
    for name, value in definition.symbols.items():
        frame.values[value] = values.index_value(environment[name])
    rest = lanes.instances
    for value, extent in zip(reversed(definition.ids), reversed(grid), strict=True):
        frame.values[value] = rest % extent
        rest = rest // extent
    return frame
