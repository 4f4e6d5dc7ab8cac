"""Parts of arrays: slices, single places, new and turned axes, and assignment to them."""

from __future__ import annotations

import ast
from typing import Any

from hvisa.frontends.python.array_leaves import Part, store
from hvisa.frontends.python.array_operations import ArrayOperations, shown
from hvisa.frontends.python.arrays import ONE, Emitter, Index, Lazy, Wire, elementwise
from hvisa.frontends.python.builder import constant_dim
from hvisa.frontends.python.values import Const, Number
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.types import BufferType

ZERO = dims.constant(0)


class ArraySlices(ArrayOperations):
    """What stands in brackets behind an array."""

    # -- brackets ------------------------------------------------------------------------------

    def parts(self, node: ast.Subscript, shape: tuple[Dim, ...]) -> list[Part]:
        """Start, step and length of each index; no length where it takes one element."""
        found = self._indexed(node, shape)
        if None in found:
            self.refuse(node, "HV1212", "a new axis has no place here", "leave `None` out")
        return [p for p in found if p is not None]

    def _indexed(self, node: ast.Subscript, shape: tuple[Dim, ...]) -> list[Part | None]:
        """The same, and None where a new axis stands."""
        given = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        new = [isinstance(g, (ast.Constant, ast.Name, ast.Attribute)) and self._is_none(g) for g in given]
        count = len(given) - sum(new)
        dots = [n for n, g in enumerate(given) if isinstance(g, ast.Constant) and g.value is ...]
        if len(dots) > 1 or count - len(dots) > len(shape):
            self.refuse(node, "HV1212", f"{count - len(dots)} indices for {len(shape)} dimensions"
                        if len(dots) < 2 else "`...` stands once in brackets")
        missing = len(shape) - count + len(dots)
        at = dots[0] if dots else len(given)
        everything: list[ast.expr] = [ast.copy_location(ast.Slice(), node)] * missing
        given[at:at + len(dots)] = everything
        new[at:at + len(dots)] = [False] * missing
        left = iter(shape)
        return [None if is_new else self._part(part, next(left))
                for part, is_new in zip(given, new, strict=True)]

    def _is_none(self, node: ast.expr) -> bool:
        """Whether this is None or `np.newaxis`."""
        found = self.expression(node)
        return isinstance(found, Const) and found.value is None

    def _part(self, part: ast.expr, extent: Dim) -> Part:
        if not isinstance(part, ast.Slice):
            return self._bound(part, extent, None), 1, None
        step = self.expression(part.step) if part.step is not None else Const(1)
        if isinstance(step, Const) and step.value is None:
            step = Const(1)
        if not isinstance(step, Const) or type(step.value) is not int or step.value == 0:
            self.refuse(part.step or part, "HV1212", "the step of a slice is a constant and not 0",
                        "for example `x[::2]`")
        size = step.value
        if size < 0:
            low = self._bound(part.lower, extent, extent - 1)
            high = self._bound(part.upper, extent, dims.constant(-1))
            return low, size, dims.ceildiv(low - high, -size) if size < -1 else low - high
        low = self._bound(part.lower, extent, ZERO)
        length = self._bound(part.upper, extent, extent) - low
        return low, size, dims.ceildiv(length, size) if size > 1 else length

    def _bound(self, node: ast.expr | None, extent: Dim, default: Dim | None) -> Dim:
        value = self.expression(node) if node is not None else Const(None)
        if node is None or (default is not None and isinstance(value, Const) and value.value is None):
            assert default is not None
            return default
        found = constant_dim(value)
        if found is None:
            array = isinstance(value, (Wire, Lazy)) and bool(self.lazy(node, value).shape)
            self.refuse(node, "HV1221", f"an index here is known at launch, and this is {shown(value)}",
                        "index with arrays in a leaf; choose with `hvisa.where(mask, a, b)`, or assign a "
                        "number to what a mask marks: `x[mask] = 0`" if array else
                        "use numbers, extents and counters of loops; index with data in a leaf")
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and found.constant is None:
            self.refuse(node, "HV1212", "only a constant counts from the end", "write `n - i` for the "
                        "extent `n`, for example `x[x.shape[0] - i]`")
        return extent + found if (found.constant or 0) < 0 else found

    # -- reading -------------------------------------------------------------------------------

    def sliced(self, node: ast.Subscript, value: Any) -> Lazy:
        """A part of an array: indices are mapped, nothing is copied."""
        lazy = self.lazy(node, value)
        found = self._indexed(node, lazy.shape)
        if lazy.heavy:
            lazy = self.materialised(lazy)
        shape = tuple(ONE if p is None else p[2] for p in found if p is None or p[2] is not None)
        rank = sum(p is not None and p[2] is not None for p in found)

        def emit(emitter: Emitter, index: Index) -> Number:
            left = iter(index)
            places: Index = []
            for part in found:
                if part is None:
                    next(left)
                    continue
                start, step, length = part
                places.append(emitter.fixed(start) if length is None else
                              emitter.moved(node, next(left), start, step))
            return emitter.part(out, lazy, index, places, rank)
        out = Lazy(node, tuple(d for d in shape if d is not None), emit, [lazy], lazy.cost)
        last = found[-1] if found else None
        out.rows = lazy.rows and last is not None and last[1] == 1 and last[2] is not None
        return out

    def transposed(self, node: ast.AST, value: Any, order: tuple[int, ...] | None = None) -> Lazy:
        """The array with its axes in another order, reversed by default."""
        lazy = self.lazy(node, value)
        rank = len(lazy.shape)
        axes = tuple(range(rank))[::-1] if order is None else tuple(a + rank * (a < 0) for a in order)
        if sorted(axes) != list(range(rank)):
            self.refuse(node, "HV1212", f"{order} is no order of {rank} axes")

        def turn(source: Lazy) -> Lazy:
            def emit(emitter: Emitter, index: Index) -> Number:
                places: dict[int, Any] = dict(zip(axes, index, strict=True))
                return emitter.at(source, [places[n] for n in range(rank)])
            out = Lazy(node, tuple(source.shape[a] for a in axes), emit, [source], source.cost,
                       source.heavy)
            out.view = source, turn
            return out
        return turn(lazy)

    def flipped(self, node: ast.AST, value: Any, axis: int | None) -> Lazy:
        """The array read backwards along an axis, or all of them."""
        lazy = self.lazy(node, value)
        if lazy.heavy:
            lazy = self.materialised(lazy)
        turned = [axis is None or n == axis % len(lazy.shape) for n in range(len(lazy.shape))]

        def emit(emitter: Emitter, index: Index) -> Number:
            return emitter.at(lazy, [emitter.moved(node, i, d - 1, -1) if t else i
                                     for i, d, t in zip(index, lazy.shape, turned, strict=True)])
        return Lazy(node, lazy.shape, emit, [lazy], lazy.cost)

    # -- writing -------------------------------------------------------------------------------

    def assign_slice(self, node: ast.Subscript, wire: Wire, value: Any, name: str) -> Wire:
        """`a[1:-1] = value`: the next version of the buffer."""
        if not isinstance(wire.type, BufferType):
            self.refuse(node, "HV1204", f"this is {shown(wire)}, which has no elements")
        mask = self.mask_of(node)
        if mask is not None:
            return self._assign_masked(node, wire, mask, value, name)
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
        return store(self._graph, lazy, name, wire, parts)

    def mask_of(self, node: ast.Subscript) -> Lazy | None:
        """The mask in `a[mask]`, if that is one."""
        if isinstance(node.slice, (ast.Slice, ast.Tuple, ast.Constant)):
            return None
        found = self.expression(node.slice)
        if not isinstance(found, (Wire, Lazy)):
            return None
        lazy = self.lazy(node, found)
        return lazy if lazy.shape else None

    def _assign_masked(self, node: ast.Subscript, wire: Wire, mask: Lazy, value: Any, name: str) -> Wire:
        """`a[mask] = 0`: the number where the mask holds, and what was there elsewhere."""
        assert isinstance(wire.type, BufferType)
        lazy, whole = self.lazy(node, value), self.lazy(node, wire)
        if lazy.shape:
            self.refuse(node, "HV1203", "a mask is assigned a number, and this is an array",
                        f"write `{name}[:] = hvisa.where(mask, values, {name})`")
        if len(mask.shape) > len(whole.shape):
            self.refuse(node, "HV1225", f"a mask of {len(mask.shape)} dimensions does not fit "
                        f"{len(whole.shape)}")
        element = wire.type.element

        def choose(emitter: Emitter, v: list[Number]) -> Number:
            condition, new, old = v
            if emitter.element_of(condition)[0] is not ty.I1:
                emitter.refuse(node, "HV1204", "an array in brackets is a mask, of i1",
                               "compare: `x[x > 0] = 0`; index with numbers in a leaf")
            return emitter.choose(node, condition, emitter.convert(node, new, element), old)
        chosen = elementwise(self._graph, node, [mask, lazy, whole], choose)
        return store(self._graph, chosen, name, wire, [(ZERO, 1, d) for d in wire.type.shape])
