"""Array-level expressions: built lazily in a graph, computed by one generated leaf.

A `Lazy` knows its shape and how to compute one element, given its indices, in the body of a leaf. What
is computed from such expressions alone is one again, so a chain of elementwise operations becomes one
leaf. `materialise` makes that leaf and the node that launches it. Element types follow `promotion`,
shapes numpy's broadcasting: dimensions are equal by normal form, or the constant 1.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hvisa.frontends.python.definitions import set_symbols
from hvisa.frontends.python.statements import Statements
from hvisa.frontends.python.values import Array, Const, Expr, Number, Run
from hvisa.frontends.python.wording import plain
from hvisa.graph.model import Instr, LeafNode, Operand, Output, Port, Region, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import DIRECTIONS, OUTPUT_FORMS, REDUCTIONS
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, ScalarType, Type, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.graphs import GraphBuilder

CHEAP = 3  # operations that are done again rather than stored
MOST_AXES = 3
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


def _place(index: Number | Shifted) -> tuple[int, int]:
    """Equal for equal indices, as long as their values live."""
    base, offset = (index.base, index.offset) if isinstance(index, Shifted) else (index, 0)
    return (0, base.value) if isinstance(base, Const) else (id(base.operand), offset)


class Lazy:
    """An array that is not computed yet; shape () for a number.

    `emit(emitter, indices)` adds the instructions for one element. `cost` counts operations; one that
    is `heavy` (a reduction or a product of matrices) is never computed again for each element of
    something larger.
    """

    __slots__ = ("cost", "emit", "heavy", "node", "shape", "wire")

    def __init__(self, node: ast.AST, shape: tuple[Dim, ...], emit: Callable[[Emitter, Index], Number],
                 cost: int = 0, heavy: bool = False, wire: Wire | None = None):
        self.node = node
        self.shape = shape
        self.emit = emit
        self.cost = cost
        self.heavy = heavy
        self.wire = wire  # what it is, if it is only that


class Emitter(Statements):
    """The body of a generated leaf. Ports are added as elements of wires are asked for."""

    def __init__(self, graph: GraphBuilder, leaf: LeafNode):
        super().__init__(graph.compiler, graph.file, leaf, graph.namespace, graph.fast)
        self.graph = graph
        self.operands: list[Operand] = []  # of the node, one for each port that is taken
        self._ports: dict[int, Expr] = {}
        self._dims: dict[Dim, Dim] = {}  # of the graph -> of the leaf
        self._known: dict[tuple[Any, ...], tuple[Number, tuple[Any, ...]]] = {}
        self._keep: list[Operand] = []  # alive as long as their identities are used

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
        found = self._ports.get(id(wire.operand))
        if found is None:
            found = self._ports[id(wire.operand)] = self._input(wire)
            self._keep.append(wire.operand)
        if isinstance(found, Run):
            return found
        assert isinstance(found, Array)
        return self._read(node, found, index)

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
        key = (id(array.operand), id(self.region), *map(_place, index))
        found = self._known.get(key)
        if found is not None:
            return found[0]  # type: ignore[return-value]
        operands = [self.plain(node, i) for i in index]
        offsets = tuple(i.offset if isinstance(i, Shifted) else 0 for i in index)
        out = self.emit(node, "load", [array.operand, *operands], None, None,
                        offsets if any(offsets) else ()).results[0]
        assert isinstance(out.type, ScalarType)
        run = Run(out, out.type)
        self._known[key] = (run, (array, self.region, index))
        return run

    def plain(self, node: ast.AST, index: Number | Shifted) -> Operand:
        """The operand of an index, without its displacement."""
        return self.operand(node, index.base if isinstance(index, Shifted) else index, ty.INDEX, True)

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

    def dim(self, dim: Dim) -> Run:
        """A dimension of the graph as a number of the body."""
        return self.dim_run(self.header_dim(dim))

    # -- elements ------------------------------------------------------------------------------

    def moved(self, node: ast.AST, index: Number | Shifted, start: Dim, step: int) -> Number | Shifted:
        """`start + step * index`."""
        if step != 1:
            number = self.number(node, self.binary(
                node, ast.Mult(), index.base if isinstance(index, Shifted) else index, Const(step)))
            index = shifted(number, index.offset * step if isinstance(index, Shifted) else 0)
        if start.constant is not None:
            return shifted(index, start.constant)
        base, offset = (index.base, index.offset) if isinstance(index, Shifted) else (index, 0)
        key = ("moved", id(self.region), start, _place(base))
        found = self._known.get(key)
        if found is None:
            total = self.number(node, self.binary(node, ast.Add(), base, self.dim(start)))
            found = self._known[key] = (total, (self.region, base))
        return shifted(found[0], offset)

    def at(self, lazy: Lazy, index: Index) -> Number:
        """An element; asked for twice in one region, it is computed once."""
        key = (id(lazy), id(self.region), *map(_place, index))
        found = self._known.get(key)
        if found is None:
            value = lazy.emit(self, index)
            found = self._known[key] = (value, (lazy, self.region, index))
        return found[0]

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
    return Lazy(node, shape, emit, 1 + sum(p.cost for p in fitting), any(p.heavy for p in fitting))


# -- leaves ------------------------------------------------------------------------------------------

class Target:
    """Where a generated leaf puts its elements: a buffer that exists, from `start` on in steps."""

    __slots__ = ("start", "steps", "wire")

    def __init__(self, wire: Wire, start: list[Dim], steps: list[int]):
        self.wire = wire
        self.start = start
        self.steps = steps


def materialise(graph: GraphBuilder, lazy: Lazy, name: str, *, wanted: ScalarType | None = None,
                target: Target | None = None, axes: tuple[Dim, ...] = (),
                form: tuple[str, str] = ("plain", "add")) -> Wire:
    """Compute an array by a leaf of its own; a number by a leaf without grid.

    `wanted` converts the elements. `target` writes them into a part of a buffer and gives its next
    version. `axes` are grid extents of a number whose instances are joined as `form` says.
    """
    leaf = LeafNode(graph.compiler.free_name(f"{graph.definition.name}.{name}"),
                    graph.file.span(lazy.node))
    leaf.public = False
    leaf.effect = 1 if graph.fast else 0
    emitter = Emitter(graph, leaf)
    shape = axes or lazy.shape
    ids = [Value(emitter.unique("ijk"[n] if n < MOST_AXES else f"i{n}"), ty.INDEX)
           for n in range(len(shape))]
    index: Index = [Run(v, ty.INDEX, weak=True, nonneg=True) for v in ids]
    region = emitter.region_of([])
    opened = _inner_loops(emitter, lazy.node, ids[MOST_AXES:], shape[MOST_AXES:])
    value = emitter.at(lazy, index)
    element = emitter.element_of(value)[0] if wanted is None else wanted
    node = lazy.node
    run = emitter.convert(node, value, element, explicit=wanted is not None and target is None)
    joined = bool(axes) or (not lazy.shape and target is None)
    if joined:
        leaf.results, leaf.result_names = [element], [None]
    elif target is not None:
        _store_into(emitter, node, run, index, target)
    else:
        own = ty.buffer(element, tuple(map(emitter.header_dim, shape)))
        port = emitter.add_port("out", own, "out", None)
        emitter.emit(node, "store", [run.operand, port.value, *(emitter.plain(node, i) for i in index)])
    for emitter.region in opened:
        emitter.emit(node, "yield", [], results=())
    emitter.region = region
    emitter.emit(node, "yield", [run.operand] if joined else [], results=())
    leaf.grid = tuple(map(emitter.header_dim, shape[:MOST_AXES]))
    leaf.ids = ids[:MOST_AXES]
    leaf.body = region
    set_symbols(leaf)
    graph.compiler.module.definitions[leaf.name] = leaf
    output = Output(OUTPUT_FORMS.index(form[0] if axes else "plain"),
                    REDUCTIONS.index(form[1]) if axes and form[0] == "reduce" else 0)
    return graph.launch(node, leaf, emitter.operands, [output], name)


def _store_into(emitter: Emitter, node: ast.AST, run: Run, index: Index, target: Target) -> None:
    type_ = target.wire.type
    assert isinstance(type_, BufferType)
    own = ty.buffer(type_.element, tuple(map(emitter.shape_dim, type_.shape)))
    port = emitter.add_port("out", own, "inout", target.wire.operand)
    places = [emitter.moved(node, *p) for p in zip(index, target.start, target.steps, strict=True)]
    offsets = tuple(p.offset if isinstance(p, Shifted) else 0 for p in places)
    emitter.emit(node, "store", [emitter.operand(node, run, type_.element), port.value,
                                 *(emitter.plain(node, p) for p in places)], None, None,
                 offsets if any(offsets) else ())


def _inner_loops(emitter: Emitter, node: ast.AST, counters: list[Value],
                 extents: Sequence[Dim]) -> list[Region]:
    """Loops over the axes that a grid has no room for; their regions, still open."""
    regions: list[Region] = []
    for counter, extent in zip(counters, extents, strict=True):
        bounds = [emitter.operand(node, n, ty.INDEX) for n in (Const(0), emitter.dim(extent), Const(1))]
        instr = Instr(ROWS["for"], list(bounds), [], emitter.file.span(node))
        emitter.region.body.append(instr)
        instr.regions = (emitter.region_of([counter]),)
        regions.append(emitter.region)
    return regions
