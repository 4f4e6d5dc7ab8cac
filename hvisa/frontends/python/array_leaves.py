"""Leaves made of array expressions, and the nodes that launch them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hvisa.frontends.python.array_tiles import tiles_of
from hvisa.frontends.python.arrays import Emitter, Index, Lazy, Shifted, Wire
from hvisa.frontends.python.definitions import set_symbols
from hvisa.frontends.python.values import Array, Run
from hvisa.graph.model import LeafNode, Output, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import OUTPUT_FORMS, REDUCTIONS
from hvisa.spec.types import BufferType, ScalarType

if TYPE_CHECKING:
    from hvisa.frontends.python.graphs import GraphBuilder

MOST_AXES = 3

Part = tuple[Dim, int, Dim | None]  # start, step and length of an index; no length for one element


def materialise(graph: GraphBuilder, lazy: Lazy, name: str, *, wanted: ScalarType | None = None,
                axes: tuple[Dim, ...] = (), form: tuple[str, str] = ("plain", "add")) -> Wire:
    """Compute an array by a leaf of its own; a number by a leaf without grid.

    `wanted` is the type of the elements, of the same kind. `axes` are grid extents of a number whose
    instances are joined as `form` says.
    """
    shape = axes or lazy.shape
    made = _Leaf(graph, lazy, name, shape)
    emitter, leaf, node = made.emitter, made.leaf, lazy.node
    value = emitter.at(lazy, made.open())
    element = emitter.element_of(value)[0] if wanted is None else wanted
    run = emitter.convert(node, value, element)
    results = []
    if axes or not lazy.shape:
        leaf.results, leaf.result_names = [element], [None]
        results.append(run)
    else:
        own = ty.buffer(element, tuple(map(emitter.header_dim, shape)))
        port = emitter.add_port("out", own, "out", None)
        emitter.emit(node, "store", [run.operand, port.value,
                                     *(emitter.plain(node, i) for i in made.index)])
    joined = form if axes else ("plain", "add")
    return made.launch(name, results, Output(
        OUTPUT_FORMS.index(joined[0]), REDUCTIONS.index(joined[1]) if joined[0] == "reduce" else 0))


def store(graph: GraphBuilder, lazy: Lazy, name: str, wire: Wire, parts: Sequence[Part]) -> Wire:
    """Put an array into a part of a buffer; gives the buffer's next version.

    What is read of the buffer's elements themselves is read through the port that is written, so that the
    leaf works in place. Other elements are needed as they were: smaller parts are copied before, and
    if there is more, the whole array is computed first and then put into its place.
    """
    made = _stored(graph, lazy, name, wire, parts, {})
    emitter = made.emitter
    if emitter.elsewhere or emitter.parts:
        made.drop()
        if not emitter.elsewhere and all(rank < len(lazy.shape) for _, rank in emitter.parts):
            copies = {id(p): graph.materialised(p, name) for p, _ in emitter.parts}
            made = _stored(graph, lazy, name, wire, parts, copies)
        else:
            computed = graph.lazy(lazy.node, materialise(graph, lazy, name))
            made = _stored(graph, computed, name, wire, parts, {})
    return made.launch(name, [], Output())


def update(graph: GraphBuilder, lazy: Lazy, name: str, wire: Wire) -> Wire | None:
    """Put an array of the same type into a buffer whose contents nobody needs any more. None where that
    gains nothing."""
    type_ = wire.type
    assert isinstance(type_, BufferType)
    made = _stored(graph, lazy, name, wire, [(dims.constant(0), 1, d) for d in type_.shape], {}, True)
    if made.emitter.elsewhere or made.emitter.parts or made.element is not type_.element:
        made.drop()
        return None
    return made.launch(name, [], Output())


class _Leaf:
    """A leaf under construction, one instance for each element of a shape, or for a tile of them."""

    def __init__(self, graph: GraphBuilder, lazy: Lazy, name: str, shape: Sequence[Dim]):
        self.graph = graph
        self.node = node = lazy.node
        self._taken = dict(graph._taken)
        self.leaf = leaf = LeafNode(graph.compiler.free_name(
            f"{graph.definition.name}.{name.lstrip('$')}"), graph.file.span(node))
        leaf.public = False
        leaf.effect = 1 if graph.fast else 0
        self.emitter = emitter = Emitter(graph, leaf)
        self.shape = tuple(shape)
        self.element: ScalarType | None = None
        leaf.ids = [Value(emitter.unique(n), ty.INDEX) for n, _ in zip("ijk", shape, strict=False)]
        self.index: Index = [Run(v, ty.INDEX, weak=True, nonneg=True) for v in leaf.ids]
        self.region = emitter.region_of([])
        fitting = len(shape) == len(lazy.shape) and all(map(graph.inference.same, shape, lazy.shape))
        self.tiles = tiles_of(graph, lazy, MOST_AXES) if fitting else None
        self.grid = self.shape[:MOST_AXES] if self.tiles is None else self.tiles.grid(shape)

    def open(self) -> Index:
        """What stands before the elements: the products of a tile, or loops over the axes that a grid has
        no room for. Gives the place of the element that is computed next."""
        emitter = self.emitter
        if self.tiles is not None:
            self.index = self.tiles.open(emitter, self.node, self.leaf.ids, self.shape)
        for extent in self.shape[MOST_AXES:]:
            at = emitter.loop(self.node, emitter.dim(extent).operand)
            self.index.append(Run(at, ty.INDEX, weak=True, nonneg=True))
        return self.index

    def launch(self, name: str, results: list[Run], output: Output) -> Wire:
        """End the body, and add the node."""
        emitter, leaf, graph = self.emitter, self.leaf, self.graph
        while emitter.region is not self.region:
            emitter.close(self.node)
        emitter.emit(self.node, "yield", [r.operand for r in results], results=())
        leaf.grid = tuple(map(emitter.header_dim, self.grid))
        leaf.body = self.region
        set_symbols(leaf)
        graph.compiler.module.definitions[leaf.name] = leaf
        return graph.launch(self.node, leaf, emitter.operands, [output], name)

    def drop(self) -> None:
        """Forget it: the graph's names that it took are free again."""
        self.graph._taken = self._taken


def _stored(graph: GraphBuilder, lazy: Lazy, name: str, wire: Wire, parts: Sequence[Part],
            copies: dict[int, Lazy], same_type: bool = False) -> _Leaf:
    """A leaf whose instances store into parts of a buffer."""
    type_, node = wire.type, lazy.node
    assert isinstance(type_, BufferType)
    shape = tuple(length for _, _, length in parts if length is not None)
    made = _Leaf(graph, lazy, name, shape)
    emitter = made.emitter
    own = ty.buffer(type_.element, tuple(map(emitter.shape_dim, type_.shape)))
    port = emitter.add_port("out", own, "inout", wire.operand)
    array = Array("out", port.value, own, "inout")
    emitter.into, emitter.copies = (wire.operand, array, []), copies
    left = iter(made.open())
    places: Index = [emitter.fixed(start) if length is None else
                     emitter.moved(node, next(left), start, step) for start, step, length in parts]
    emitter.into = (wire.operand, array, places)
    value = emitter.spread(lazy, made.index)
    made.element = emitter.element_of(value)[0]
    if same_type and made.element is not type_.element:
        return made
    offsets = tuple(p.offset if isinstance(p, Shifted) else 0 for p in places)
    emitter.emit(node, "store", [emitter.operand(node, value, type_.element), port.value,
                                 *(emitter.plain(node, p) for p in places)], None, None,
                 offsets if any(offsets) else ())
    return made
