"""Functions and methods of whole arrays: those of numpy, by hvisa's names and by numpy's own."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hvisa.frontends.python.annotations import scalar_of
from hvisa.frontends.python.arrays import Emitter, Index, Lazy, Wire, elementwise
from hvisa.frontends.python.builder import constant_dim
from hvisa.frontends.python.graphs import GraphBuilder
from hvisa.frontends.python.names import KEYWORDS, REDUCING, Operation
from hvisa.frontends.python.values import Array, Const, Items, Known, Number
from hvisa.graph.model import Instr, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType

_ELEMENTWISE = ("where", "min", "max")
_METHODS = ("copy", "dot", "clip", "transpose")
_LOGICAL = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}


class GraphArrays(GraphBuilder):
    """One method for each function that is no instruction."""

    def _method(self, node: ast.Call, function: ast.Attribute) -> Any:
        """`x.sum(axis=0)`, `x.astype(f32)`, `x.copy()`; None if the owner is no array."""
        owner = self.expression(function.value)
        if not isinstance(owner, (Wire, Lazy, Array)):
            return None
        self.options(node, function.attr, KEYWORDS.get(function.attr, ()))
        if function.attr == "astype" and len(node.args) == 1:
            return self.converted(node, self._type(node, node.args[0], "astype"), owner)
        if function.attr in (*REDUCING, "mean"):
            return self._reduction(node, function.attr, owner, node.args)
        if function.attr in _METHODS:
            return getattr(self, f"_call_{function.attr}")(node, [owner, *map(self.expression, node.args)])
        self.refuse(node, "HV1214", f"arrays have no `.{function.attr}(...)` in a graph",
                    "they have `.sum()`, `.max()`, `.min()`, `.mean()`, `.any()`, `.all()`, "
                    "`.argmax()`, `.argmin()`, `.astype(...)`, `.copy()`, `.dot(...)`, `.clip(...)`, "
                    "`.transpose()`")

    def _operation(self, node: ast.Call, operation: Operation) -> Any:
        name = operation.name
        self.options(node, name, operation.keywords)
        special = getattr(self, f"_call_{name}", None)
        if special is not None:
            return special(node)
        if name == "mean" or (name in REDUCING and not (name in ("min", "max") and len(node.args) > 1)):
            value = self.expression(node.args[0]) if node.args else None
            if operation.builtin and isinstance(value, (Wire, Lazy, Array)) \
                    and len(self.lazy(node, value).shape) > 1:
                self.refuse(node, "HV1204", f"Python's `{name}` goes over the rows of a matrix",
                            f"write `hvisa.{name}(x)` for all elements, `hvisa.{name}(x, axis=0)` for "
                            "the rows joined")
            return self._reduction(node, name, value, node.args[1:])
        values = [self.expression(a) for a in node.args]
        if name == "where":
            return self.function(node, "select", values)
        if name in ("min", "max") and len(values) > 2:
            for value in values[1:-1]:
                values[0] = self.function(node, name, [values[0], value])
            values = [values[0], values[-1]]
        if (operation.row is not None and operation.row.semantics is not None) or name in _ELEMENTWISE:
            return self.function(node, name, values)
        self.refuse(node, "HV1203", f"`{name}` stands in a leaf", "write a `@hvisa.leaf` and call it here")

    # -- arguments -----------------------------------------------------------------------------

    def _count(self, node: ast.Call, name: str, count: int) -> None:
        if len(node.args) != count:
            self.refuse(node, "HV1211", f"`{name}` takes {count} argument{'s' * (count != 1)}, "
                        f"{len(node.args)} given")

    def _values(self, node: ast.Call, name: str, count: int, values: list[Any] | None) -> list[Any]:
        """The arguments of a function, or of a method with what it belongs to."""
        found = [self.expression(a) for a in node.args] if values is None else values
        if len(found) != count:
            self.refuse(node, "HV1211", f"`{name}` takes {count} argument{'s' * (count != 1)}, "
                        f"{len(found)} given")
        return found

    def _type(self, node: ast.AST, given: ast.expr, name: str) -> ScalarType:
        wanted = self.expression(given)
        type_ = scalar_of(wanted.object) if isinstance(wanted, Known) else None
        if type_ is None:
            self.refuse(node, "HV1211", f"`{name}` takes a type", f"for example `{name}(f32)`")
        return type_

    def _option(self, node: ast.Call, option: str, placed: Sequence[ast.expr] = ()) -> ast.expr | None:
        """An argument that is given by name, or is the only one of those that stand at its place on."""
        named = next((k.value for k in node.keywords if k.arg == option), None)
        if len(placed) > (named is None):
            self.refuse(placed[-1], "HV1211", f"`{option}` is given twice" if named is not None else
                        "this is one argument too many", f"for example `{option}=...`, once")
        return placed[0] if placed else named

    def _axes(self, node: ast.AST, value: Any) -> int | tuple[int, ...] | None:
        items = value.items if isinstance(value, Items) else [value]
        if not all(isinstance(v, Const) and (type(v.value) is int or (
                v.value is None and not isinstance(value, Items))) for v in items):
            self.refuse(node, "HV1211", "an axis is a constant")
        return tuple(v.value for v in items) if isinstance(value, Items) else value.value

    # -- reductions ----------------------------------------------------------------------------

    def _reduction(self, node: ast.Call, name: str, value: Any, rest: list[ast.expr]) -> Any:
        if value is None or isinstance(node.args[0] if node.args else None, ast.GeneratorExp):
            self.refuse(node, "HV1203", f"`{name}` of a generator stands in a leaf",
                        f"in a graph, `{name}` takes an array: `hvisa.{name}(x, axis=0)`")
        given, kept = self._option(node, "axis", rest), self._option(node, "keepdims")
        axis = self._axes(node, Const(None) if given is None else self.expression(given))
        keep = Const(False) if kept is None else self.expression(kept)
        if not isinstance(keep, Const):
            self.refuse(node, "HV1211", "`keepdims` is True or False")
        if name == "mean":
            return self.mean(node, value, axis, bool(keep.value))
        return self.reduced(node, REDUCING[name], value, axis, bool(keep.value))

    # -- new arrays ----------------------------------------------------------------------------

    def _buffer(self, node: ast.Call, mnemonic: str) -> Wire:
        if not node.args:
            self.refuse(node, "HV1211", f"`{mnemonic}` takes an element type and extents",
                        f"for example `hvisa.{mnemonic}(f32, 32, 32)`")
        if self._is_type(node.args[0]):
            type_ = self.compiler.buffer_type(self, node, mnemonic)  # type: ignore[arg-type]
        else:
            type_ = ty.buffer(self._dtype(node, node.args[1:]) or ty.F64, self._shape(node, node.args[0]))
        return self._new(node, mnemonic, type_)

    def _new(self, node: ast.AST, mnemonic: str, type_: ty.BufferType) -> Wire:
        instr = Instr(ROWS[mnemonic], [], [Value(None, type_)], self.file.span(node))
        instr.type_argument = type_
        self.region.body.append(instr)
        return Wire(instr.results[0], type_)

    def _is_type(self, node: ast.expr) -> bool:
        found = self.expression(node)
        return isinstance(found, Known) and scalar_of(found.object) is not None

    def _shape(self, node: ast.AST, given: ast.expr) -> tuple[Dim, ...]:
        """A shape as numpy has it: a number or a tuple."""
        found = self.expression(given)
        return tuple(self.compiler.dimension(self, node, v)
                     for v in (found.items if isinstance(found, Items) else [found]))

    def _dtype(self, node: ast.Call, placed: Sequence[ast.expr] = ()) -> ScalarType | None:
        given = self._option(node, "dtype", placed)
        return None if given is None else self._type(node, given, "dtype")

    def _call_zeros(self, node: ast.Call) -> Wire:
        return self._buffer(node, "zeros")

    def _call_empty(self, node: ast.Call) -> Wire:
        return self._buffer(node, "zeros")

    def _call_scratch(self, node: ast.Call) -> Wire:
        return self._buffer(node, "scratch")

    def _call_ones(self, node: ast.Call) -> Lazy:
        if node.args and self._is_type(node.args[0]):
            type_ = self.compiler.buffer_type(self, node, "ones")  # type: ignore[arg-type]
            return self._filled(node, type_.shape, Const(1), type_.element)
        self._count(node, "ones", 1)
        return self._filled(node, self._shape(node, node.args[0]), Const(1),
                            self._dtype(node) or ty.F64)

    def _call_full(self, node: ast.Call) -> Lazy:
        self._count(node, "full", 2)
        return self._filled(node, self._shape(node, node.args[0]), self.expression(node.args[1]),
                            self._dtype(node))

    def _filled(self, node: ast.AST, shape: tuple[Dim, ...], value: Any, type_: ScalarType | None) -> Lazy:
        """One number everywhere."""
        one = self.lazy(node, value if type_ is None else self.converted(node, type_, value))
        if one.shape:
            self.refuse(node, "HV1204", "an array is filled with a number, and this is an array",
                        "add it to zeros to spread it: `hvisa.zeros(f32, n, m) + row`")
        return Lazy(node, shape, lambda emitter, index: emitter.at(one, []), [one], one.cost)

    def _like(self, node: ast.Call, name: str, count: int) -> tuple[list[Any], tuple[Dim, ...],
                                                                    ScalarType]:
        """The arguments of a `..._like`, and the shape and type that it takes over."""
        self._count(node, name, count)
        values = [self.expression(a) for a in node.args]
        lazy = self.lazy(node, values[0])
        return values, lazy.shape, self._dtype(node) or self.type_of(lazy)

    def type_of(self, lazy: Lazy) -> ScalarType:
        raise NotImplementedError

    def _call_zeros_like(self, node: ast.Call) -> Any:
        _, shape, type_ = self._like(node, "zeros_like", 1)
        return self._new(node, "zeros", ty.buffer(type_, shape))

    def _call_empty_like(self, node: ast.Call) -> Any:
        return self._call_zeros_like(node)

    def _call_ones_like(self, node: ast.Call) -> Lazy:
        _, shape, type_ = self._like(node, "ones_like", 1)
        return self._filled(node, shape, Const(1), type_)

    def _call_full_like(self, node: ast.Call) -> Lazy:
        values, shape, type_ = self._like(node, "full_like", 2)
        return self._filled(node, shape, values[1], type_)

    def _call_arange(self, node: ast.Call) -> Lazy:
        """Whole numbers in order, from 0 or a start, in steps."""
        if not 1 <= len(node.args) <= 3:
            self.refuse(node, "HV1211", "`arange` takes an end, or a start, an end and a step")
        bounds = [constant_dim(self.expression(a)) for a in node.args]
        if None in bounds:
            self.refuse(node, "HV1221", "`arange` counts between whole numbers that are known at launch",
                        "multiply it: `0.5 * hvisa.arange(n)`")
        found = [b for b in bounds if b is not None]
        low, high = (dims.constant(0), found[0]) if len(found) == 1 else found[:2]
        step = found[2].constant if len(found) == 3 else 1
        if not step:
            self.refuse(node, "HV1212", "the step of `arange` is a constant and not 0")
        type_ = self._dtype(node) or ty.I64
        length = high - low if step > 0 else low - high
        length = length if abs(step) == 1 else dims.ceildiv(length, abs(step))

        def emit(emitter: Emitter, index: Index) -> Number:
            place = emitter.moved(node, index[0], low, step)
            number = emitter.plain_number(node, place)
            return emitter.convert(node, number, type_, explicit=True)
        return Lazy(node, (length,), emit, cost=1)

    def _call_copy(self, node: ast.Call, values: list[Any] | None = None) -> Any:
        """The array as it is now. Versions are values in a graph, so nothing has to be copied here."""
        return self.copy_of(node, self._values(node, "copy", 1, values)[0])

    # -- functions of arrays -------------------------------------------------------------------

    def _call_transpose(self, node: ast.Call, values: list[Any] | None = None) -> Lazy:
        given = [self.expression(a) for a in node.args] if values is None else values
        if not given:
            self.refuse(node, "HV1211", "`transpose` takes an array")
        named = None
        if node.keywords:
            named = self._option(node, "axes", node.args[1:] if values is None else node.args)
        rest = given[1:] if named is None else [self.expression(named)]
        order = self._axes(node, rest[0] if len(rest) == 1 else Items(rest)) if rest else None
        return self.transposed(node, given[0], (order,) if isinstance(order, int) else order)

    def _call_flip(self, node: ast.Call) -> Lazy:
        if not node.args:
            self.refuse(node, "HV1211", "`flip` takes an array")
        given = self._option(node, "axis", node.args[1:])
        axis = self._axes(node, self.expression(given)) if given is not None else None
        value = self.expression(node.args[0])
        if isinstance(axis, tuple) or (axis is not None and not (
                -(rank := len(self.lazy(node, value).shape)) <= axis < rank)):
            self.refuse(node, "HV1212", f"there is no axis {axis} to turn round")
        return self.flipped(node, value, axis)

    def _call_dot(self, node: ast.Call, values: list[Any] | None = None) -> Any:
        return self.dot(node, *self._values(node, "dot", 2, values))

    def _call_matmul(self, node: ast.Call) -> Lazy:
        return self.matmul(node, *self._values(node, "matmul", 2, None))

    def _call_outer(self, node: ast.Call) -> Any:
        return self.outer(node, *self._values(node, "outer", 2, None))

    def _call_clip(self, node: ast.Call, values: list[Any] | None = None) -> Any:
        value, low, high = self._values(node, "clip", 3, values)
        for name, bound in (("max", low), ("min", high)):
            if not (isinstance(bound, Const) and bound.value is None):
                value = self.function(node, name, [value, bound])
        return value

    # Functions that only numpy has a name for; here they are operators.

    def _call_amax(self, node: ast.Call) -> Any:
        return self._reduction(node, "max", self.expression(node.args[0]) if node.args else None,
                               node.args[1:])

    def _call_amin(self, node: ast.Call) -> Any:
        return self._reduction(node, "min", self.expression(node.args[0]) if node.args else None,
                               node.args[1:])

    def _call_divide(self, node: ast.Call) -> Any:
        return self.binary_operation(node, ast.Div(), *self._values(node, "divide", 2, None))

    def _call_square(self, node: ast.Call) -> Any:
        value, = self._values(node, "square", 1, None)
        return self.binary_operation(node, ast.Mult(), value, value)

    def _logical(self, node: ast.Call, name: str) -> Lazy:
        lazies = [self.lazy(node, v) for v in self._values(node, name, 2, None)]

        def combine(emitter: Emitter, found: list[Number]) -> Number:
            a, b = (emitter.operand(node, emitter.condition(node, v), ty.I1) for v in found)
            return emitter.value(node, _LOGICAL[name], a, b)
        return elementwise(self, node, lazies, combine)

    def _call_logical_and(self, node: ast.Call) -> Lazy:
        return self._logical(node, "logical_and")

    def _call_logical_or(self, node: ast.Call) -> Lazy:
        return self._logical(node, "logical_or")

    def _call_logical_xor(self, node: ast.Call) -> Lazy:
        return self._logical(node, "logical_xor")

    def _call_logical_not(self, node: ast.Call) -> Any:
        return self.unary_operation(node, ast.Not(), *self._values(node, "logical_not", 1, None))

