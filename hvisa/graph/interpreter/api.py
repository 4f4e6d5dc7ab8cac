"""`Interpreter`: the device `reference`, the judge of all others. It takes verified modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hvisa.diagnostics import fail
from hvisa.graph.interpreter import hosts, shapes, values
from hvisa.graph.interpreter.graphs import run_graph
from hvisa.graph.interpreter.launch import launch_leaf
from hvisa.graph.interpreter.machine import Machine, Options, Task, drive
from hvisa.graph.interpreter.nodes import shape_of
from hvisa.graph.interpreter.steps import MAKERS
from hvisa.graph.interpreter.tracing import check_trace, check_traced
from hvisa.graph.interpreter.values import GridValue, Stream
from hvisa.graph.model import Definition, Function, Instr, Module, Port
from hvisa.spec import types as ty
from hvisa.spec.types import BufferType, GridType, StreamType, Type, VectorType


class Interpreter:
    """Runs the entries of a module exactly as the semantics page says.

    `externs` are the host functions that the module may call, by name; each gets numpy scalars and
    read-only arrays and returns one value or a tuple. `print_sink` takes each line that a program
    prints (standard output by default), `trace_sink` (else `print_sink`) the log of
    `trace_instance`: a leaf's name, or its path `entry/.../leaf`, or "" for every leaf that has it,
    and the grid ids of the instance to follow; `trace_text` writes an instruction for the log.
    `check_races` reports instances
    that touch an element of a written port without order (HV0320). `stop` is asked at every
    back-edge; if true, `run` raises LaunchTimeout. `lane_order` ("reverse", "random:<seed>")
    changes the order in which instances run, which no `exact` result may depend on. `run_node` may
    run a node without grid elsewhere: it gets the callee and its arguments and gives the written
    ports and results, or None to leave the node to the interpreter.
    """

    def __init__(self, module: Module, *, externs: Mapping[str, Callable[..., Any]] | None = None,
                 print_sink: Callable[[str], None] | None = None, check_races: bool = False,
                 trace_instance: tuple[str, tuple[int, ...]] | None = None,
                 stop: Callable[[], bool] | None = None, lane_order: str | None = None,
                 run_node: Callable[[Definition, dict[str, Any]], list[Any] | None] | None = None,
                 trace_sink: Callable[[str], None] | None = None,
                 trace_text: Callable[[Instr], str] | None = None):
        self.module = module
        options = Options(externs or {}, print_sink or print, check_races, trace_instance, stop,
                          _checked_order(lane_order), run_node, trace_sink, trace_text)
        self._machine = Machine(module, options)
        self._machine.makers = MAKERS

    def run(self, entry: str, arguments: Mapping[str, Any], *,
            out_shapes: Mapping[str, Sequence[int]] | None = None) -> dict[str, Any]:
        """Run an entry; its written ports by name, then its results by name (or `result0`, ...).

        `arguments` has a value for each port but the `out` ones: arrays of exactly the storage
        dtype (bf16 as uint16 bits) and any strides, never changed; numpy or Python scalars; lists
        for streams. `out_shapes` binds the symbols of an `out` port that nothing else does. Written
        buffers come back as fresh arrays, scalars as numpy scalars, streams as lists, a leaf's
        results over a grid as arrays of the grid's shape. Raises HvisaTrap for a program's fault
        (nothing is published), HvisaError for a launch that can't begin (HV1001 to HV1009).
        """
        definition = self._entry(entry)
        options = self._machine.options
        check_trace(options, self.module, definition)
        passed = _arguments(definition, arguments)
        environment = _environment(definition, passed, out_shapes or {})
        try:
            with np.errstate(all="ignore"):
                found = drive(self._launch(definition, passed, environment))
        except MemoryError:
            raise fail("HV1005", f"there is no memory to run `@{definition.name}`", definition.span,
                       help="use smaller sizes") from None
        check_traced(options)
        names = [p.name for p in definition.written] + definition.result_keys
        types = [p.type for p in definition.written] + definition.results
        return {n: _result(v, t) for n, v, t in zip(names, found, types, strict=True)}

    def _entry(self, entry: str) -> Definition:
        definition = self.module.definitions.get(entry.lstrip("@"))
        if definition is None or isinstance(definition, Function) or definition.body is None:
            known = ", ".join(f"@{d.name}" for d in self.module.definitions.values()
                              if d.kind != "func" and d.public and d.body is not None)
            raise fail("HV1009", f"`@{entry.lstrip('@')}` is not a leaf or graph of this module",
                       help=f"entries are {known or 'none'}")
        return definition

    def _launch(self, definition: Definition, passed: dict[str, Any],
                environment: shapes.Environment) -> Task:
        path = (definition.name,)
        if definition.kind == "graph":
            return run_graph(self._machine, definition, passed, environment, path)
        return self._leaf(definition, passed, environment, path)

    def _leaf(self, definition: Definition, passed: dict[str, Any],
              environment: shapes.Environment, path: tuple[str, ...]) -> Task:
        found = yield launch_leaf(self._machine, definition, passed, environment, path)
        grid = shapes.extents(definition.grid, environment, "the grid", definition.span)
        count = len(definition.written)
        return found[:count] + [GridValue(a, grid) if grid else a for a in found[count:]]


def _checked_order(lane_order: str | None) -> str | None:
    if lane_order in (None, "reverse"):
        return lane_order
    word, _, seed = lane_order.partition(":")
    if word != "random" or not seed.isdigit():
        raise ValueError(f"lane_order is None, 'reverse' or 'random:<seed>', not {lane_order!r}")
    return lane_order


def _arguments(definition: Definition, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Host arguments as values, by port name. HV1001 for names, HV1002 and HV1003 for types."""
    ports = {p.name: p for p in definition.taken}
    wrong = [n for n in arguments if n not in ports]
    missing = [n for n in ports if n not in arguments]
    if wrong or missing:
        what = f"`@{definition.name}` has no port `%{wrong[0]}` to pass" if wrong else \
            f"`@{definition.name}` needs an argument for `%{missing[0]}`"
        raise fail("HV1001", what, definition.span,
                   help=f"it takes ({', '.join(f'%{n}' for n in ports)})")
    return {name: _argument(arguments[name], port.type, f"`%{name}` of `@{definition.name}`", port)
            for name, port in ports.items()}


def _argument(found: Any, type_: Type, what: str, port: Port) -> Any:
    if isinstance(type_, BufferType):
        return hosts.array_of(found, type_.element, type_.rank, what, type_)
    if isinstance(type_, GridType):
        element = values.element_type(type_)
        lanes = (type_.element.lanes,) if isinstance(type_.element, VectorType) else ()
        rank = len(type_.extents)
        array = hosts.array_of(found, element, rank + len(lanes), what, type_)
        return GridValue(values.from_storage(np.ascontiguousarray(array), element)
                         .reshape(-1, *lanes), array.shape[:rank])
    if isinstance(type_, StreamType):
        if not isinstance(found, (list, tuple)):
            raise fail("HV1003", f"{what} is {type_}, the argument is a {type(found).__name__}",
                       port.span, help="pass a list of items")
        return Stream([_argument(i, type_.item, f"item {n} of {what}", port)
                       for n, i in enumerate(found)])
    return hosts.value_of(found, type_, what)


def _environment(definition: Definition, passed: dict[str, Any],
                 out_shapes: Mapping[str, Sequence[int]]) -> shapes.Environment:
    """The header's symbols; every shape is held against its type (HV1004)."""
    environment: shapes.Environment = {
        name: int(passed[name][0]) for name in shapes.index_ports(definition)}
    shaped = [(p, shape_of(passed[p.name])) for p in definition.taken
              if isinstance(p.type, (BufferType, GridType))]
    for name, shape in out_shapes.items():
        port = definition.port(name)
        if port is None or port.direction != 2 or not isinstance(port.type, BufferType) \
                or len(shape) != port.type.rank:
            raise fail("HV1001", f"`out_shapes` has no use for `%{name}` of `@{definition.name}`",
                       definition.span, help="it takes a shape for each `out` buffer port")
        shaped.append((port, tuple(int(n) for n in shape)))
    for port, shape in shaped:
        shapes.bind(port.type, shape, environment)
    for port in definition.taken:
        if isinstance(port.type, StreamType):
            shapes.bind_items(port.type, passed[port.name].items, environment)
    for port, shape in shaped:
        error = shapes.check_shape(port.type, shape, environment,
                                   f"`%{port.name}` of `@{definition.name}`", port.span)
        if error is not None:
            raise error
    return environment


def _result(found: Any, type_: Type) -> Any:
    """What the host gets: nothing of ours is shared with it."""
    if isinstance(found, Stream):
        item = type_.item if isinstance(type_, StreamType) else type_
        return [_result(i, item) for i in found.items]
    if isinstance(found, GridValue):
        element = values.element_type(type_ if not isinstance(type_, GridType) else type_.element)
        stored = values.to_storage(found.array, element)
        return np.array(stored).reshape(*found.extents, *found.array.shape[1:])
    if isinstance(type_, BufferType):
        return np.array(found)
    assert type_ is not ty.ERROR
    return hosts.to_host(found, type_)
