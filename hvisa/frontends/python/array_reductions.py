"""Reductions along axes, and products of matrices."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hvisa.frontends.python.array_leaves import MOST_AXES, materialise
from hvisa.frontends.python.array_slices import ArraySlices
from hvisa.frontends.python.arrays import ONE, Emitter, Index, Lazy, broadcast
from hvisa.frontends.python.values import Const, Number, Run
from hvisa.graph.model import Instr, Value
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import REDUCTIONS, UNIFORMITY
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType


class ArrayReductions(ArraySlices):
    """What makes less of an array."""

    # -- reductions ----------------------------------------------------------------------------

    def reduced(self, node: ast.AST, op: str, value: Any, axis: int | Sequence[int] | None,
                keep: bool) -> Any:
        """`hvisa.sum(x, axis=1)`, in the order of semantics 11; of several axes, the last one first."""
        lazy = self.lazy(node, value)
        rank = len(lazy.shape)
        if not rank:
            self.refuse(node, "HV1204", "a number can't be reduced")
        axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
        wrong = next((a for a in axes if not -rank <= a < rank), None)
        if wrong is not None:
            self.refuse(node, "HV1212", f"there is no axis {wrong}", f"axes are 0 to {rank - 1}")
        places = sorted({a % rank for a in axes}, reverse=True)
        if op.startswith("arg"):
            if axis is None and rank > 1:
                lazy, places = self._flattened(node, lazy), [0]
            elif len(places) > 1:
                self.refuse(node, "HV1212", f"`{op}` takes one axis")
            return self._reduced_axis(node, op, lazy, places[0], keep)
        if len(places) == rank > 1 and not keep:
            found = self._reduced_axis(node, op, lazy, places[0], False)
            while len(found.shape) > MOST_AXES:
                found = self._reduced_axis(node, op, self.materialised(found), len(found.shape) - 1, False)
            return materialise(self._graph, found, op, axes=found.shape, form=("reduce", op))
        for place in places:
            lazy = self._reduced_axis(node, op, lazy, place, keep)
        return lazy

    def _flattened(self, node: ast.AST, lazy: Lazy) -> Lazy:
        """All elements in a row, the last axis fastest."""
        source = self.materialised(lazy) if lazy.heavy else lazy
        count = ONE
        for extent in source.shape:
            count = count * extent

        def emit(emitter: Emitter, index: Index) -> Number:
            left: Number = Run(emitter.plain(node, index[0]), ty.INDEX, weak=True, nonneg=True)
            places: Index = []
            for extent in reversed(source.shape[1:]):
                size = emitter.dim(extent)
                places.append(_run(emitter.binary(node, ast.Mod(), left, size)))
                left = _run(emitter.binary(node, ast.FloorDiv(), left, size))
            return emitter.at(source, [left, *reversed(places)])
        return Lazy(node, (count,), emit, [source], source.cost + 2)

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
            wide = _counted(op, typed.element)
            if wide is not typed.type:
                typed = emitter.convert(node, typed, wide, explicit=True)
            emitter.emit(node, "yield", [typed.operand], results=())
            emitter.region = outer
            bounds = [emitter.operand(node, Const(0), ty.INDEX), emitter.dim(lazy.shape[axis]).operand]
            instr = emitter.emit(node, "reduce", bounds, typed.type, (REDUCTIONS.index(op),))
            instr.regions = (inner,)
            result = instr.results[-1 if op.startswith("arg") else 0]
            assert isinstance(result.type, ScalarType)
            return Run(result, result.type)
        return Lazy(node, shape, emit, [source], source.cost + 1, heavy=True)

    def mean(self, node: ast.AST, value: Any, axis: int | Sequence[int] | None, keep: bool) -> Any:
        """The sum over the count."""
        lazy = self.lazy(node, value)
        total = self.reduced(node, "add", lazy, axis, keep)
        rank = len(lazy.shape)
        axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
        count = ONE
        for number in {a % rank for a in axes}:
            count = count * lazy.shape[number]
        return self.binary_operation(node, ast.Div(), total, self.dim_run(count))

    # -- products ------------------------------------------------------------------------------

    def matmul(self, node: ast.AST, left: Any, right: Any) -> Lazy:
        """`a @ b`: `fma` along k, in order. Leading axes of more than two are broadcast."""
        a, b = self.lazy(node, left), self.lazy(node, right)
        if not a.shape or not b.shape:
            self.refuse(node, "HV1225", "`@` joins arrays, and this is a number", "use `*`")
        inner, other = a.shape[-1], b.shape[-2 if len(b.shape) > 1 else 0]
        if not self.inference.same(inner, other):
            self.refuse(node, "HV1225", f"`@` joins extents {inner} and {other}".replace("%", ""),
                        "if they are equal, say so: `hvisa.match(a.shape[1], b.shape[0])`")
        # An element that is used once may be computed where it is used.
        x, y = (self.materialised(v) if v.heavy or (v.cost and len(w.shape) > 1) else v
                for v, w in ((a, b), (b, a)))
        leading = broadcast(self._graph, node, [v.shape[:-2] for v in (a, b)])
        rows, columns = a.shape[-2:-1], b.shape[-1:] if len(b.shape) > 1 else ()
        many = len(leading)

        def emit(emitter: Emitter, index: Index) -> Number:
            first, row, column = index[:many], index[many:many + len(rows)], index[many + len(rows):]
            return _product(
                emitter, node, lambda k: _element(emitter, x, first, [*row, k]),
                lambda k: _element(emitter, y, first, [k, *column]), inner)
        return Lazy(node, leading + rows + columns, emit, [x, y], 1, heavy=True)

    def dot(self, node: ast.AST, left: Any, right: Any) -> Any:
        """numpy's `dot`: `@`, or a product with a number."""
        if not self.lazy(node, left).shape or not self.lazy(node, right).shape:
            return self.binary_operation(node, ast.Mult(), left, right)
        if len(self.lazy(node, left).shape) > 2 or len(self.lazy(node, right).shape) > 2:
            self.refuse(node, "HV1225", "`dot` takes matrices and vectors",
                        "`@` multiplies stacks of matrices")
        return self.matmul(node, left, right)

    def outer(self, node: ast.AST, left: Any, right: Any) -> Any:
        """All products of an element of one vector with one of the other."""
        a, b = self.lazy(node, left), self.lazy(node, right)
        if len(a.shape) != 1 or len(b.shape) != 1:
            self.refuse(node, "HV1225", "`outer` takes two vectors",
                        "write `x[:, None] * y[None, :]` with the axes that are meant")
        a = self.materialised(a) if a.heavy else a
        column = Lazy(node, (*a.shape, ONE), lambda emitter, index: emitter.at(a, index[:1]), [a], a.cost)
        return self.binary_operation(node, ast.Mult(), column, b)


def _counted(op: str, type_: ScalarType) -> ScalarType:
    """What a reduction is computed in: sums of whole numbers in 64 bits, as numpy has it."""
    if op in ("add", "mul") and type_.bits < 64 and (type_.is_integer or type_ is ty.I1):
        return ty.U64 if type_.kind == "unsigned" else ty.I64
    return ty.INDEX if type_ is ty.I1 and op not in ("any", "all") else type_


def _run(value: Any) -> Run:
    assert isinstance(value, Run)
    return value


def _element(emitter: Emitter, lazy: Lazy, leading: Index, last: Index) -> Number:
    """An element of one side of a product, whose leading axes may be fewer, or 1."""
    count = len(lazy.shape) - len(last)
    own = leading[len(leading) - count:] if count else []
    return emitter.at(lazy, [*(Const(0) if d == ONE else i for d, i in zip(lazy.shape, own, strict=False)),
                             *last])


def _product(emitter: Emitter, node: ast.AST, left: Any, right: Any, extent: Dim) -> Number:
    """One element of a product: a counted loop with one accumulator."""
    counter = Value(emitter.unique("l"), ty.INDEX)
    outer = emitter.region
    region = emitter.region_of([counter])
    at = Run(counter, ty.INDEX, weak=True, nonneg=True)
    a, b = left(at), right(at)
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
    instr.uniform = (UNIFORMITY.index("varying"),)
    instr.regions = (region,)
    outer.body.append(instr)
    return Run(instr.results[0], type_)


__all__ = ["ArrayReductions"]
