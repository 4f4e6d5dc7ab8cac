"""The engine: instructions become steps, bodies run on an explicit stack.

A step is a function of a frame. The step of a construct that runs a region or a body is a
generator: it yields the generators that it waits for and is sent what they return, so that nesting
and call depth cost no Python stack.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Mapping
from typing import Any

import numpy as np

from hvisa.diagnostics import Diagnostic, LaunchTimeout, Span, fail
from hvisa.graph.interpreter import values
from hvisa.graph.interpreter.lanes import Frame
from hvisa.graph.interpreter.scopes import Scopes
from hvisa.graph.interpreter.values import Array, LeafBuffer
from hvisa.graph.model import (
    Constant,
    Definition,
    DimValue,
    GlobalConstant,
    GlobalRef,
    Instr,
    Module,
    Operand,
    Region,
    Value,
)
from hvisa.spec.dimensions import Atom, Dim
from hvisa.spec.types import ScalarType

Task = Generator[Any, Any, Any]
Step = Callable[[Frame], Any]
Getter = Callable[[Frame], Any]
# (step, whether it is a generator, instruction)
Steps = tuple[list[tuple[Step, bool, Instr]], list[Getter]]


def drive(task: Task) -> Any:
    """Run a task and all that it waits for; what it returns."""
    stack = [task]
    answer: Any = None
    error: BaseException | None = None
    while stack:
        try:
            waiting = stack[-1].send(answer) if error is None else stack[-1].throw(error)
            stack.append(waiting)
            answer = error = None
        except StopIteration as end:
            stack.pop()
            answer, error = end.value, None
        except BaseException as raised:
            stack.pop()
            answer, error = None, raised
    if error is not None:
        raise error
    return answer


class Options:
    """What the host asked for; the fields are the keyword arguments of `Interpreter`."""

    __slots__ = ("check_races", "externs", "lane_order", "print_sink", "run_node", "stop",
                 "trace_instance", "trace_sink", "trace_text", "traced")

    def __init__(self, externs: Mapping[str, Callable[..., Any]], print_sink: Callable[[str], None],
                 check_races: bool, trace_instance: tuple[str, tuple[int, ...]] | None,
                 stop: Callable[[], bool] | None, lane_order: str | None,
                 run_node: Callable[[Definition, dict[str, Any]], list[Any] | None] | None = None,
                 trace_sink: Callable[[str], None] | None = None,
                 trace_text: Callable[[Instr], str] | None = None):
        self.externs = externs
        self.print_sink = print_sink
        self.check_races = check_races
        self.trace_instance = trace_instance
        self.trace_sink = trace_sink
        self.trace_text = trace_text
        self.stop = stop
        self.lane_order = lane_order
        self.run_node = run_node
        self.traced: list[tuple[int, ...]] = []  # grids of the launches that could be followed


class Machine:
    """One module made ready to run. Steps are made when a region is first run."""

    def __init__(self, module: Module, options: Options):
        self.module = module
        self.options = options
        self.scopes = Scopes(module)
        self.makers: Mapping[str, Callable[[Machine, Instr], tuple[Step, bool]]] = {}
        self._steps: dict[Region, Steps] = {}
        self._constants: dict[str, Any] = {}
        self._facts: dict[Definition, Any] = {}

    def facts(self, definition: Definition, find: Callable[[Definition], Any]) -> Any:
        """What `find` says of a definition, found once."""
        found = self._facts.get(definition)
        if found is None:
            found = self._facts[definition] = find(definition)
        return found

    def poll(self) -> None:
        """Stop (LaunchTimeout) if the host says so; called at every loop's back-edge."""
        stop = self.options.stop
        if stop is not None and stop():
            raise LaunchTimeout(Diagnostic("HV1008", "the launch was stopped by the host",
                                           help="give it more time: `timeout=`"))

    # -- regions -------------------------------------------------------------------------------

    def steps(self, region: Region) -> Steps:
        found = self._steps.get(region)
        if found is None:
            found = self._steps[region] = self._prepare(region)
        return found

    def _prepare(self, region: Region) -> Steps:
        body = region.body
        ends = bool(body) and body[-1].row.terminator
        steps: list[tuple[Step, bool, Instr]] = []
        for instr in body[:-1] if ends else body:
            step, waits = self.makers[instr.row.mnemonic](self, instr)
            steps.append((step, waits, instr))
        return steps, [self.getter(o) for o in body[-1].operands] if ends else []

    def region(self, region: Region, frame: Frame) -> Task:
        """Run a region's steps in a frame; the operands of its terminator."""
        trace = frame.lanes.launch.trace
        if trace is not None:
            return (yield trace.region(self, region, frame))
        steps, yielded = self.steps(region)
        for step, waits, _ in steps:
            if waits:
                yield step(frame)
            else:
                step(frame)
        return [get(frame) for get in yielded]

    # -- operands ------------------------------------------------------------------------------

    def getter(self, operand: Operand) -> Getter:
        """How to read an operand in a leaf or function."""
        if isinstance(operand, Value):
            return lambda frame: frame.get(operand)
        if isinstance(operand, Constant):
            constant = values.constant_value(operand)
            return lambda frame: constant
        if isinstance(operand, GlobalRef):
            found = self.leaf_constant(operand.name)
            return lambda frame: found
        assert isinstance(operand, DimValue), operand
        names = self.scopes.names(operand)
        dim = operand.dim
        return lambda frame: lane_dim(dim, {n: frame.get(v) for n, v in names.items()})

    def global_constant(self, name: str, span: Span | None = None) -> GlobalConstant:
        found = self.module.constants.get(name)
        if found is None:
            raise fail("HV0107", f"`@{name}` is not a constant of this module", span,
                       help=f"define it: `const @{name}: f32 = 1.0`")
        return found

    def leaf_constant(self, name: str) -> Any:
        """A module constant in a leaf: a uniform value or a buffer."""
        found = self._constants.get(name)
        if found is None:
            constant = self.global_constant(name)
            element = values.element_type(constant.type)
            if isinstance(constant.type, ScalarType):
                found = values.from_storage(constant.data.reshape(1), element)
            else:
                found = LeafBuffer(f"@{name}", element, constant.data)
            self._constants[name] = found
        return found


def lane_dim(dim: Dim, symbols: Mapping[str, Array]) -> Array:
    """An index expression as a value of type index; every operation wraps."""
    total = np.zeros(1, np.int64)
    for monomial, coefficient in dim.terms:
        product = np.array([coefficient], np.int64)
        for atom in monomial:
            product = product * (symbols[atom] if isinstance(atom, str) else _lane_atom(atom, symbols))
        total = total + product
    return total


def _lane_atom(atom: Atom, symbols: Mapping[str, Array]) -> Array:
    operands = [lane_dim(o, symbols) for o in atom.operands]
    if atom.kind in ("min", "max"):
        return functools.reduce(np.minimum if atom.kind == "min" else np.maximum, operands)
    a, b = operands
    if (b < 1).any():
        raise fail("HV1005", f"a divisor is {b[b < 1][0]}; divisors are at least 1",
                   help="check the sizes of the arguments")
    return a // b if atom.kind == "floordiv" else a % b
