"""Regions and calls: `if`, `for`, `while`, `call`. Every step here waits for others (a
generator)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hvisa.diagnostics import HvisaError, fail
from hvisa.graph.interpreter import hosts, shapes, values
from hvisa.graph.interpreter.lanes import Frame
from hvisa.graph.interpreter.machine import Machine, Step, Task
from hvisa.graph.interpreter.values import Array, LeafBuffer
from hvisa.graph.model import Function, Instr, Value

# A long loop goes on with the lanes still in it when they are fewer than one in COMPACT.
COMPACT = 4
COMPACT_LANES = 1024


def branch(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    condition_of = machine.getter(instr.operands[0])
    types = [v.type for v in instr.results]

    def arm(frame: Frame, number: int, condition: Array) -> Task:
        """One side, by the lanes that take it; zeros if there are none."""
        saved = frame.lanes.mask
        frame.lanes.narrow(values.spread(condition, frame.lanes.count))
        found: list[Array] = [values.zero(t) for t in types]
        if frame.lanes.any_active():
            found = yield machine.region(instr.regions[number], frame)
        frame.lanes.restore(saved)
        return found

    def step(frame: Frame) -> Task:
        condition: Array = condition_of(frame)
        if len(condition) == 1:
            taken = yield machine.region(instr.regions[0 if condition[0] else 1], frame)
            frame.values.update(zip(instr.results, taken, strict=True))
            return
        first = yield arm(frame, 0, condition)
        second = yield arm(frame, 1, ~condition)
        for result, a, b in zip(instr.results, first, second, strict=True):
            frame.values[result] = values.mix(condition, a, b)
    return step, True


def rounds_of(low: Array, high: Array, step: Array) -> Array:
    """How often `for` runs, as uint64: exact over the whole range of the type. Steps are at least
    1."""
    wide = [a.astype(np.int64).astype(np.uint64) if a.dtype.kind == "i" else a.astype(np.uint64)
            for a in (low, high, step)]
    distance = wide[1] - wide[0]
    return np.where(high > low, (distance - np.uint64(1)) // wide[2] + np.uint64(1), np.uint64(0))


def counted(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    getters = [machine.getter(o) for o in instr.operands]
    region = instr.regions[0]
    counter, *carried = region.parameters

    def uniform(frame: Frame, low: Array, step: Array, rounds: int, state: list[Array]) -> Task:
        lanes, number = frame.lanes, 0
        while number < rounds and lanes.any_active():
            at = int(low[0]) + number * int(step[0])
            frame.values[counter] = np.array([at], low.dtype)
            frame.values.update(zip(carried, state, strict=True))
            state = yield machine.region(region, frame)
            number += 1
            machine.poll()
        return state

    def varying(frame: Frame, low: Array, step: Array, rounds: Array, state: list[Array],
                number: int) -> Task:
        lanes, saved = frame.lanes, frame.lanes.mask
        while True:
            active = rounds > number
            lanes.restore(saved)
            lanes.narrow(values.spread(active, lanes.count))
            going = np.flatnonzero(lanes.active())
            if not len(going):
                break
            if _worth_compacting(lanes.count, len(going)):
                part = frame.part(going)
                left = [_pick(x, going) for x in (low, step, rounds, *state)]
                inner = yield varying(part, left[0], left[1], left[2], left[3:], number)
                state = _scatter(state, going, inner, lanes.count)
                break
            # The number of a round may not fit the type; modulo 2^bits the counter is the same.
            frame.values[counter] = low + step * np.array([number], np.uint64).astype(step.dtype)
            frame.values.update(zip(carried, state, strict=True))
            new = yield machine.region(region, frame)
            state = [values.mix(active, n, s) for n, s in zip(new, state, strict=True)]
            number += 1
            machine.poll()
        lanes.restore(saved)
        return state

    def step(frame: Frame) -> Task:
        low, high, by, *state = [get(frame) for get in getters]
        if (by < 1).any():
            frame.lanes.trap(by < 1, "HV0904", instr, lambda lane: "the step of `for` is "
                             f"{int(by[min(lane, len(by) - 1)])}", "a step is at least 1")
            by = np.maximum(by, by.dtype.type(1))
        rounds = rounds_of(low, high, by)
        if len(rounds) == 1:
            state = yield uniform(frame, low, by, int(rounds[0]), state)
        else:
            state = yield varying(frame, low, by, rounds, state, 0)
        frame.values.update(zip(instr.results, state, strict=True))
    return step, True


def _worth_compacting(count: int, going: int) -> bool:
    return count >= COMPACT_LANES and going * COMPACT <= count


def _pick(value: Array, lanes: Array) -> Array:
    return value if len(value) == 1 else value[lanes]


def _scatter(state: list[Array], lanes: Array, parts: list[Array], count: int) -> list[Array]:
    """The values with the lanes `lanes` replaced by the rows of `parts`."""
    out = [values.spread(value, count).copy() for value in state]
    for value, part in zip(out, parts, strict=True):
        value[lanes] = part
    return out


def repeated(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    getters = [machine.getter(o) for o in instr.operands]
    test, body = instr.regions
    carried: Sequence[Value] = test.parameters

    def rounds(frame: Frame, state: list[Array]) -> Task:
        lanes, saved = frame.lanes, frame.lanes.mask
        while lanes.any_active():
            frame.values.update(zip(carried, state, strict=True))
            (condition,) = yield machine.region(test, frame)
            lanes.narrow(values.spread(condition, lanes.count))
            going = np.flatnonzero(lanes.active())
            if not len(going):
                break
            active = lanes.mask
            new = yield machine.region(body, frame)
            state = new if active is None else [values.mix(active, n, s)
                                                for n, s in zip(new, state, strict=True)]
            machine.poll()
            if _worth_compacting(lanes.count, len(going)) and lanes.any_active():
                going = np.flatnonzero(lanes.active())
                inner = yield rounds(frame.part(going), [_pick(s, going) for s in state])
                state = _scatter(state, going, inner, lanes.count)
                break
        lanes.restore(saved)
        return state

    def step(frame: Frame) -> Task:
        state = yield rounds(frame, [get(frame) for get in getters])
        frame.values.update(zip(instr.results, state, strict=True))
    return step, True


def call(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    callee = machine.module.definitions.get(instr.callee or "")
    getters = [machine.getter(o) for o in instr.operands]
    if not isinstance(callee, Function) or (callee.body is None and not callee.external):
        raise fail("HV0107", f"`@{instr.callee}` is not a function of this module", instr.span,
                   help="link the module that defines it")

    def inside(frame: Frame) -> Task:
        operands = [get(frame) for get in getters]
        inner = Frame(frame.lanes)
        environment: shapes.Environment = {}
        for port, found in zip(callee.ports, operands, strict=True):
            inner.values[port.value] = found
            if isinstance(found, LeafBuffer):
                shapes.bind(port.type, found.shape, environment)
        inner.values.update((value, values.index_value(environment[name]))
                            for name, value in callee.symbols.items() if name in environment)
        assert callee.body is not None
        found = yield machine.region(callee.body, inner)
        frame.values.update(zip(instr.results, found, strict=True))

    def outside(frame: Frame) -> Task:
        yield from ()
        operands = [get(frame) for get in getters]
        frame.values.update(zip(instr.results, _external(machine, instr, callee, operands, frame),
                                strict=True))
    return (outside if callee.external else inside), True


def _external(machine: Machine, instr: Instr, callee: Function, operands: list[Any],
              frame: Frame) -> list[Array]:
    """Call the host once for each lane on the path; what it raises is a trap of that lane."""
    function = machine.options.externs.get(callee.name)
    if function is None:
        raise fail("HV0703", f"the host does not allow the extern function `@{callee.name}`",
                   instr.span, help=f"pass it: `externs={{\"{callee.name}\": function}}`")
    lanes = frame.lanes
    out = [np.repeat(values.zero(t), lanes.count, axis=0) for t in callee.results]
    for lane in np.flatnonzero(lanes.active()):
        arguments = [_host_value(o, p.type, int(lane)) for o, p in
                     zip(operands, callee.ports, strict=True)]
        try:
            found: Any = function(*arguments)
            found = found if isinstance(found, tuple) else (found,) if callee.results else ()
            for column, value, type_ in zip(out, found, callee.results, strict=True):
                column[lane] = hosts.value_of(value, type_, f"a result of `@{callee.name}`")[0]
        except HvisaError:
            raise
        except Exception as error:
            bad = np.zeros(lanes.count, bool)
            bad[lane] = True
            text = f"the extern function `@{callee.name}` failed: {type(error).__name__}: {error}"
            lanes.trap(bad, "HV0908", instr, text, "look at the host function and what it is given")
    return out


def _host_value(operand: Any, type_: Any, lane: int) -> Any:
    """What the host function sees: numpy scalars and arrays of the storage dtype, buffers
    read-only."""
    if isinstance(operand, LeafBuffer):
        view = operand.array.view() if operand.rows is None else \
            operand.array[operand.rows[lane]].view()
        view.flags.writeable = False
        return view
    return values.to_storage(operand, values.element_type(type_))[lane if len(operand) > 1 else 0]
