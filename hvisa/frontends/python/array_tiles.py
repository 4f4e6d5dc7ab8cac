"""How products of matrices and vectors are computed in leaves, one element or a tile at a time.

Each element of a product with a matrix on its right is a chain of `fma` along k, in order, from 0. Tiles
compute many such chains at once: four rows and a vector of columns to an instance. A product with a
vector on its right is a `reduce.add` of products (semantics 11), along which vectors run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hvisa.frontends.python.arrays import ONE, Emitter, Index, Lazy, shifted
from hvisa.frontends.python.values import Const, Number, Run
from hvisa.graph.model import Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import LOAD_BOUNDS, REDUCTIONS
from hvisa.spec.types import ScalarType

if TYPE_CHECKING:
    from hvisa.frontends.python.graphs import GraphBuilder

ROWS_OF_TILE = 4
BYTES_OF_TILE = 128  # in a row: two registers of AVX-512, four of AVX2, for each of the rows
MOST_LANES = 32


class Product(NamedTuple):
    """Both sides of a product, the joined extent, and how many leading axes and rows it has."""

    left: Lazy
    right: Lazy
    extent: Dim
    leading: int
    rows: int
    type: ScalarType

    def sides(self, emitter: Emitter, index: Index) -> tuple[Callable[[Any], Number],
                                                             Callable[[Any], Number]]:
        """The elements of both sides at a place along k, for an element of the product."""
        first, row = index[:self.leading], index[self.leading:self.leading + self.rows]
        column = index[self.leading + self.rows:]
        return (lambda k: _element(emitter, self.left, first, [*row, k]),
                lambda k: _element(emitter, self.right, first, [k, *column]))

    @property
    def lanes(self) -> int:
        return min(MOST_LANES, BYTES_OF_TILE * 8 // self.type.bits)


def _element(emitter: Emitter, lazy: Lazy, leading: Index, last: Index) -> Number:
    """An element of one side of a product, whose leading axes may be fewer, or 1."""
    count = len(lazy.shape) - len(last)
    own = leading[len(leading) - count:] if count else []
    return emitter.at(lazy, [*(Const(0) if d == ONE else i for d, i in zip(lazy.shape, own, strict=False)),
                             *last])


def _counter(value: Value) -> Run:
    return Run(value, ty.INDEX, weak=True, nonneg=True)


def chain(emitter: Emitter, node: ast.AST, product: Product, index: Index) -> Number:
    """One element: a counted loop with one accumulator."""
    left, right = product.sides(emitter, index)
    zero = emitter.operand(node, Const(0), product.type)
    at = emitter.loop(node, emitter.dim(product.extent).operand, [zero])
    a, b = left(_counter(at)), right(_counter(at))
    total = _step(emitter, node, product, a, b, emitter.region.parameters[1])
    return Run(emitter.close(node, [total]).results[0], product.type)


def _step(emitter: Emitter, node: ast.AST, product: Product, a: Number, b: Number, total: Any) -> Any:
    type_ = total.type
    p, q = emitter.operand(node, a, type_), emitter.operand(node, b, type_)
    if product.type.is_float:
        return emitter.value(node, "fma", p, q, total).operand
    return emitter.value(node, "add", total, emitter.value(node, "mul", p, q).operand).operand


def joined(emitter: Emitter, node: ast.AST, product: Product, index: Index) -> Number:
    """One element of a product with a vector: the sum of the products."""
    left, right = product.sides(emitter, index)
    counter, outer = Value(emitter.unique("r"), ty.INDEX), emitter.region
    inner = emitter.region_of([counter])
    p, q = (emitter.operand(node, side(_counter(counter)), product.type) for side in (left, right))
    emitter.emit(node, "yield", [emitter.value(node, "mul", p, q).operand], results=())
    emitter.region = outer
    bounds = [emitter.operand(node, Const(0), ty.INDEX), emitter.dim(product.extent).operand]
    instr = emitter.emit(node, "reduce", bounds, product.type, (REDUCTIONS.index("add"),))
    instr.regions = (inner,)
    return Run(instr.results[0], product.type)


class Tiles:
    """How the instances of a leaf divide an array whose elements take part in products: by tiles of rows
    and columns."""

    def __init__(self, products: Sequence[Lazy]):
        found: list[Product] = [p.product for p in products]
        self.rows = ROWS_OF_TILE if all(p.rows for p in found) else 1
        self.lanes = min(p.lanes for p in found)
        self.products = list(zip(products, found, strict=True))

    @property
    def axes(self) -> int:
        """How many axes, the last ones, are divided."""
        return 2 if self.rows > 1 else 1

    def grid(self, shape: Sequence[Dim]) -> list[Dim]:
        sizes = [1] * (len(shape) - self.axes) + [self.rows, self.lanes][-self.axes:]
        return [d if n == 1 else dims.ceildiv(d, n) for d, n in zip(shape, sizes, strict=True)]

    def open(self, emitter: Emitter, node: ast.AST, ids: Sequence[Value], shape: Sequence[Dim]) -> Index:
        """The products of this instance's tile, and loops over its elements, which stay open. Gives the
        place of the element."""
        count = len(shape) - self.axes
        first: Index = [_counter(v) for v in ids]
        corner = [emitter.moved(node, i, dims.constant(0), n) for i, n in zip(
            first[count:], [self.rows, self.lanes][-self.axes:], strict=True)]
        corner = [*first[:count], *corner]
        extents = [emitter.dim(d) for d in shape]
        enough, start, skipped = self._columns(emitter, node, corner[-1], extents[-1])
        computed = [*corner[:-1], start]
        tables = [self._table(emitter, node, product, computed, enough, extents[-1])
                  for _, product in self.products]
        places: Index = list(first[:count])
        inside: list[Run] = []
        for axis in range(count, len(shape)):
            size = self.lanes if axis == len(shape) - 1 else self.rows
            inside.append(_counter(emitter.loop(node, emitter.operand(node, Const(size), ty.INDEX))))
            place = emitter.value(node, "add", emitter.plain(node, corner[axis]), inside[-1].operand)
            place.weak = place.nonneg = True
            emitter.branch(node, emitter.value(node, "lt", place.operand, extents[axis].operand).operand)
            places.append(place)
        at = [r.operand for r in inside]
        at[-1] = emitter.value(node, "add", at[-1], skipped.operand).operand
        for (lazy, product), table in zip(self.products, tables, strict=True):
            value = emitter.value(node, "load", table, *([emitter.operand(node, Const(0), ty.INDEX)]
                                                         * (2 - len(at)) + at))
            emitter.found(lazy, places, Run(value.operand, product.type))
        return places

    def _columns(self, emitter: Emitter, node: ast.AST, first: Any, extent: Run) -> tuple[Run, Run, Run]:
        """Whether the array is as wide as a tile; the first column that is computed, and how far it lies
        before the first one that is stored. The last tile ends where the array does, and so has columns
        that the one before it has too."""
        first, size = emitter.plain(node, first), emitter.operand(node, Const(self.lanes), ty.INDEX)
        enough = emitter.value(node, "le", size, extent.operand)
        last = emitter.value(node, "sub", extent.operand, size)
        before = emitter.value(node, "min", first, last.operand)
        start = emitter.value(node, "select", enough.operand, before.operand, first)
        start.weak = start.nonneg = True
        return enough, start, emitter.value(node, "sub", first, start.operand)

    def _table(self, emitter: Emitter, node: ast.AST, product: Product, corner: Index, enough: Run,
               extent: Run) -> Value:
        """An array of this instance with the tile of a product."""
        table = emitter.emit(node, "local", [], ty.buffer(product.type, (
            dims.constant(self.rows), dims.constant(self.lanes)))).results[0]
        emitter.branch(node, enough.operand)
        self._vectors(emitter, node, product, corner, table)
        emitter.other(node)
        self._narrow(emitter, node, product, corner, extent, table)
        emitter.close(node)
        return table

    def _vectors(self, emitter: Emitter, node: ast.AST, product: Product, corner: Index,
                 table: Value) -> None:
        """All columns of the tile at once, as vectors."""
        type_ = ty.vector(product.type, self.lanes)
        zero = emitter.operand(node, Const(0), type_)
        at = _counter(emitter.loop(node, emitter.dim(product.extent).operand, [zero] * self.rows))
        sums = emitter.region.parameters[1:]
        emitter.lanes = self.lanes
        b = product.sides(emitter, corner)[1](at)
        emitter.lanes = 0
        totals = [_step(emitter, node, product, self._left(emitter, product, corner, row, at), b, sums[row])
                  for row in range(self.rows)]
        zero = emitter.operand(node, Const(0), ty.INDEX)
        for row, value in enumerate(emitter.close(node, totals).results):
            emitter.emit(node, "store", [value, table, emitter.operand(node, Const(row), ty.INDEX), zero])

    def _left(self, emitter: Emitter, product: Product, corner: Index, row: Any, at: Run) -> Number:
        """An element of the left side. Rows beyond the last one repeat it, and are not stored."""
        place = list(corner)
        if self.rows > 1:
            place[-2] = shifted(corner[-2], row) if isinstance(row, int) else row
            emitter.bounds = LOAD_BOUNDS.index("clamp")
        found = product.sides(emitter, place)[0](at)
        emitter.bounds = LOAD_BOUNDS.index("trap")
        return found

    def _narrow(self, emitter: Emitter, node: ast.AST, product: Product, corner: Index, extent: Run,
                table: Value) -> None:
        """The columns of an array that is narrower than a tile, one by one."""
        column = emitter.loop(node, emitter.operand(node, Const(self.lanes), ty.INDEX))
        place = emitter.value(node, "add", emitter.plain(node, corner[-1]), column)
        place.weak = place.nonneg = True
        emitter.branch(node, emitter.value(node, "lt", place.operand, extent.operand).operand)
        row = emitter.loop(node, emitter.operand(node, Const(self.rows), ty.INDEX))
        zero = emitter.operand(node, Const(0), product.type)
        at_row: Any = 0
        if self.rows > 1:
            at_row = emitter.value(node, "add", emitter.plain(node, corner[-2]), row)
            at_row.weak = at_row.nonneg = True
        at = _counter(emitter.loop(node, emitter.dim(product.extent).operand, [zero]))
        total = emitter.region.parameters[1]
        a = self._left(emitter, product, corner, at_row, at)
        b = product.sides(emitter, [*corner[:-1], place])[1](at)
        total = emitter.close(node, [_step(emitter, node, product, a, b, total)]).results[0]
        emitter.emit(node, "store", [total, table, row, column])
        for _ in range(3):
            emitter.close(node)


def tiles_of(graph: GraphBuilder, lazy: Lazy, most_axes: int) -> Tiles | None:
    """Tiles for an array that products take part in, if there are any."""
    products = [p for p in lazy.products if len(p.shape) == len(lazy.shape)
                and all(map(graph.inference.same, p.shape, lazy.shape))]
    with_rows = [p for p in products if p.product.rows]
    return Tiles(with_rows or products) if products and len(lazy.shape) <= most_axes else None
