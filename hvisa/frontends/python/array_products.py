"""Products of matrices and vectors."""

from __future__ import annotations

import ast
from typing import Any

from hvisa.frontends.python.array_slices import ArraySlices
from hvisa.frontends.python.array_tiles import Product, chain, joined
from hvisa.frontends.python.arrays import ONE, Emitter, Index, Lazy, broadcast
from hvisa.frontends.python.values import Const, Number, Run
from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType


class ArrayProducts(ArraySlices):
    """`@` and what numpy calls the same."""

    def type_of(self, lazy: Lazy) -> ScalarType:
        raise NotImplementedError

    def matmul(self, node: ast.AST, left: Any, right: Any) -> Lazy:
        """`a @ b`. Leading axes of more than two are broadcast."""
        a, b = self.lazy(node, left), self.lazy(node, right)
        if not a.shape or not b.shape:
            self.refuse(node, "HV1225", "`@` joins arrays, and this is a number", "use `*`")
        inner, other = a.shape[-1], b.shape[-2 if len(b.shape) > 1 else 0]
        if not self.inference.same(inner, other):
            self.refuse(node, "HV1225", f"`@` joins extents {inner} and {other}".replace("%", ""),
                        "put the operands in the other order, or say that the extents are equal: "
                        f"`hvisa.match({inner}, {other})`".replace("%", ""))
        if len(b.shape) == 1 and len(a.shape) == 2 and a.view is not None and not a.cost:
            return self.matmul(node, b, a.view[0])  # the same, along rows
        # An element that is used once may be computed where it is used.
        x, y = (self.materialised(v) if v.heavy or (v.cost and len(w.shape) > 1) else v
                for v, w in ((a, b), (b, a)))
        types = [self.type_of(v) for v in (x, y)]
        type_, _ = self.joined(node, *(Run(self.operand(node, Const(0), t, True), t) for t in types))
        assert isinstance(type_, ScalarType)
        if type_ is ty.I1:
            self.refuse(node, "HV1207", "`@` is not defined on truth values",
                        "make numbers of them first: `i32(c)`")
        leading = broadcast(self._graph, node, [v.shape[:-2] for v in (a, b)])
        rows, columns = a.shape[-2:-1], b.shape[-1:] if len(b.shape) > 1 else ()
        if columns and not y.rows and not y.cost:
            y = self.materialised(Lazy(node, y.shape, y.emit, [y]))
        product = Product(x, y, inner, len(leading), len(rows), type_)

        def emit(emitter: Emitter, index: Index) -> Number:
            at = chain if columns else joined
            return at(emitter, node, product, index)
        out = Lazy(node, leading + rows + columns, emit, [x, y], 1, heavy=True)
        few = bool(columns) and columns[0].constant is not None and columns[0].constant < product.lanes
        if columns and not few and types[1] is type_ and y.rows and not x.cost:
            out.product, out.products = product, (out,)
        return out

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
