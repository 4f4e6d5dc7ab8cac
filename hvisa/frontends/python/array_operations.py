"""Operators and functions on whole arrays, as lazy expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from hvisa.frontends.python.arithmetic import Arithmetic
from hvisa.frontends.python.arrays import ONE, Emitter, Index, Lazy, Target, Wire, elementwise, materialise
from hvisa.frontends.python.builder import constant_dim
from hvisa.frontends.python.values import Array, Const, Items, Number, Run, type_text
from hvisa.graph.model import Constant, Instr, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, GridType, ScalarType, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.graphs import GraphBuilder
    from hvisa.graph.inference import Inference

CHEAP = 3  # operations that are done again rather than stored


class ArrayOperations(Arithmetic):
    """What expressions of a graph mean. Names, calls of nodes and statements are added by others."""

    inference: Inference

    def expression(self, node: ast.expr) -> Any:
        raise NotImplementedError

    def wire(self, node: ast.AST, value: Any, type_: Any = None, name: str = "value") -> Wire:
        raise NotImplementedError

    def materialised(self, lazy: Lazy, name: str = "value") -> Lazy:
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
                self.refuse(node, "HV1204", f"this is {_shown(wire)}, and array expressions take buffers "
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
        return Lazy(node, found.shape, found.emit)

    # -- slices --------------------------------------------------------------------------------

    def parts(self, node: ast.Subscript, shape: tuple[Dim, ...]) -> list[tuple[Dim, int, Dim | None]]:
        """Start, step and length of each index; no length where it takes one element."""
        slices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(slices) > len(shape):
            self.refuse(node, "HV1212", f"{len(slices)} indices for {len(shape)} dimensions")
        out: list[tuple[Dim, int, Dim | None]] = []
        for part, extent in zip(slices, shape, strict=False):
            if not isinstance(part, ast.Slice):
                out.append((self._bound(part, extent, None), 1, None))
                continue
            step = self.expression(part.step) if part.step is not None else Const(1)
            if not isinstance(step, Const) or type(step.value) is not int or step.value < 1:
                self.refuse(part.step or part, "HV1212", "the step of a slice is a positive constant",
                            "for example `x[::2]`")
            low = self._bound(part.lower, extent, dims.constant(0))
            high = self._bound(part.upper, extent, extent)
            length = high - low
            out.append((low, step.value, dims.ceildiv(length, step.value) if step.value > 1 else length))
        out += [(dims.constant(0), 1, extent) for extent in shape[len(slices):]]
        return out

    def _bound(self, node: ast.expr | None, extent: Dim, default: Dim | None) -> Dim:
        if node is None:
            assert default is not None
            return default
        value = self.expression(node)
        found = constant_dim(value)
        if found is None:
            self.refuse(node, "HV1221", f"an index here is known at launch, and this is {_shown(value)}",
                        "use numbers, extents and counters of loops; index with data in a leaf")
        negative = (found.constant or 0) < 0
        return extent + found if negative else found

    def sliced(self, node: ast.Subscript, value: Any) -> Lazy:
        """A part of an array: indices are mapped, nothing is copied."""
        lazy = self.lazy(node, value)
        if lazy.heavy:
            lazy = self.materialised(lazy)
        parts = self.parts(node, lazy.shape)
        shape = tuple(length for _, _, length in parts if length is not None)

        def emit(emitter: Emitter, index: Index) -> Number:
            left = iter(index)
            places: Index = []
            for start, step, length in parts:
                places.append(emitter.dim(start) if length is None else
                              emitter.moved(node, next(left), start, step))
            return emitter.at(lazy, places)
        return Lazy(node, shape, emit, lazy.cost)

    def assign_slice(self, node: ast.Subscript, wire: Wire, value: Any, name: str) -> Wire:
        """`a[1:-1] = value`: the next version of the buffer."""
        if not isinstance(wire.type, BufferType):
            self.refuse(node, "HV1204", f"this is {_shown(wire)}, which has no elements")
        parts = self.parts(node, wire.type.shape)
        lazy = self.lazy(node, value)
        shape = tuple(length for _, _, length in parts if length is not None)
        if len(lazy.shape) > len(shape):
            self.refuse(node, "HV1225", f"an array of {len(lazy.shape)} dimensions does not fit "
                        f"{len(shape)}")
        for have, want in zip(reversed(lazy.shape), reversed(shape), strict=False):
            if have != ONE and not self.inference.same(have, want):
                self.refuse(node, "HV1225", f"an extent of {have} does not fit one of {want}".replace(
                    "%", ""), "if they are equal, say so: `hvisa.match(a, b)`")
        if lazy.heavy and lazy.shape != shape:
            lazy = self.materialised(lazy)
        # A place of one element is an axis of one instance, so that every index has its id.
        full = tuple(ONE if length is None else length for _, _, length in parts)

        def emit(emitter: Emitter, index: Index) -> Number:
            own = [i for i, (_, _, length) in zip(index, parts, strict=True) if length is not None]
            return emitter.spread(lazy, own)
        whole = Lazy(node, full, emit, lazy.cost)
        return materialise(self._graph, whole, name, wanted=None,
                           target=Target(wire, [p[0] for p in parts], [p[1] for p in parts]))

    # -- reductions, products ------------------------------------------------------------------

    def reduced(self, node: ast.AST, op: str, value: Any, axis: int | None, keep: bool) -> Any:
        """`hvisa.sum(x, axis=1)`, in the order of semantics 11; of all elements, rows first."""
        lazy = self.lazy(node, value)
        rank = len(lazy.shape)
        if not rank:
            self.refuse(node, "HV1204", "a number can't be reduced")
        if axis is not None and not -rank <= axis < rank:
            self.refuse(node, "HV1212", f"there is no axis {axis}", f"axes are 0 to {rank - 1}")
        if axis is None and rank > 1 and not op.startswith("arg"):
            rows = self._reduced_axis(node, op, lazy, rank - 1, False)
            while len(rows.shape) > 3:
                rows = self._reduced_axis(node, op, self.materialised(rows), len(rows.shape) - 1, False)
            return materialise(self._graph, rows, op, axes=rows.shape, form=("reduce", op))
        if axis is None and rank > 1:
            self.refuse(node, "HV1203", f"`{op}` of several dimensions is not supported",
                        "give it an `axis`")
        return self._reduced_axis(node, op, lazy, (axis or 0) % rank, keep)

    def _reduced_axis(self, node: ast.AST, op: str, lazy: Lazy, axis: int, keep: bool) -> Lazy:
        shape = lazy.shape[:axis] + ((ONE,) if keep else ()) + lazy.shape[axis + 1:]
        source = self.materialised(lazy) if lazy.heavy else lazy

        def emit(emitter: Emitter, index: Index) -> Number:
            places = [*index[:axis], None, *index[axis + (1 if keep else 0):]]
            counter = Value(emitter.unique("r"), ty.INDEX)
            outer = emitter.region
            inner = emitter.region_of([counter])
            run = Run(counter, ty.INDEX, weak=True, nonneg=True)
            element = emitter.at(source, [run if p is None else p for p in places])
            typed = emitter.concrete(node, emitter.condition(node, element)
                                     if op in ("any", "all") else element)
            if typed.type is ty.I1 and op not in ("any", "all"):
                typed = emitter.convert(node, typed, ty.INDEX, explicit=True)
            emitter.emit(node, "yield", [typed.operand], results=())
            emitter.region = outer
            bounds = [emitter.operand(node, Const(0), ty.INDEX), emitter.dim(lazy.shape[axis]).operand]
            instr = emitter.emit(node, "reduce", bounds, typed.type, (REDUCTIONS.index(op),))
            instr.regions = (inner,)
            result = instr.results[-1 if op.startswith("arg") else 0]
            assert isinstance(result.type, ScalarType)
            return Run(result, result.type)
        return Lazy(node, shape, emit, lazy.cost + 1, heavy=True)

    def matmul(self, node: ast.AST, left: Any, right: Any) -> Lazy:
        """`a @ b` of matrices and vectors: `fma` along k, in order."""
        a, b = self.lazy(node, left), self.lazy(node, right)
        if not 1 <= len(a.shape) <= 2 or not 1 <= len(b.shape) <= 2:
            self.refuse(node, "HV1225", "`@` takes matrices and vectors",
                        "write a leaf for products of more dimensions")
        inner, other = a.shape[-1], b.shape[0]
        if not self.inference.same(inner, other):
            self.refuse(node, "HV1225", f"`@` joins extents {inner} and {other}".replace("%", ""),
                        "if they are equal, say so: `hvisa.match(a.shape[1], b.shape[0])`")
        x, y = (self.materialised(v) if v.cost or v.heavy else v for v in (a, b))
        shape = a.shape[:-1] + b.shape[1:]

        def emit(emitter: Emitter, index: Index) -> Number:
            return _product(emitter, node, x, y, index, len(a.shape) - 1, inner)
        return Lazy(node, shape, emit, 1, heavy=True)

    def transposed(self, node: ast.AST, value: Any) -> Lazy:
        lazy = self.lazy(node, value)
        return Lazy(node, lazy.shape[::-1], lambda emitter, index: emitter.at(lazy, index[::-1]),
                    lazy.cost, lazy.heavy)

    def mean(self, node: ast.AST, value: Any, axis: int | None, keep: bool) -> Any:
        """The sum over the count."""
        lazy = self.lazy(node, value)
        total = self.reduced(node, "add", lazy, axis, keep)
        rank = len(lazy.shape)
        count = dims.constant(1)
        for number, extent in enumerate(lazy.shape):
            if axis is None or number == axis % rank:
                count = count * extent
        return self.binary_operation(node, ast.Div(), total, self.dim_run(count))


def _product(emitter: Emitter, node: ast.AST, x: Lazy, y: Lazy, index: Index, rows: int,
             extent: Dim) -> Number:
    """One element of a product: a counted loop with one accumulator."""
    counter = Value(emitter.unique("l"), ty.INDEX)
    outer = emitter.region
    region = emitter.region_of([counter])
    at = Run(counter, ty.INDEX, weak=True, nonneg=True)
    a = emitter.at(x, [*index[:rows], at])
    b = emitter.at(y, [at, *index[rows:]])
    type_, _ = emitter.joined(node, a, b)
    assert isinstance(type_, ScalarType)
    if type_ is ty.I1:
        emitter.refuse(node, "HV1207", "`@` is not defined on truth values",
                       "make numbers of them first: `i32(c)`")
    carried = Value(emitter.unique("sum"), type_)
    p, q = emitter.operand(node, a, type_), emitter.operand(node, b, type_)
    if type_.is_float:
        total = emitter.value(node, "fma", p, q, carried)
    else:
        total = emitter.value(node, "add", carried, emitter.value(node, "mul", p, q).operand)
    emitter.emit(node, "yield", [total.operand], results=())
    region.parameters = [counter, carried]
    emitter.region = outer
    bounds = [emitter.operand(node, Const(0), ty.INDEX), emitter.dim(extent).operand,
              emitter.operand(node, Const(1), ty.INDEX)]
    instr = Instr(ROWS["for"], [*bounds, emitter.operand(node, Const(0), type_)],
                  [Value(emitter.unique("product"), type_)], emitter.file.span(node))
    from hvisa.spec.operations import UNIFORMITY
    instr.uniform = (UNIFORMITY.index("varying"),)
    instr.regions = (region,)
    outer.body.append(instr)
    return Run(instr.results[0], type_)


def _number(value: Any) -> Number:
    assert isinstance(value, (Const, Run))
    return value


def _shown(value: Any) -> str:
    return str(value.type).replace("%", "") if isinstance(value, Wire) else \
        "an array" if isinstance(value, Lazy) else type_text(value)


__all__ = ["ArrayOperations", "Items", "VectorType"]
