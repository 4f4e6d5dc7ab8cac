"""Reductions along axes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hvisa.frontends.python.array_leaves import MOST_AXES, materialise
from hvisa.frontends.python.array_products import ArrayProducts
from hvisa.frontends.python.arrays import ONE, Emitter, Index, Lazy
from hvisa.frontends.python.values import Const, Number, Run
from hvisa.graph.model import Value
from hvisa.spec import types as ty
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.types import ScalarType


class ArrayReductions(ArrayProducts):
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
        if not self.type_of(lazy).is_float:  # a sum of whole numbers would wrap
            lazy = self.lazy(node, self.converted(node, ty.F64, lazy))
        total = self.reduced(node, "add", lazy, axis, keep)
        rank = len(lazy.shape)
        axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
        count = ONE
        for number in {a % rank for a in axes}:
            count = count * lazy.shape[number]
        return self.binary_operation(node, ast.Div(), total, self.dim_run(count))


def _counted(op: str, type_: ScalarType) -> ScalarType:
    """What a reduction is computed in: sums of whole numbers in 64 bits, as numpy has it."""
    if op in ("add", "mul") and type_.bits < 64 and (type_.is_integer or type_ is ty.I1):
        return ty.U64 if type_.kind == "unsigned" else ty.I64
    return ty.INDEX if type_ is ty.I1 and op not in ("any", "all") else type_


def _run(value: Any) -> Run:
    assert isinstance(value, Run)
    return value
