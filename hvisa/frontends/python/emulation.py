"""Leaves run by plain Python, one instance after the other: to debug them, and to test the compiler.

The function runs as it is written. Only the names that it takes from outside stand for something else:
types convert as in a leaf, Python's `min`, `sum`, `abs` are the operations of that name, decorated
functions run their body, symbols of shapes are numbers. Where Python differs from a compiled leaf:

- A Python number that a name may also hold has no type: after `if c: v = 0` with `else: v = x[i]`, `v`
  is an int where c holds. `v: f32 = 0.0` converts nothing.
- Python's ints don't wrap, its floats raise when divided by zero, and numpy refuses an int that does not
  fit the type it meets. Typed numbers (numpy's scalars) do what a leaf does, but for shifts by their width
  or more, which numpy takes to 0 and a leaf by the count modulo the width.
- Vectors are numpy arrays: after `w = v`, `w[0] = x` changes `v` as well.
- What needs the other instances (`barrier`, `group_reduce`) and empty `min` and `max` are refused.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import threading
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from hvisa.diagnostics import Diagnostic, HvisaError, HvisaTrap, Span, fail, instance_text
from hvisa.frontends.python import emulated_operations
from hvisa.frontends.python.annotations import VectorKind, scalar_of
from hvisa.frontends.python.definitions import Header, PythonFunction
from hvisa.frontends.python.emulated_operations import VectorMaker, VectorMakers
from hvisa.frontends.python.emulated_values import Buffer, Converter, Fault, bfloat16, converted
from hvisa.frontends.python.names import aliases
from hvisa.graph.model import LeafNode, Port
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import DIRECTIONS, MODES, UPDATES
from hvisa.spec.types import BufferType, ScalarType, Type, VectorType

_running = threading.local()
_aliases = functools.cache(aliases)


def run_operation(operation: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """An operation called from plain Python: on numbers, or in an instance that is run."""
    with np.errstate(all="ignore"):
        return emulated_operations.run(operation, arguments, named, getattr(_running, "instance", None))


class Instance:
    """One instance of a grid: its ids, and the symbols of the leaf's shapes."""

    __slots__ = ("ids", "symbols")

    def __init__(self, ids: tuple[int, ...], symbols: Mapping[str, int]):
        self.ids = ids
        self.symbols = symbols


class _Divisions:
    """Where numpy reports divisions by zero: those of integers are traps."""

    def write(self, message: str) -> None:
        if "floor_divide" in message or "remainder" in message:
            raise Fault("HV0901", "division by zero", "keep the divisor away from zero")


class _Outside:
    """A module in a body: its members as the body has them."""

    def __init__(self, scope: Scope, owner: types.ModuleType):
        self._scope = scope
        self._owner = owner

    def __getattr__(self, name: str) -> Any:
        return self._scope.inside(name, getattr(self._owner, name))


class Scope:
    """The names of one function from outside, as its body has them, and the function itself."""

    def __init__(self, function: PythonFunction, symbols: Mapping[str, int]):
        self.symbols = symbols
        python = function.python
        code = python.__code__
        names = {**python.__globals__}
        for name in _names(code):
            if name in names:
                names[name] = self.inside(name, names[name])
            elif hasattr(builtins, name):
                names[name] = self.inside(name, getattr(builtins, name))
            elif name in symbols:
                names[name] = symbols[name]
        cells = [types.CellType(self.inside(n, c.cell_contents))
                 for n, c in zip(code.co_freevars, python.__closure__ or (), strict=True)]
        self.call = types.FunctionType(code, names, python.__name__, None, tuple(cells))

    def inside(self, name: str, found: Any) -> Any:
        """An object from outside as the body has it."""
        if isinstance(found, np.generic):
            return found
        if isinstance(found, np.ndarray):
            return _constant(name, found)
        if isinstance(found, Dim):
            return found.evaluate(self.symbols)
        if isinstance(found, types.ModuleType):
            return _Outside(self, found)
        if isinstance(found, PythonFunction):
            return _Called(found) if found.kind == "func" else found
        if isinstance(found, (tuple, list)):
            return type(found)([self.inside(name, v) for v in found])
        if isinstance(found, VectorKind):
            return VectorMakers()
        if isinstance(found, VectorType):
            return VectorMaker(found)
        if found is range:
            return _range
        type_ = scalar_of(found)
        return _aliases().get(id(found), found) if type_ is None else Converter(type_)


def _range(*bounds: Any) -> range:
    """Loops whose step is computed count upward."""
    step = bounds[2] if len(bounds) == 3 else 1
    if step == 0 or (isinstance(step, np.generic) and int(step) < 1):
        raise Fault("HV0904", f"the step of a loop is {step}, below 1", "use a positive step")
    return range(*bounds)


def _names(code: types.CodeType) -> set[str]:
    """The names that a body looks up outside, those of its generators included."""
    return {*code.co_names}.union(*(_names(c) for c in code.co_consts if isinstance(c, types.CodeType)))


def _constant(name: str, found: Any) -> Buffer:
    element = scalar_of(found.dtype.type)
    if element is None:
        raise fail("HV1219", f"an array of {found.dtype} can't be a constant")
    return Buffer(name, found.view(np.uint16) if element is ty.BF16 else found, element, written=False)


def _passed(value: Any, type_: Type) -> Any:
    """A number that crosses the border of a function: `index` numbers are Python's."""
    if isinstance(type_, VectorType):
        return converted(value, type_.element)
    assert isinstance(type_, ScalarType)
    found = converted(value, type_)
    return int(found) if type_ is ty.INDEX else found


@functools.lru_cache(maxsize=64)
def _header(function: PythonFunction) -> Header:
    return Header(function)


class _Called:
    """A decorated function that is called in a body."""

    def __init__(self, function: PythonFunction):
        self.function = function
        self.__name__ = function.__name__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        header = _header(self.function)
        parameters = header.arguments()
        values = dict(zip([p.arg for p in parameters], arguments, strict=False)) | named
        symbols: dict[str, int] = {}
        for parameter in parameters:
            if parameter.arg not in values:
                continue  # Python says so
            value = values[parameter.arg]
            if parameter.annotation is None:
                if isinstance(value, float) and not isinstance(value, np.generic):
                    values[parameter.arg] = np.float64(value)
                continue
            type_ = header.port(parameter).type
            if isinstance(type_, BufferType):
                symbols |= {d.symbol: n for d, n in zip(type_.shape, value.shape, strict=True)
                            if d.symbol is not None}
            else:
                values[parameter.arg] = _passed(value, type_)
                if type_ is ty.INDEX:
                    symbols[parameter.arg] = values[parameter.arg]
        found = Scope(self.function, symbols).call(**values)
        wanted = header.results()
        if wanted is None:
            return np.float64(found) if type(found) is float else found
        results = [_passed(v, t) for v, t in zip(
            found if isinstance(found, tuple) else (found,), wanted, strict=True)]
        return results[0] if len(results) == 1 else tuple(results)


class Outputs:
    """What a leaf has computed: arrays of its written ports by name, extents that it has set, and the
    arrays of its results."""

    def __init__(self, written: dict[str, Any], results: list[Any]):
        self.written = written
        self.counts: dict[str, int] = {}
        self.results = results


def run_leaf(function: PythonFunction, leaf: LeafNode, arguments: Mapping[str, Any],
             symbols: Mapping[str, int]) -> Outputs:
    """Run each instance of a leaf's grid. `arguments` has an array for each buffer, of which written ones
    are copied, a number for each scalar. Raises HvisaTrap for a program's fault."""
    grid = tuple(d.evaluate(symbols) for d in leaf.grid)
    outputs = Outputs(_written(leaf, arguments), [_result(t, grid) for t in leaf.results])
    values = {p.name: _argument(p, outputs, arguments) for p in leaf.ports}
    before = getattr(_running, "instance", None)
    scope = Scope(function, symbols)
    try:
        with np.errstate(all="ignore", divide="log", call=_Divisions()):
            for ids in itertools.product(*map(range, grid)):
                _running.instance = Instance(ids, symbols)
                try:
                    found = scope.call(**values)
                except Exception as error:
                    raise _explained(error, function, ids) from error
                for array, value, type_ in zip(
                        outputs.results, found if isinstance(found, tuple) else (found,), leaf.results,
                        strict=False):
                    made = _passed(value, type_)
                    array[ids] = made.view(np.uint16) if ty.element_of(type_) is ty.BF16 else made
    finally:
        _running.instance = before
    return outputs


def _written(leaf: LeafNode, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A new array for each written port, as its first instance finds it."""
    out: dict[str, Any] = {}
    for port in leaf.written:
        first = arguments[port.name] if DIRECTIONS[port.direction] == "inout" else \
            arguments[port.source] if port.source else None
        out[port.name] = np.zeros_like(arguments[port.name]) if first is None else first.copy()
    return out


def _result(type_: Any, grid: tuple[int, ...]) -> Any:
    element = ty.element_of(type_)
    assert element is not None
    lanes = (type_.lanes,) if isinstance(type_, VectorType) else ()
    return np.zeros((*grid, *lanes), element.storage_dtype)


def _argument(port: Port, outputs: Outputs, arguments: Mapping[str, Any]) -> Any:
    type_ = port.type
    if isinstance(type_, BufferType):
        mode = MODES[port.mode] if port.written else ""
        return Buffer(port.name, outputs.written.get(port.name, arguments[port.name]), type_.element,
                      written=port.written, shared=mode == "shared",
                      accumulate=UPDATES[port.operator] if mode == "accumulate" else "",
                      counts=outputs.counts if type_.capacity is not None else None)
    value = arguments[port.name]
    if ty.element_of(type_) is ty.BF16:
        value = np.asarray(value).view(bfloat16())[()]
    return int(value) if type_ is ty.INDEX else value


def _explained(error: Exception, function: PythonFunction, ids: tuple[int, ...]) -> HvisaError:
    """The error with its place, as hvisa has it."""
    span = _place(error, function)
    code, help, trap = "", "", True
    message = str(error)
    match error:
        case Fault():
            code, help = error.code, error.help
        case AssertionError():
            text = span.source.line(span.line).strip() if span and span.source else ""
            code, message = "HV0903", f"assertion failed: {message or text.removeprefix('assert ')}"
        case ZeroDivisionError() if "integer" in message:
            code, message, help = "HV0901", "division by zero", "keep the divisor away from zero"
        case HvisaError():
            first = error.diagnostics[0]
            if first.span is not None:
                return error
            code, message, help, trap = first.code, first.message, first.help, False
        case OverflowError():
            code, help, trap = "HV1206", "convert it first: `i32(k)`", False
        case _:
            code, message, trap = "HV1203", f"plain Python can't run this: {message}", False
    if not trap:
        return HvisaError(Diagnostic(code, message, span, help=help))
    path = (function.__name__,)
    return HvisaTrap(Diagnostic(code, f"{message} ({instance_text(path, ids)})", span, help=help), path,
                     ids or None)


def _place(error: Exception, function: PythonFunction) -> Span | None:
    """Where the body, or a function that it calls, was."""
    name = function.python.__code__.co_filename
    found = None
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == name:
            places = list(code.co_positions())
            line, last, first, end = places[trace.tb_lasti // 2]
            node = ast.Pass(lineno=line or trace.tb_lineno, end_lineno=last, col_offset=first or 0,
                            end_col_offset=end)
            found = function.source[0].span(node)
        trace = trace.tb_next
    return found
