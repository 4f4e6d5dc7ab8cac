"""Graphs: calls of nodes become nodes, values edges, and Python's control graph control."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from hvisa.frontends.python.annotations import BufferAnnotation, StreamAnnotation
from hvisa.frontends.python.array_leaves import materialise, update
from hvisa.frontends.python.array_reductions import ArrayReductions
from hvisa.frontends.python.arrays import Lazy, Wire
from hvisa.frontends.python.definitions import Header, PythonFunction, set_symbols
from hvisa.frontends.python.leaves import fill_header, name_of, without_docstring
from hvisa.frontends.python.values import Const, Items, Run
from hvisa.graph.inference import Inference
from hvisa.graph.model import (
    Argument,
    Constant,
    Definition,
    GlobalRef,
    Instr,
    InternalNode,
    NodeDetail,
    Operand,
    Output,
    Port,
    Value,
)
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.literals import float_value, integer_value
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, GridType, ScalarType, Type

if TYPE_CHECKING:
    from hvisa.frontends.python.compiler import Compiler


class GraphBuilder(ArrayReductions):
    """One graph's body: nodes, and values that travel between them."""

    def __init__(self, compiler: Compiler, header: Header, graph: InternalNode, fast: int):
        super().__init__(compiler, header.file, graph, header.namespace, fast)
        self.inference = Inference(compiler.module)
        self.inference.definition = graph
        self.uses, self.last_uses = _uses(header.node)
        self.waiting: list[Any] = []  # values that a statement has yet to assign
        self._unnamed: set[Value] = set()  # results that are still called after their node

    # -- values --------------------------------------------------------------------------------

    def dim_operand(self, dim: Dim) -> Operand:
        """A dimension as an operand of a node."""
        return self.dim_run(dim).operand

    def wire(self, node: ast.AST, value: Any, type_: Type | None = None, name: str = "value") -> Wire:
        """The value as something that travels along an edge; computed if it is not yet."""
        if isinstance(value, Wire):
            if type_ is not None and isinstance(value.type, ScalarType) and value.type is not type_ \
                    and isinstance(type_, ScalarType):
                return materialise(self, self.lazy(node, value), name, wanted=type_)
            return value
        element = type_ if isinstance(type_, ScalarType) else \
            type_.element if isinstance(type_, BufferType) else None
        if isinstance(value, Const) and (isinstance(type_, ScalarType) or type_ is None):
            run = self.concrete(node, self.number(node, value)) if type_ is None else \
                self.convert(node, self.number(node, value), element or ty.INDEX)
            return Wire(run.operand, run.type)
        if isinstance(value, Run):
            if element is None or element is value.type:
                return Wire(value.operand, value.type)
            if isinstance(value.operand, Constant) and isinstance(type_, ScalarType):
                own = value.operand
                known = float_value(own.bits, own.type) if own.type.is_float else integer_value(
                    own.bits, own.type)
                return Wire(self.constant(node, Const(known), type_, True), type_)
        lazy = self.lazy(node, value)
        if lazy.wire is not None and element is None:
            return lazy.wire
        return materialise(self, lazy, name, wanted=element)

    def materialised(self, lazy: Lazy, name: str = "value") -> Lazy:
        """The same array, computed; once in a region."""
        if lazy.wire is not None:
            return lazy
        if lazy.view is not None:
            source, turn = lazy.view
            return turn(self.materialised(source, name))
        if lazy.made is None or lazy.made[0] is not self.region:
            lazy.made = self.region, materialise(self, lazy, name)
        return self.lazy(lazy.node, lazy.made[1])

    # -- instructions --------------------------------------------------------------------------

    def add(self, node: ast.AST, instr: Instr, infer: Any) -> list[Wire]:
        """Add a graph construct; `infer` gives its results their types."""
        infer(instr, [])
        if self.inference.errors:
            error = self.inference.errors[0]
            self.inference.errors.clear()
            self.refuse(node, error.code, error.message, error.help, error.note)
        self.region.body.append(instr)
        return [Wire(v, v.type) for v in instr.results]

    def launch(self, node: ast.AST, callee: Definition, operands: list[Operand],
               outputs: list[Output], name: str = "") -> Wire:
        """A node with one result."""
        return self.launch_all(node, callee, operands, [Argument() for _ in operands], outputs, name)[0]

    def launch_all(self, node: ast.AST, callee: Definition, operands: list[Operand],
                   arguments: list[Argument], outputs: list[Output], name: str = "",
                   grid: tuple[Dim, ...] = (), ids: list[Value] | None = None) -> list[Wire]:
        instr = Instr(ROWS["node"], operands, [], self.file.span(node))
        instr.callee = callee.name
        instr.detail = NodeDetail(grid, ids or [], arguments, outputs)
        count = len(callee.written) + len(callee.results)
        instr.results = [Value(self.unique(f"{name}.out") if name else None, ty.ERROR)
                         for _ in range(count)]
        self._unnamed.update(instr.results)
        if not outputs:
            instr.detail.outputs = [Output() for _ in range(count)]
        found = self.add(node, instr, self.inference.node)
        self.definition.effect = max(self.definition.effect, callee.effect)
        return found

    def bind(self, node: ast.AST, name: str, value: Any) -> None:
        """Give a name a value. An array that is used again is computed once."""
        if isinstance(value, Const) and value.value is None:
            self.refuse(node, "HV1204", "this gives no value")
        if isinstance(value, Lazy) and value.wire is None:
            old, uses = self.env.get(name), self.uses.get(name, 0)
            if isinstance(old, Wire) and isinstance(old.type, BufferType) and old.operand in value.reads:
                value = self.updated(node, value, name, old)
            elif uses > 1 and (value.heavy or value.cost > self.cheap(value)):
                value = materialise(self, value, name)
        if isinstance(value, Wire) and isinstance(value.operand, Value) and (
                value.operand.name is None or value.operand in self._unnamed) and not _names_extent(value):
            self._unnamed.discard(value.operand)
            value.operand.name = self.unique(name)
        self.env[name] = value  # type: ignore[assignment]
        self.lost.pop(name, None)

    # -- versions ------------------------------------------------------------------------------

    def needed(self, node: ast.AST, operand: Operand, name: str) -> list[str]:
        """The other names whose arrays are made of a version of a buffer and are read after a statement;
        "" for a value that the statement has yet to assign."""
        line = getattr(node, "end_lineno", None) or 0
        kept = [n for n, v in self.env.items() if n != name and _made_of(v, operand)
                and (self.last_uses.get(n, 0) > line or self.definition.port(n) is not None)]
        return kept + [""] * any(_made_of(v, operand) for v in self.waiting)

    def updated(self, node: ast.AST, value: Lazy, name: str, old: Wire) -> Lazy | Wire:
        """What is made of a buffer and takes its name: computed in place if that loses nothing. Kept
        lazy, it would keep the old version alive."""
        type_ = old.type
        assert isinstance(type_, BufferType)
        if self.owned(old) and len(value.shape) == len(type_.shape) \
                and all(map(self.inference.same, value.shape, type_.shape)) \
                and not self.needed(node, old.operand, name):
            found = update(self, value, name, old)
            if found is not None:
                return found
        if value.heavy or self.uses.get(name, 0) > 1:
            return materialise(self, value, name)
        return value

    def owned(self, wire: Wire) -> bool:
        """Whether a buffer was made here or is a port that may be written, and has contents."""
        port = next((p for p in self.definition.ports if p.value is wire.operand), None)
        return isinstance(wire.operand, Value) and (port is None or (port.written and port.direction != 2))


def _names_extent(wire: Wire) -> bool:
    """Whether an extent is known only after the run, and so has a name made of the value's."""
    assert isinstance(wire.operand, Value)
    return any(s.startswith(f"{wire.operand.name}.") for d in ty.dims_of(wire.type) for s in d.symbols())


def _made_of(value: Any, operand: Operand) -> bool:
    return value.operand is operand if isinstance(value, Wire) else \
        isinstance(value, Lazy) and operand in value.reads


def _uses(node: ast.FunctionDef) -> tuple[dict[str, int], dict[str, int]]:
    """How often each name is read, in a loop more than once, and in which line last. What a loop reads
    and does not give a new value before is read until its end."""
    count: dict[str, int] = {}
    last: dict[str, int] = {}

    def visit(tree: ast.AST, loops: tuple[ast.For | ast.While, ...]) -> None:
        for child in ast.iter_child_nodes(tree):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                count[child.id] = count.get(child.id, 0) + (2 if loops else 1)
                line = child.lineno
                for loop in reversed(loops):
                    if _starts_anew(loop, child.id):
                        break
                    line = loop.end_lineno or line
                last[child.id] = max(last.get(child.id, 0), line)
            visit(child, (*loops, child) if isinstance(child, (ast.For, ast.While)) else loops)
    visit(node, ())
    return count, last


def _starts_anew(loop: ast.For | ast.While, name: str) -> bool:
    """Whether each round assigns a name before it reads it."""
    for statement in loop.body:
        names = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if any(isinstance(n.ctx, ast.Load) for n in names):
            return False
        if names and isinstance(statement, ast.Assign):
            return True
    return False


# -- the definition ----------------------------------------------------------------------------------

def compile_graph(compiler: Compiler, function: PythonFunction, header: Header,
                  name: str) -> InternalNode:
    """The graph of a function decorated with `@hvisa.graph`."""
    from hvisa.frontends.python.graph_statements import GraphStatements
    graph = InternalNode(name, header.file.span(name_of(header)))
    fill_header(graph, function)
    graph.ports = [header.port(a) for a in header.arguments()]
    given, order = _results(header, graph)
    set_symbols(graph)
    builder = GraphStatements(compiler, header, graph, function.fast)
    for port in graph.ports:
        builder.unique(port.name)
        builder.env[port.name] = _port_value(port)  # type: ignore[assignment]
    for symbol in graph.symbols:
        builder.unique(symbol)
    region = builder.region_of([])
    body = without_docstring(list(header.node.body))
    returned = body.pop() if body and isinstance(body[-1], ast.Return) else None
    for statement in body:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.Return):
                builder.refuse(inner, "HV1203", "a graph returns at its end",
                               "assign in the branches and return afterwards")
    builder.block(body)
    builder.region = region
    _end(builder, header, returned if isinstance(returned, ast.Return) else None, given, order)
    graph.body = region
    return graph


def _port_value(port: Port) -> Any:
    if port.type is ty.INDEX:
        return Run(port.value, ty.INDEX, dim=dims.symbol(port.name))
    return Wire(port.value, port.type)


def _results(header: Header, graph: InternalNode) -> tuple[list[Port], list[bool]]:
    """What stands behind `->`: buffers become `out` ports, numbers results. The ports, and
    for each part whether it is one."""
    made: list[Port] = []
    taken = {p.name for p in graph.ports}
    found = header.results() or []
    for number, result in enumerate(found):
        # By their place behind `->`, since ports come back before numbers.
        name = "result" if len(found) == 1 else f"result{number}"
        while name in taken:
            name += "_"
        if _is_port(result):
            port = Port(Value(name, result.type), 2, header.file.span(header.node.returns or header.node))
            if isinstance(result, BufferAnnotation):
                port.source = result.source
            if isinstance(result, BufferAnnotation) and result.direction != 2:
                header.refuse(header.node.returns or header.node, "HV1217", "a graph gives `Out` buffers",
                              "write `-> Out[f32, \"n\"]`")
            made.append(port)
            graph.ports.append(port)
            continue
        graph.results.append(result.type if isinstance(result, StreamAnnotation) else result)
        graph.result_names.append(name if len(found) > 1 else None)
    return made, list(map(_is_port, found))


def _is_port(result: Any) -> bool:
    """Whether what stands behind `->` is given through a port: buffers and streams of them."""
    return isinstance(result, BufferAnnotation) or (
        isinstance(result, StreamAnnotation) and isinstance(result.item, BufferType))


def _end(builder: GraphBuilder, header: Header, node: ast.Return | None, given: list[Port],
         order: list[bool]) -> None:
    """The last `yield`: the written ports' last versions, and the results. `order` says which parts
    behind `->` are buffers."""
    graph = builder.definition
    own = [p for p in graph.written if p not in given]
    at = node if node is not None else (header.node.body[-1] if header.node.body else header.node)
    values: list[tuple[ast.AST, Any]] = []
    if node is not None and node.value is not None:
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for part in parts:
            found = builder.expression(part)
            values += [(part, v) for v in found.items] if isinstance(found, Items) else [(part, found)]
    if len(values) == len(own) + len(order) and values:
        order = [True] * len(own) + order
        ports = [*own, *given]
    elif len(values) == len(order):
        ports = given
    else:
        builder.refuse(at, "HV1222", f"{len(values)} value{'s' * (len(values) != 1)} returned, "
                       f"{len(order)} expected", "return what stands behind `->`"
                       + (f", or all written ports ({', '.join(p.name for p in own)}) too" if own else ""))
    buffers = [v for v, is_port in zip(values, order, strict=True) if is_port]
    results = [v for v, is_port in zip(values, order, strict=True) if not is_port]
    written = {id(p): v for p, v in zip(ports, buffers, strict=True)}
    operands: list[Operand] = []
    for port in graph.written:
        place, value = written.get(id(port), (at, builder.env.get(port.name)))
        if port.direction == 2 and isinstance(value, Wire) and value.operand is port.value:
            builder.refuse(place, "HV1222", f"`{port.name}` is never given a value",
                           f"assign it: `{port.name} = node(...)`")
        operands.append(_fitting(builder, place, value, port.type, port.name))
    for (place, value), type_ in zip(results, graph.results, strict=True):
        operands.append(_fitting(builder, place, value, type_, "result"))
    builder.emit(at, "yield", operands, results=())


def _fitting(builder: GraphBuilder, node: ast.AST, value: Any, type_: Type, name: str) -> Operand:
    if isinstance(value, Wire) and isinstance(value.operand, GlobalRef):
        value = builder.lazy(node, value)  # a constant becomes a buffer of its own
        value.wire = None
    wire = builder.wire(node, value, type_ if isinstance(type_, (BufferType, ScalarType)) else None, name)
    if isinstance(wire.type, BufferType) and isinstance(type_, BufferType) \
            and wire.type is not type_ and wire.type.element is not type_.element:
        wire = builder.wire(node, builder.copy_of(node, wire), type_, name)
    if not builder.inference.fits(type_, wire.type) and wire.type is not type_:
        shown = f"{type_}, and this is {wire.type}".replace("%", "")
        builder.refuse(node, "HV1225" if isinstance(wire.type, BufferType) else "HV1204",
                       f"`{name}` is {shown}", "if dimensions are equal, say so: `hvisa.match(a, b)`"
                       if isinstance(wire.type, BufferType) else "join per-instance results: "
                       "`hvisa.reduce(\"max\", node(...))`" if isinstance(wire.type, GridType) else "")
    return wire.operand
