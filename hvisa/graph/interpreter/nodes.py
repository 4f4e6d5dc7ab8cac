"""A node at run time: arguments meet ports, grids of graphs, boxes, and how results are joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from hvisa.graph.interpreter import shapes, values
from hvisa.graph.interpreter.collectives import fold_instances
from hvisa.graph.interpreter.graphs import GraphFrame, boxed, run_graph, unverified
from hvisa.graph.interpreter.launch import launch_leaf, trap_error
from hvisa.graph.interpreter.machine import Task
from hvisa.graph.interpreter.values import Array, GridValue
from hvisa.graph.model import Definition, Function, Instr, NodeDetail, Output, Port
from hvisa.spec import numerics, types as ty
from hvisa.spec.operations import MODES, OUTPUT_FORMS, REDUCTIONS, UPDATES
from hvisa.spec.types import BufferType, GridType, StreamType, Type

Box = tuple[slice, ...]


def run_node(frame: GraphFrame, instr: Instr, operands: Sequence[Any] | None) -> Task:
    """Launch a node; its results. `operands` stand for the node's own where a stream's items do."""
    frame.machine.poll()
    callee = frame.machine.module.definitions.get(instr.callee or "")
    if callee is None or isinstance(callee, Function) or callee.body is None:
        raise unverified("HV0107", f"`@{instr.callee}` is not a leaf or graph of this module", instr.span)
    detail: NodeDetail = instr.detail
    if detail.ids:
        return (yield _Replication(frame, instr, callee, operands).run())
    found = list(operands) if operands is not None else [frame.operand(o) for o in instr.operands]
    boxes = [_box(frame, instr, n, array, frame.environment, frame.instance)
             for n, array in enumerate(found)]
    parts = [a if b is None else a[b] for a, b in zip(found, boxes, strict=True)]
    arguments = {p.name: a for p, a in zip(callee.taken, parts, strict=True)}
    environment = bind_symbols(frame, instr, callee, arguments)
    path = (*frame.path, callee.name)
    elsewhere = frame.machine.options.run_node
    results = elsewhere(callee, arguments) if elsewhere is not None else None
    if results is not None:
        grid = shapes.extents(callee.grid, environment, "the grid", instr.span)
    elif callee.kind == "graph":
        results = yield run_graph(frame.machine, callee, arguments, environment, path)
        grid = ()
    else:
        results = yield launch_leaf(frame.machine, callee, arguments, environment, path)
        grid = shapes.extents(callee.grid, environment, "the grid", instr.span)
    count = len(callee.written)
    versions = [_pasted(found, boxes, callee, port, new)
                for port, new in zip(callee.written, results[:count], strict=True)]
    return versions + [join_results(type_, output, array, grid) for type_, output, array in
                       zip(callee.results, detail.outputs[count:], results[count:], strict=True)]


def _box(frame: GraphFrame, instr: Instr, position: int, array: Any,
         environment: shapes.Environment, instance: tuple[int, ...] | None) -> Box | None:
    box = instr.detail.arguments[position].box
    if box is None:
        return None
    return boxed(frame, box, array.shape, environment, f"`@{instr.callee}`", instr, instance)


def _pasted(found: list[Any], boxes: list[Box | None], callee: Definition, port: Port,
            new: Array) -> Array:
    """The new version of a whole buffer of which a node was given a box."""
    if port.direction != 3:
        return new
    position = callee.taken.index(port)
    box = boxes[position]
    if box is None:
        return new
    whole = np.array(found[position])
    whole[box] = new
    return whole


def bind_symbols(frame: GraphFrame, instr: Instr, callee: Definition, arguments: dict[str, Any],
                 parts: Sequence[tuple[Port, tuple[int, ...]]] = ()) -> shapes.Environment:
    """The callee's symbols: from index arguments, shapes, and the boxes of written ports
    (`parts`)."""
    environment: shapes.Environment = {}
    for port in callee.taken:
        found = arguments[port.name]
        if port.type is ty.INDEX and isinstance(found, np.ndarray):
            environment[port.name] = int(found[0])
    shaped = [(p, shape_of(arguments[p.name])) for p in callee.taken
              if isinstance(p.type, (BufferType, GridType))] + list(parts)
    for port, shape in shaped:
        shapes.bind(port.type, shape, environment)
    for port in callee.taken:
        if isinstance(port.type, StreamType):
            shapes.bind_items(port.type, arguments[port.name].items, environment)
    for port, shape in shaped:
        what = f"`%{port.name}` of `@{callee.name}`"
        error = shapes.check_shape(port.type, shape, environment, what, instr.span)
        if error is not None:
            raise error
    return environment


def shape_of(found: Any) -> tuple[int, ...]:
    return found.extents if isinstance(found, GridValue) else found.shape


def join_results(type_: Type, output: Output, array: Any, grid: tuple[int, ...]) -> Any:
    """What a result given per instance (rows in row-major order) becomes (semantics 5)."""
    form = OUTPUT_FORMS[output.form]
    if form == "plain":
        return GridValue(array, grid) if grid else array
    element = values.element_type(type_)
    if form == "collect":
        return np.ascontiguousarray(values.to_storage(array, element)).reshape(grid)
    return fold_instances(REDUCTIONS[output.operator], array, element)[0]


class _Replication:
    """A launch of a graph over a grid, instance after instance; each sees its boxes."""

    def __init__(self, frame: GraphFrame, instr: Instr, callee: Definition,
                 operands: Sequence[Any] | None):
        self.frame = frame
        self.instr = instr
        self.callee = callee
        self.operands = operands
        self.detail: NodeDetail = instr.detail
        self.path = (*frame.path, callee.name)
        self.grid = shapes.grid_extents(self.detail.grid, frame.environment,
                                        f"the grid of `@{callee.name}`", instr.span)
        self.wholes: dict[str, Array] = {}
        self.owned: dict[str, Array] = {}

    def run(self) -> Task:
        callee, total = self.callee, int(np.prod(self.grid, dtype=object))
        self._start()
        results = [np.zeros((total, *values.zero(t).shape[1:]), values.zero(t).dtype)
                   for t in callee.results]
        for number, ids in self._instances(total):
            found = yield self._instance(number, ids)
            for column, value in zip(results, found, strict=True):
                column[number] = value[0]
            self.frame.machine.poll()
        count = len(callee.written)
        return [self.wholes[p.name] for p in callee.written] + [
            join_results(type_, output, array, self.grid) for type_, output, array in
            zip(callee.results, self.detail.outputs[count:], results, strict=True)]

    def _instances(self, total: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        order = self.frame.machine.options.lane_order
        if order is None:
            yield from enumerate(product(*map(range, self.grid)))
            return
        numbers = np.arange(total)[::-1]
        if order != "reverse":
            numbers = np.random.default_rng(int(order.partition(":")[2])).permutation(total)
        for number in numbers.tolist():
            yield number, tuple(int(i) for i in np.unravel_index(number, self.grid))

    def _start(self) -> None:
        """New versions of the written buffers, which the instances fill part by part."""
        frame = self.frame
        for port, output in zip(self.callee.written, self.detail.outputs, strict=False):
            if port.direction == 3:
                position = self.callee.taken.index(port)
                self.wholes[port.name] = np.array(self._operand(position))
            elif isinstance(output.whole, BufferType):
                what = f"`%{port.name}` of `@{self.callee.name}`"
                shape = shapes.buffer_shape(output.whole, frame.environment, what, self.instr.span)
                self.wholes[port.name] = shapes.zeros(
                    shape, output.whole.element, what, frame.path, self.instr.span)
            else:
                self._start_accumulated(port)
            if MODES[port.mode] == "own checked":
                self.owned[port.name] = np.zeros(self.wholes[port.name].shape, bool)

    def _start_accumulated(self, port: Port) -> None:
        """A whole `out` buffer that all instances add to starts as zeros."""
        if MODES[port.mode] != "accumulate" or not isinstance(port.type, BufferType):
            raise unverified("HV0506", f"`%{port.name}` of `@{self.callee.name}` has no box for "
                             "each instance", self.instr.span)
        arguments: dict[str, Any] = {}
        for position, (passed, argument) in enumerate(zip(self.callee.taken, self.detail.arguments,
                                                          strict=True)):
            if argument.box is None and self.instr.operands[position] not in self.detail.ids:
                arguments[passed.name] = self._operand(position)
        environment: shapes.Environment = {}
        for name, found in arguments.items():
            passed = self.callee.port(name)
            assert passed is not None
            if passed.type is ty.INDEX and isinstance(found, np.ndarray):
                environment[name] = int(found[0])
            elif isinstance(passed.type, (BufferType, GridType)):
                shapes.bind(passed.type, shape_of(found), environment)
        shape = shapes.buffer_shape(port.type, environment, f"`%{port.name}`", self.instr.span)
        self.wholes[port.name] = shapes.zeros(shape, port.type.element, f"`%{port.name}`",
                                              self.frame.path, self.instr.span)

    def _operand(self, position: int) -> Any:
        if self.operands is not None:
            return self.operands[position]
        return self.frame.operand(self.instr.operands[position])

    def _instance(self, number: int, ids: tuple[int, ...]) -> Task:
        """Run one instance and put its parts into the new versions; its results."""
        frame, callee, detail = self.frame, self.callee, self.detail
        for value, found in zip(detail.ids, ids, strict=True):
            frame.define(value, values.index_value(found))
        arguments: dict[str, Any] = {}
        boxes: dict[str, Box] = {}
        parts: list[tuple[Port, tuple[int, ...]]] = []
        for position, port in enumerate(callee.taken):
            found = self.wholes.get(port.name)
            found = self._operand(position) if found is None else found
            box = _box(frame, self.instr, position, found, frame.environment, ids)
            if box is not None:
                boxes[port.name] = box
                found = found[box]
            if isinstance(found, GridValue) and not isinstance(port.type, GridType):
                found = found.array[number:number + 1]
            arguments[port.name] = found
        for port, output in zip(callee.written, detail.outputs, strict=False):
            if output.box is not None:
                whole = self.wholes[port.name]
                box = boxed(frame, output.box, whole.shape, frame.environment,
                            f"`@{callee.name}`", self.instr, ids)
                boxes[port.name] = box
                parts.append((port, whole[box].shape))
        self._own(boxes, ids)
        environment = bind_symbols(frame, self.instr, callee, arguments, parts)
        results = yield run_graph(frame.machine, callee, arguments, environment, self.path, ids)
        # What comes back may be a view of a version that is overwritten next.
        results = [np.array(r) if isinstance(r, np.ndarray) else r for r in results]
        for port, new in zip(callee.written, results, strict=False):
            self._keep(port, boxes.get(port.name), new)
        return results[len(callee.written):]

    def _own(self, boxes: dict[str, Box], ids: tuple[int, ...]) -> None:
        """`own checked`: the boxes of two instances share no element (HV0906)."""
        for name, owned in self.owned.items():
            part = owned[boxes.get(name, (slice(None),) * owned.ndim)]
            if part.any():
                raise trap_error("HV0906", f"the box of `%{name}` overlaps that of another "
                                 "instance", self.path, ids, self.instr.span,
                                 "each element of an `own` port belongs to one instance")
            part[...] = True

    def _keep(self, port: Port, box: Box | None, new: Array) -> None:
        whole = self.wholes[port.name]
        if box is not None:
            whole[box] = new
        elif port.direction == 3:
            self.wholes[port.name] = np.array(new)
        else:
            element = values.element_type(port.type)
            total = numerics.combine(UPDATES[port.operator], values.from_storage(whole, element),
                                     values.from_storage(new, element), element)
            self.wholes[port.name] = values.to_storage(total, element)
