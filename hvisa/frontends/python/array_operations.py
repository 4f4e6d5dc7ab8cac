"""Operators and functions on whole arrays, as lazy expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from hvisa.frontends.python.arithmetic import Arithmetic
from hvisa.frontends.python.arrays import Emitter, Lazy, Wire, elementwise
from hvisa.frontends.python.builder import constant_dim
from hvisa.frontends.python.library_calls import library_arguments
from hvisa.frontends.python.names import LibraryFunction
from hvisa.frontends.python.values import Array, Const, Expr, Number, Run, type_text
from hvisa.graph.model import Constant
from hvisa.spec import types as ty
from hvisa.spec.types import BufferType, GridType, ScalarType, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.graphs import GraphBuilder
    from hvisa.graph.inference import Inference

CHEAP = 3  # operations that are done again rather than stored
LIBRARY_COST = 20  # of a function of the mathematics, in operations


class ArrayOperations(Arithmetic):
    """What expressions of a graph mean. Names, calls of nodes and statements are added by others."""

    inference: Inference

    def expression(self, node: ast.expr) -> Any:
        raise NotImplementedError

    def wire(self, node: ast.AST, value: Any, type_: Any = None, name: str = "value") -> Wire:
        raise NotImplementedError

    def materialised(self, lazy: Lazy, name: str = "value") -> Lazy:
        raise NotImplementedError

    def matmul(self, node: ast.AST, left: Any, right: Any) -> Lazy:
        raise NotImplementedError

    @property
    def _graph(self) -> GraphBuilder:
        return self  # type: ignore[return-value]

    @staticmethod
    def cheap(lazy: Lazy) -> int:
        """Up to how many operations an array is computed again rather than stored."""
        return CHEAP if lazy.shape else 0

    # -- leaves of expressions -----------------------------------------------------------------

    def lazy(self, node: ast.AST, value: Any) -> Lazy:
        """Any value of a graph as an array expression."""
        if isinstance(value, Lazy):
            return value
        if isinstance(value, Const):
            number = self.number(node, value)
            return Lazy(node, (), lambda emitter, index: number)
        if isinstance(value, Run):
            dim = value.dim
            if dim is not None:
                return Lazy(node, (), lambda emitter, index: emitter.dim(dim))
            if isinstance(value.operand, Constant):
                return Lazy(node, (), lambda emitter, index: value)
            value = Wire(value.operand, value.type)
        if isinstance(value, Array):
            value = Wire(value.operand, value.type)
        if isinstance(value, Wire):
            wire = value
            if isinstance(wire.type, BufferType):
                shape = wire.type.shape
            elif isinstance(wire.type, (ScalarType, VectorType)):
                shape = ()
            else:
                self.refuse(node, "HV1204", f"this is {shown(wire)}, and array expressions take buffers "
                            "and numbers", "join per-instance results: `hvisa.collect(node(...))`"
                            if isinstance(wire.type, GridType) else "compute on items in a leaf")
            return Lazy(node, shape, lambda emitter, index: emitter.element(node, wire, index), wire=wire)
        self.refuse(node, "HV1204", f"this is {type_text(value)}, and an array or a number is expected")

    # -- operators -----------------------------------------------------------------------------

    def _scalar_pair(self, *values: Any) -> bool:
        """Whether all are known now or made of dimensions, so that no leaf is needed."""
        return all(isinstance(v, Const) or (isinstance(v, Run) and (
            v.dim is not None or isinstance(v.operand, Constant))) for v in values)

    def binary_operation(self, node: ast.AST, op: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(op, ast.MatMult):
            return self.matmul(node, left, right)
        if self._scalar_pair(left, right):
            if all(isinstance(v, Const) for v in (left, right)):
                return self.binary(node, op, left, right)
            if all(constant_dim(v) is not None for v in (left, right)):
                found = self._dimension(op, left, right)
                if found is not None:
                    return found
        return elementwise(self._graph, node, [self.lazy(node, left), self.lazy(node, right)],
                           lambda emitter, v: _number(emitter.binary(node, op, v[0], v[1])))

    def unary_operation(self, node: ast.AST, op: ast.unaryop, value: Any) -> Any:
        if isinstance(value, Const):
            return self.unary(node, op, value)
        if isinstance(value, Run) and value.dim is not None and isinstance(op, ast.USub):
            return self.dim_run(-value.dim)
        return elementwise(self._graph, node, [self.lazy(node, value)],
                           lambda emitter, v: _number(emitter.unary(node, op, v[0])))

    def compare_operation(self, node: ast.AST, op: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(left, Const) and isinstance(right, Const):
            return self.compare(node, op, left, right)
        return elementwise(self._graph, node, [self.lazy(node, left), self.lazy(node, right)],
                           lambda emitter, v: emitter.compare(node, op, v[0], v[1]))

    def logical(self, node: ast.AST, mnemonic: str, values: list[Any]) -> Any:
        """`and` and `or` of numbers; all sides are computed."""
        def combine(emitter: Emitter, found: list[Number]) -> Number:
            out = emitter.condition(node, found[0])
            for value in found[1:]:
                other = emitter.condition(node, value)
                out = emitter.value(node, mnemonic, emitter.operand(node, out, ty.I1),
                                    emitter.operand(node, other, ty.I1))
            return out
        lazies = [self.lazy(node, v) for v in values]
        for lazy in lazies:
            if lazy.shape:
                self.refuse(node, "HV1204", f"`{mnemonic}` joins conditions, and this is an array",
                            "use `&` and `|` on arrays")
        return elementwise(self._graph, node, lazies, combine)

    def function(self, node: ast.AST, name: str, values: list[Any]) -> Lazy:
        """An instruction on the elements of arrays: `hvisa.sqrt(x)`."""
        return elementwise(self._graph, node, [self.lazy(node, v) for v in values],
                           lambda emitter, v: emitter.instruction(node, name, list(v)))

    def library(self, node: ast.AST, found: LibraryFunction, values: list[Any]) -> Lazy:
        """A function of the standard mathematics on the elements of arrays."""
        if len(found.results) != 1:
            self.refuse(node, "HV1203", f"`{found.name}` gives several values",
                        "call it in a leaf")

        _, rest = library_arguments(self, node, found, values)
        first: list[Expr] = values[:found.typed]

        def combine(emitter: Emitter, numbers: list[Number]) -> Number:
            return _number(emitter.compiler.library(emitter, node, found, [*first, *numbers]))
        out = elementwise(self._graph, node, [self.lazy(node, v) for v in rest], combine)
        out.cost += LIBRARY_COST
        return out

    def converted(self, node: ast.AST, type_: ScalarType, value: Any) -> Any:
        """`f32(x)` of numbers and arrays."""
        if isinstance(value, (Const, Run)) and self._scalar_pair(value):
            if isinstance(value, Const):
                return self.convert(node, self.number(node, value), type_, explicit=True)
            if type_ is ty.INDEX:
                return value
        return elementwise(self._graph, node, [self.lazy(node, value)],
                           lambda emitter, v: emitter.convert(node, v[0], type_, explicit=True))

    def copy_of(self, node: ast.AST, wire: Wire) -> Lazy:
        """The elements of a buffer, to be stored anew."""
        found = self.lazy(node, wire)
        return Lazy(node, found.shape, found.emit, [found])


def _number(value: Any) -> Number:
    assert isinstance(value, (Const, Run))
    return value


def shown(value: Any) -> str:
    """How a value of a graph is named in messages."""
    return str(value.type).replace("%", "") if isinstance(value, Wire) else \
        "an array" if isinstance(value, Lazy) else type_text(value)
