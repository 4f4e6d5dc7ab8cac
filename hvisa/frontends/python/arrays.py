"""Array-level expressions: built lazily in a graph, computed by one generated leaf.

A `Lazy` knows its shape and how to compute one element, given its indices, in the body of a leaf. What
is computed from such expressions alone is one again, so a chain of elementwise operations becomes one
leaf (`array_leaves`). Element types follow `promotion`, shapes numpy's broadcasting: dimensions are equal
by normal form, or the constant 1.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hvisa.frontends.python.statements import Statements
from hvisa.frontends.python.values import Array, Const, Expr, Number, Run
from hvisa.frontends.python.wording import plain
from hvisa.graph.model import Constant, Instr, LeafNode, Operand, Port, Region, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import DIRECTIONS, LOAD_BOUNDS, UNIFORMITY
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, ScalarType, Type, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.graphs import GraphBuilder

ONE = dims.constant(1)


class Wire:
    """A value of a graph: what travels along an edge."""

    __slots__ = ("operand", "type")

    def __init__(self, operand: Operand, type_: Type):
        self.operand = operand
        self.type = type_

    def __repr__(self) -> str:
        return f"Wire({self.operand!r})"


class Shifted:
    """An index with a constant displacement, which an access adds by itself."""

    __slots__ = ("base", "offset")

    def __init__(self, base: Number, offset: int):
        self.base = base
        self.offset = offset


Index = list["Number | Shifted"]


def shifted(index: Number | Shifted, offset: int) -> Number | Shifted:
    base, before = (index.base, index.offset) if isinstance(index, Shifted) else (index, 0)
    if isinstance(base, Const):
        return Const(base.value + before + offset)
    return Shifted(base, before + offset) if before + offset else base


def place(index: Number | Shifted) -> tuple[Operand | None, int]:
    """Equal for equal indices."""
    base, offset = (index.base, index.offset) if isinstance(index, Shifted) else (index, 0)
    if isinstance(base, Const):
        return None, base.value + offset
    if isinstance(base.operand, Constant):
        return None, base.operand.bits + offset
    return base.operand, offset


class Lazy:
    """An array that is not computed yet; shape () for a number.

    `emit(emitter, indices)` adds the instructions for one element. `cost` counts operations; one that
    is `heavy` (a reduction or a product of matrices) is never computed again for each element of
    something larger. `reads` are the buffers that it is computed from.
    """

    __slots__ = ("cost", "emit", "heavy", "made", "node", "product", "products", "reads", "rows", "shape",
                 "view", "wire")

    def __init__(self, node: ast.AST, shape: tuple[Dim, ...], emit: Callable[[Emitter, Index], Number],
                 parts: Sequence[Lazy] = (), cost: int = 0, heavy: bool = False,
                 wire: Wire | None = None):
        self.node = node
        self.shape = shape
        self.emit = emit
        self.cost = cost
        self.heavy = heavy
        self.wire = wire  # what it is, if it is only that
        self.reads: frozenset[Operand] = frozenset().union(*(p.reads for p in parts))
        if wire is not None and isinstance(wire.type, BufferType):
            self.reads |= {wire.operand}
        self.made: tuple[Region, Wire] | None = None  # where it was computed, and what it is there
        self.rows = wire is not None and len(shape) > 0  # whether the last axis lies in memory as it is
        self.product: Any = None  # what it multiplies, if it is a product that may be computed in tiles
        self.products: tuple[Lazy, ...] = ()  # those that it takes the elements of equal places of
        # What it shows in another order, and how, so that the array itself is computed and not its view.
        self.view: tuple[Lazy, Callable[[Lazy], Lazy]] | None = None


class Emitter(Statements):
    """The body of a generated leaf. Ports are added as elements of wires are asked for."""

    def __init__(self, graph: GraphBuilder, leaf: LeafNode):
        super().__init__(graph.compiler, graph.file, leaf, graph.namespace, graph.fast)
        self.graph = graph
        self.operands: list[Operand] = []  # of the node, one for each port that is taken
        self._ports: dict[Operand, Expr] = {}
        self._dims: dict[Dim, Dim] = {}  # of the graph -> of the leaf
        self._known: dict[tuple[Any, ...], tuple[Number, tuple[Any, ...]]] = {}
        self._around: dict[int, Region] = {}  # of a nested region
        self._constructs: list[tuple[Region, Instr]] = []
        self.into: tuple[Operand, Array, Index] | None = None  # a buffer, its port, the place stored to
        self.bounds = LOAD_BOUNDS.index("trap")  # how elements are read: bounds, and lanes for vectors
        self.lanes = 0
        self.elsewhere = False  # whether other places of that buffer are read
        self.parts: list[tuple[Lazy, int]] = []  # smaller parts of it that are read, and their axes
        self.copies: dict[int, Lazy] = {}  # copies to read instead, by the identity of the part

    # -- regions -------------------------------------------------------------------------------

    def region_of(self, parameters: list[Value]) -> Region:
        outer = self.region
        self._around[id(super().region_of(parameters))] = outer
        return self.region

    def _seen(self, *key: Any) -> Number | None:
        """What was computed for a key in this region or one around it."""
        region: Region | None = self.region
        while region is not None:
            found = self._known.get((id(region), *key))
            if found is not None:
                return found[0]
            region = self._around.get(id(region))
        return None

    def keep(self, value: Number, *key: Any, alive: Any = None) -> Number:
        """Remember it. `alive` is what must live as long as its identity is part of the key."""
        self._known[(id(self.region), *key)] = (value, (self.region, alive))
        return value

    def loop(self, node: ast.AST, extent: Operand, carried: Sequence[Operand] = ()) -> Value:
        """Open a loop from 0 on; gives its counter. `close` ends it."""
        counter = Value(self.unique("l"), ty.INDEX)
        instr = Instr(ROWS["for"], [Constant(ty.INDEX, 0), extent, Constant(ty.INDEX, 1), *carried], [],
                      self.file.span(node))
        instr.results = [Value(self.unique("product"), o.type) for o in carried]
        instr.uniform = (UNIFORMITY.index("varying"),) * len(carried)
        self.region.body.append(instr)
        self._constructs.append((self.region, instr))
        instr.regions = (self.region_of([counter, *(Value(self.unique("sum"), o.type) for o in carried)]),)
        return counter

    def branch(self, node: ast.AST, condition: Operand) -> None:
        """Open an `if`; `other` goes on with what is done else, and `close` ends both."""
        instr = Instr(ROWS["if"], [condition], [], self.file.span(node))
        self.region.body.append(instr)
        self._constructs.append((self.region, instr))
        then, other = self.region_of([]), Region()
        self._around[id(other)] = self._constructs[-1][0]
        instr.regions = (then, other)

    def other(self, node: ast.AST) -> None:
        self.emit(node, "yield", [], results=())
        self.region = self._constructs[-1][1].regions[1]

    def close(self, node: ast.AST, values: Sequence[Operand] = ()) -> Instr:
        """End the innermost construct that is open."""
        outer, instr = self._constructs.pop()
        self.emit(node, "yield", list(values), results=())
        for self.region in instr.regions:
            if not self.region.body or self.region.body[-1].row.mnemonic != "yield":
                self.emit(node, "yield", [], results=())
        self.region = outer
        return instr

    # -- ports ---------------------------------------------------------------------------------

    def add_port(self, name: str, type_: Type, direction: str, operand: Operand | None) -> Port:
        leaf = self.definition
        port = Port(Value(self.unique(name), type_), DIRECTIONS.index(direction), leaf.span)
        leaf.ports.append(port)
        if operand is not None:
            self.operands.append(operand)
        for dim in ty.dims_of(type_):
            for symbol in dim.symbols():
                if symbol not in leaf.symbols and leaf.port(symbol) is None:
                    leaf.symbols[symbol] = Value(symbol, ty.INDEX)
        return port

    def element(self, node: ast.AST, wire: Wire, index: Index) -> Number:
        """An element of what travels along an edge."""
        if self.into is not None and wire.operand is self.into[0]:
            if self.at_home(index):
                return self._read(node, self.into[1], index)
            self.elsewhere = True
        found = self._ports.get(wire.operand)
        if found is None:
            found = self._ports[wire.operand] = self._input(wire)
        if isinstance(found, Run):
            return found
        assert isinstance(found, Array)
        return self._read(node, found, index)

    def at_home(self, index: Index) -> bool:
        """Whether a place is the one that this instance stores to."""
        return self.into is not None and list(map(place, index)) == list(map(place, self.into[2]))

    def part(self, part: Lazy, whole: Lazy, index: Index, places: Index, rank: int) -> Number:
        """An element of a part of an array. Of the buffer that is stored to, smaller parts are read from
        copies: else the whole buffer would have to be copied."""
        into = self.into
        if into is None or whole.wire is None or whole.wire.operand is not into[0] \
                or rank == len(whole.shape) or self.at_home(places):
            return self.at(whole, places)
        if id(part) in self.copies:
            return self.at(self.copies[id(part)], index)
        self.parts.append((part, rank))  # this leaf is made again with a copy
        self.into = None
        found = self.at(whole, places)
        self.into = into
        return found

    def _input(self, wire: Wire) -> Expr:
        name = getattr(wire.operand, "name", None) or "x"
        name = name.split(".")[0] if not name.isdigit() else "x"
        type_ = wire.type
        if isinstance(type_, BufferType):
            own = ty.buffer(type_.element, tuple(self.shape_dim(d) for d in type_.shape))
            port = self.add_port(name, own, "in", wire.operand)
            return Array(name, port.value, own, "in")
        assert isinstance(type_, (ScalarType, VectorType))
        port = self.add_port(name, type_, "value", wire.operand)
        return Run(port.value, type_)

    def _read(self, node: ast.AST, array: Array, index: Index) -> Run:
        key = (array.operand, self.lanes, *map(place, index))
        found = self._seen(*key)
        if found is not None:
            return found  # type: ignore[return-value]
        operands = [self.plain(node, i) for i in index]
        offsets = tuple(i.offset if isinstance(i, Shifted) else 0 for i in index)
        argument = ty.vector(array.type.element, self.lanes) if self.lanes else None
        out = self.emit(node, "load", [array.operand, *operands], argument, (self.bounds,),
                        offsets if any(offsets) else ()).results[0]
        assert isinstance(out.type, (ScalarType, VectorType))
        run = Run(out, out.type)
        self.keep(run, *key)
        return run

    def plain(self, node: ast.AST, index: Number | Shifted) -> Operand:
        """The operand of an index, without its displacement."""
        return self.operand(node, index.base if isinstance(index, Shifted) else index, ty.INDEX, True)

    def plain_number(self, node: ast.AST, index: Number | Shifted) -> Number:
        """An index as a number to compute with."""
        if not isinstance(index, Shifted):
            return index
        return self.number(node, self.binary(node, ast.Add(), index.base, Const(index.offset)))

    def shape_dim(self, dim: Dim) -> Dim:
        """How an input's shape names a dimension of the graph: by a symbol of its own, unless it is a
        constant."""
        if dim.constant is not None:
            return dim
        found = self._dims.get(dim)
        if found is None:
            name = dim.symbol
            found = dims.symbol(self.unique(name if name and "." not in name else "d"))
            self._dims[dim] = found
        return found

    def header_dim(self, dim: Dim) -> Dim:
        """A dimension of the graph in the leaf's symbols; one that no input has becomes a port."""
        if dim.constant is not None or dim in self._dims:
            return self._dims.get(dim, dim)
        if all(dims.symbol(s) in self._dims for s in dim.symbols()):
            return dim.substitute({s: self._dims[dims.symbol(s)] for s in dim.symbols()})
        name = dim.symbol
        port = self.add_port(name if name and "." not in name else "d", ty.INDEX, "value",
                             self.graph.dim_operand(dim))
        self._dims[dim] = dims.symbol(port.name)
        return self._dims[dim]

    def fixed(self, dim: Dim) -> Number:
        """A dimension of the graph as an index."""
        return self.dim(dim) if dim.constant is None else Const(dim.constant)

    def dim(self, dim: Dim) -> Run:
        """A dimension of the graph as a number of the body."""
        return self.dim_run(self.header_dim(dim))

    # -- elements ------------------------------------------------------------------------------

    def moved(self, node: ast.AST, index: Number | Shifted, start: Dim, step: int) -> Number | Shifted:
        """`start + step * index`."""
        if step != 1:
            base, offset = (index.base, index.offset) if isinstance(index, Shifted) else (index, 0)
            if abs(step) != 1:
                key = ("times", abs(step), place(base))
                found = self._seen(*key)
                base = found if found is not None else self.keep(self.number(node, self.binary(
                    node, ast.Mult(), base, Const(abs(step)))), *key)
            index = shifted(base, offset * step)
        if start.constant is not None and step > 0:
            return shifted(index, start.constant)
        base, offset = (index.base, index.offset) if isinstance(index, Shifted) else (index, 0)
        key = ("moved", start, step, place(base))
        found = self._seen(*key)
        if found is None:
            op = ast.Sub() if step < 0 else ast.Add()
            found = self.keep(self.number(node, self.binary(node, op, self.dim(start), base)), *key)
        return shifted(found, offset)

    def at(self, lazy: Lazy, index: Index) -> Number:
        """An element; asked for twice in one region, it is computed once."""
        key = (id(lazy), *map(place, index))
        found = self._seen(*key)
        return self.keep(lazy.emit(self, index), *key, alive=lazy) if found is None else found

    def found(self, lazy: Lazy, index: Index, value: Number) -> None:
        """An element that is computed already."""
        self.keep(value, id(lazy), *map(place, index), alive=lazy)

    def spread(self, lazy: Lazy, index: Index) -> Number:
        """An element of what is broadcast to a larger shape."""
        own = index[len(index) - len(lazy.shape):] if lazy.shape else []
        return self.at(lazy, [Const(0) if d == ONE else i for d, i in zip(lazy.shape, own, strict=True)])


def broadcast(graph: GraphBuilder, node: ast.AST, shapes: Sequence[tuple[Dim, ...]]) -> tuple[Dim, ...]:
    """The shape that several have together."""
    rank = max((len(s) for s in shapes), default=0)
    out: list[Dim] = []
    for axis in range(-rank, 0):
        found = ONE
        for shape in shapes:
            dim = shape[axis] if -axis <= len(shape) else ONE
            if dim == ONE or graph.inference.same(dim, found):
                continue
            if found != ONE:
                left, right = (plain(f"({', '.join(map(str, s))})") for s in _clash(shapes, axis, graph))
                graph.refuse(node, "HV1225", f"shapes {left} and {right} do not fit together",
                             f"if `{str(found).replace('%', '')}` and `{str(dim).replace('%', '')}` are "
                             "equal, say so: `hvisa.match(a.shape[0], b.shape[0])`")
            found = dim
        out.append(found)
    return tuple(out)


def _clash(shapes: Sequence[tuple[Dim, ...]], axis: int,
           graph: GraphBuilder) -> tuple[tuple[Dim, ...], tuple[Dim, ...]]:
    """The two shapes that disagree along an axis."""
    with_axis = [s for s in shapes if -axis <= len(s) and s[axis] != ONE]
    other = next(s for s in with_axis if not graph.inference.same(s[axis], with_axis[0][axis]))
    return with_axis[0], other


def elementwise(graph: GraphBuilder, node: ast.AST, parts: Sequence[Lazy],
                combine: Callable[[Emitter, list[Number]], Number]) -> Lazy:
    """An operation on elements of equal places."""
    shape = broadcast(graph, node, [p.shape for p in parts])
    fitting = [graph.materialised(p) if p.heavy and p.shape != shape else p for p in parts]

    def emit(emitter: Emitter, index: Index) -> Number:
        return combine(emitter, [emitter.spread(p, index) for p in fitting])
    out = Lazy(node, shape, emit, fitting, 1 + sum(p.cost for p in fitting), any(p.heavy for p in fitting))
    out.products = tuple(dict.fromkeys(q for p in fitting for q in p.products))
    return out
