"""Bodies of internal nodes: buffers are immutable arrays, each construct makes new ones (semantics
1 to 9).

Launches are in `nodes`, streams in `streams`. Every construct is a task (see `machine`) that
returns its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from hvisa.diagnostics import HvisaError, Span, fail
from hvisa.graph.interpreter import shapes, values
from hvisa.graph.interpreter.launch import trap_error
from hvisa.graph.interpreter.machine import Machine, Task
from hvisa.graph.interpreter.values import Array, GridValue, Stream
from hvisa.graph.model import (
    Box,
    Constant,
    Definition,
    DimValue,
    GlobalRef,
    Instr,
    Operand,
    Region,
    Value,
)
from hvisa.spec import types as ty
from hvisa.spec.types import BufferType, ScalarType, StreamType


class GraphFrame:
    """The values of one instance of a graph: arrays of length 1 for scalars, storage arrays for
    buffers, GridValue, Stream. `environment` has every dimension symbol in force; `instance` are
    the grid ids of a replicated graph."""

    __slots__ = ("environment", "instance", "machine", "path", "values")

    def __init__(self, machine: Machine, path: tuple[str, ...], environment: shapes.Environment,
                 instance: tuple[int, ...] | None = None):
        self.machine = machine
        self.path = path
        self.environment = environment
        self.instance = instance
        self.values: dict[Value, Any] = {}

    def define(self, value: Value, found: Any) -> None:
        """Give a value; numbers of type index and fresh leading extents become symbols."""
        self.values[value] = found
        type_ = value.type
        if type_ is ty.INDEX and value.name and isinstance(found, np.ndarray):
            self.environment[value.name] = int(found[0])
        elif isinstance(type_, BufferType):
            symbol = type_.shape[0].symbol if type_.capacity is not None else None
            if symbol is not None:
                self.environment[symbol] = len(found)
            shapes.bind(type_, found.shape, self.environment)
        elif isinstance(type_, ty.GridType) and isinstance(found, GridValue):
            shapes.bind(type_, found.extents, self.environment)

    def operand(self, operand: Operand) -> Any:
        if isinstance(operand, Value):
            return self.values[operand]
        if isinstance(operand, Constant):
            return values.constant_value(operand)
        if isinstance(operand, GlobalRef):
            constant = self.machine.global_constant(operand.name)
            if isinstance(constant.type, ScalarType):
                return values.from_storage(constant.data.reshape(1), constant.type)
            return constant.data
        assert isinstance(operand, DimValue), operand
        found = shapes.evaluate(operand.dim, self.environment, None)
        if not ty.INDEX.minimum <= found <= ty.INDEX.maximum:
            raise fail("HV1005", f"`{operand.dim}` is {found}, beyond the range of `index`",
                       help="check the sizes of the arguments")
        return values.index_value(found)

    def trap(self, code: str, message: str, span: Span | None, help: str) -> HvisaError:
        return trap_error(code, message, self.path, self.instance, span, help)


def unverified(code: str, message: str, span: Span | None) -> HvisaError:
    """The module breaks a rule that the verifier holds it to; `code` is the verifier's."""
    return fail(code, message, span, help="verify the module first: `hvisa verify`")


def run_graph(machine: Machine, definition: Definition, arguments: dict[str, Any],
              environment: shapes.Environment, path: tuple[str, ...],
              instance: tuple[int, ...] | None = None) -> Task:
    """Run one instance of a graph: the last versions of the written ports, then the results.

    `arguments` and `environment` are as for `launch_leaf`.
    """
    frame = GraphFrame(machine, path, environment, instance)
    for name, value in definition.symbols.items():
        if name in environment:
            frame.values[value] = values.index_value(environment[name])
    for port in definition.ports:
        if port.taken:  # an `out` port has no value in a graph
            frame.define(port.value, arguments[port.name])
    if definition.body is None:
        raise unverified("HV0707", f"`@{definition.name}` has no body", definition.span)
    return (yield run_body(definition.body, frame))


def run_body(region: Region, frame: GraphFrame) -> Task:
    """Run a region of a graph; the operands of its `yield`.

    Nodes over streams gather in a network, which runs at the end of the region and before a
    construct with regions, since that may read them.
    """
    from hvisa.graph.interpreter.streams import Network, uses_streams
    network = Network(frame)
    body = region.body
    ends = bool(body) and body[-1].row.terminator
    for instr in body[:-1] if ends else body:
        if not instr.regions and uses_streams(instr):
            network.add(instr)
            continue
        if instr.regions:
            yield network.run()
        found = yield CONSTRUCTS[instr.row.mnemonic](frame, instr)
        for value, result in zip(instr.results, found, strict=True):
            frame.define(value, result)
    yield network.run()
    return [frame.operand(o) for o in body[-1].operands] if ends else []


# -- control ---------------------------------------------------------------------------------------

def branch(frame: GraphFrame, instr: Instr) -> Task:
    condition = frame.operand(instr.operands[0])
    return (yield run_body(instr.regions[0 if condition[0] else 1], frame))


def counted(frame: GraphFrame, instr: Instr) -> Task:
    low, high, step, *state = [frame.operand(o) for o in instr.operands]
    region = instr.regions[0]
    if step[0] < 1:
        raise frame.trap("HV0904", f"the step of `for` is {int(step[0])}", instr.span,
                         "a step is at least 1")
    for number in range(int(low[0]), int(high[0]), int(step[0])):
        frame.define(region.parameters[0], np.array([number], low.dtype))
        _carry(frame, region, 1, state)
        state = yield run_body(region, frame)
        frame.machine.poll()
    return state


def repeated(frame: GraphFrame, instr: Instr) -> Task:
    state = [frame.operand(o) for o in instr.operands]
    region = instr.regions[0]
    while not state[instr.immediates[0]][0]:
        _carry(frame, region, 0, state)
        state = yield run_body(region, frame)
        frame.machine.poll()
    return state


def _carry(frame: GraphFrame, region: Region, start: int, state: Sequence[Any]) -> None:
    for value, found in zip(region.parameters[start:], state, strict=True):
        frame.define(value, found)


# -- buffers ---------------------------------------------------------------------------------------

def new_buffer(frame: GraphFrame, instr: Instr) -> Task:
    """`zeros` and `scratch`."""
    yield from ()
    type_ = instr.type_argument
    assert isinstance(type_, BufferType)
    what = f"`%{instr.results[0].name}`"
    shape = shapes.buffer_shape(type_, frame.environment, what, instr.span)
    return [shapes.zeros(shape, type_.element, what, frame.path, instr.span)]


def boxed(frame: GraphFrame, box: Box, shape: tuple[int, ...], environment: shapes.Environment,
          what: str, instr: Instr, instance: tuple[int, ...] | None) -> tuple[slice, ...]:
    """The box as slices, clipped at the far end. An offset outside the extents traps (HV0907)."""
    out: list[slice] = []
    for axis, ((offset_dim, length_dim), extent) in enumerate(zip(box, shape, strict=True)):
        offset = shapes.evaluate(offset_dim, environment, instr.span)
        length = shapes.evaluate(length_dim, environment, instr.span)
        if not 0 <= offset <= extent:
            raise trap_error(
                "HV0907", f"the box of {what} starts at {offset} along dimension {axis}, outside "
                f"0 .. {extent}", frame.path, instance, instr.span,
                "a box is clipped at the far end only; keep its offset within the extent")
        if length < 0:
            raise fail("HV1005", f"the box of {what} is {length} long: `{length_dim}`", instr.span,
                       help="check the sizes of the arguments")
        out.append(slice(offset, min(offset + length, extent)))
    return tuple(out)


def sliced(frame: GraphFrame, instr: Instr) -> Task:
    yield from ()
    array: Array = frame.operand(instr.operands[0])
    where = boxed(frame, instr.detail, array.shape, frame.environment, "`slice`", instr,
                  frame.instance)
    return [array[where]]


def split(frame: GraphFrame, instr: Instr) -> Task:
    yield from ()
    array: Array = frame.operand(instr.operands[0])
    axis = instr.immediates[0]
    extent = array.shape[axis]
    cuts = [shapes.evaluate(d, frame.environment, instr.span) for d in instr.detail]
    edges = [0, *cuts, extent]
    if any(a > b for a, b in pairwise(edges)):
        raise fail("HV1005", f"the cut points {cuts} of `split` are not in order within "
                   f"0 .. {extent}", instr.span, help="clamp them: `min(%k, %n)`")
    front = (slice(None),) * axis
    return [array[(*front, slice(a, b))] for a, b in pairwise(edges)]


def joined(frame: GraphFrame, instr: Instr) -> Task:
    yield from ()
    return [np.concatenate([frame.operand(o) for o in instr.operands], axis=instr.immediates[0])]


def matched(frame: GraphFrame, instr: Instr) -> Task:
    yield from ()
    left, right = instr.detail
    value = shapes.evaluate(right, frame.environment, instr.span)
    if instr.results:
        return [values.index_value(value)]
    found = shapes.evaluate(left, frame.environment, instr.span)
    if found != value:
        raise fail("HV1004", f"`match {left} == {right}` does not hold: {found} is not {value}",
                   instr.span, help="check the sizes of the arguments")
    return []


def _node(frame: GraphFrame, instr: Instr) -> Task:
    from hvisa.graph.interpreter.nodes import run_node
    return (yield run_node(frame, instr, None))


CONSTRUCTS: dict[str, Callable[[GraphFrame, Instr], Task]] = {
    "if": branch, "for": counted, "loop": repeated, "zeros": new_buffer, "scratch": new_buffer,
    "slice": sliced, "split": split, "join": joined, "match": matched, "node": _node}


def stream_item(type_: ty.Type) -> ty.Type:
    """The type of a stream's items; other types are their own."""
    return type_.item if isinstance(type_, StreamType) else type_


__all__ = ["GraphFrame", "Stream", "boxed", "run_body", "run_graph", "stream_item", "unverified"]
