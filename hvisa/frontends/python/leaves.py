"""Leaves and functions: header, grid, body, results."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from hvisa.diagnostics import plural
from hvisa.frontends.python.annotations import BufferAnnotation, StreamAnnotation
from hvisa.frontends.python.definitions import Header, PythonFunction, check_sizes, set_symbols
from hvisa.frontends.python.exits import VALUE, Exits, always, returning
from hvisa.frontends.python.names import NAMES
from hvisa.frontends.python.statements import Statements
from hvisa.frontends.python.uniformity import mark_uniform
from hvisa.frontends.python.values import Array, Expr, Known, Run
from hvisa.graph.model import Definition, Function, LeafNode, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import DIRECTIONS, MODES, UPDATES
from hvisa.spec.types import BufferType, GridType, ScalarType, StreamType, Type, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.compiler import Compiler

MOST_AXES = 3


def fill_header(definition: Definition, function: PythonFunction) -> None:
    """What the decorator says."""
    definition.public = not function.private
    definition.effect = max(function.effect, 1 if function.fast else 0)
    definition.implements = function.implements
    definition.attributes = function.attributes


def compile_leaf(compiler: Compiler, function: PythonFunction, header: Header, name: str) -> LeafNode:
    """The leaf of a function decorated with `@hvisa.leaf`."""
    leaf = LeafNode(name, header.file.span(name_of(header)))
    fill_header(leaf, function)
    leaf.ports = [header.port(a) for a in header.arguments()]
    for port in leaf.ports:
        if isinstance(port.type, StreamType):
            header.refuse(argument_of(header, port.name), "HV1217", "a leaf takes items, not streams",
                          "give it the type of one item; the graph feeds it a stream")
    results = header.results() or []
    for result in results:
        if isinstance(result, (BufferAnnotation, StreamAnnotation)):
            header.refuse(header.node.returns, "HV1217", "a leaf gives buffers through its `Out` ports",  # type: ignore[arg-type]
                          "add a parameter `y: Out[f32, \"n\"]` and write to its elements")
    leaf.results = list(results)
    leaf.result_names = [None] * len(results)
    check_sizes(header, leaf)
    set_symbols(leaf)
    body = list(header.node.body)
    builder = Statements(compiler, header.file, leaf, header.namespace, function.fast)
    bind_ports(builder)
    body = without_docstring(body)
    if body and _grid_call(builder, body[0]) is not None:
        _grid(compiler, builder, body.pop(0))
    write_body(builder, header, body, leaf.results if header.node.returns is not None else [])
    mark_uniform(leaf)
    return leaf


def compile_function(compiler: Compiler, function: PythonFunction, header: Header, name: str,
                     types: tuple[Type, ...] | None) -> Function:
    """The function of `@hvisa.func`, for arguments of these types where it does not say them."""
    made = Function(name, header.file.span(name_of(header)))
    fill_header(made, function)
    arguments = header.arguments()
    made.ports = [header.port(a, None if types is None else t)
                  for a, t in zip(arguments, types or (None,) * len(arguments), strict=True)]
    for port in made.ports:
        if port.written or isinstance(port.type, (StreamType, GridType)):
            header.refuse(argument_of(header, port.name), "HV1217", "a function takes numbers and `In` "
                          "buffers", "return what it computes")
    check_sizes(header, made)
    set_symbols(made)
    builder = Statements(compiler, header.file, made, header.namespace, function.fast)
    bind_ports(builder)
    results = header.results()
    if results is not None and any(isinstance(r, (BufferAnnotation, StreamAnnotation)) for r in results):
        header.refuse(header.node.returns, "HV1217", "a function gives numbers")  # type: ignore[arg-type]
    made.results = write_body(builder, header, without_docstring(list(header.node.body)), results)
    made.result_names = [None] * len(made.results)
    return made


def bind_ports(builder: Statements) -> None:
    """Ports as variables."""
    for port in builder.definition.ports:
        builder.unique(port.name)
        builder.env[port.name] = port_value(builder.definition, port)
    for name in builder.definition.symbols:
        builder.unique(name)


def port_value(definition: Definition, port: Any) -> Expr:
    type_ = port.type
    if isinstance(type_, BufferType):
        accumulate = UPDATES[port.operator] if MODES[port.mode] == "accumulate" and port.written else ""
        return Array(port.name, port.value, type_, DIRECTIONS[port.direction], accumulate)
    assert isinstance(type_, (ScalarType, VectorType))
    element = ty.element_of(type_)
    dim = dims.symbol(port.name) if type_ is ty.INDEX else None
    return Run(port.value, type_, weak=type_ is ty.INDEX, dim=dim,
               nonneg=element is not None and element.kind == "unsigned")


def write_body(builder: Statements, header: Header, body: list[ast.stmt],
               results: list[Any] | None) -> list[Type]:
    """The body; the types of what it gives. `results` None: whatever the body returns."""
    definition = builder.definition
    returns = returning(body)
    if returns and not always(body):
        header.refuse(returns[-1], "HV1222", "not every way through the function returns a value",
                      "add a `return` with a value at its end")
    if results and not returns:
        header.refuse(header.node.returns, "HV1222", "the function says that it gives a value and returns "  # type: ignore[arg-type]
                      "none", "end it with `return value`, or leave out `->`")
    exits = Exits()
    region = builder.region_of([])
    builder.block(exits.function(body) if body else [])
    counts = {len(_returned(r)) for r in returns}
    if len(counts) > 1:
        first = len(_returned(returns[0]))
        odd = next(r for r in returns if len(_returned(r)) != first)
        header.refuse(odd, "HV1222", f"this returns {plural(len(_returned(odd)), 'value')}, "
                      f"and the one in line {returns[0].lineno} returns {first}",
                      "return equally many everywhere")
    count = counts.pop() if counts else 0
    if results is not None and count != len(results):
        at = returns[-1] if returns else header.node
        says = f"says {len(results)}" if header.node.returns is not None else "has no `->`"
        header.refuse(at, "HV1222", f"{plural(count, 'value')} returned, the header {says}",
                      "write the types behind `->`: `-> f32`, `-> tuple[f32, i32]`; buffers are given "
                      "back through `Out` ports")
    operands: list[Any] = []
    types: list[Type] = []
    for number in range(count):
        at = _returned(returns[-1])[number]
        if f"{VALUE}{number}" not in builder.env:
            header.refuse(at, "HV1222", "not every way through the function returns a value",
                          "add a `return` with a value at its end")
        value = builder.number(at, builder.env[f"{VALUE}{number}"], "a number")
        type_ = builder.concrete(at, value).type if results is None else results[number]
        operands.append(builder.operand(at, value, type_))
        types.append(type_)
    builder.region = region
    last = body[-1] if body else header.node
    builder.emit(returns[-1] if returns else last, "yield", operands, results=())
    definition.body = region
    return types


def _returned(node: ast.Return) -> list[ast.expr]:
    assert node.value is not None
    return node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) \
            and isinstance(first.value.value, str):
        return body[1:]
    return body


def _grid_call(builder: Statements, node: ast.stmt) -> ast.Call | None:
    """The call in `i, j = hvisa.grid(m, n)`."""
    call = node.value if isinstance(node, (ast.Assign, ast.Expr)) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, (ast.Name, ast.Attribute)):
        return None
    name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr
    if name != "grid" and name not in builder.namespace:
        return None
    found = builder.expression(call.func)
    return call if isinstance(found, Known) and found.object is NAMES["grid"] else None


def _grid(compiler: Compiler, builder: Statements, node: ast.stmt) -> None:
    call = _grid_call(builder, node)
    leaf = builder.definition
    assert call is not None
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        targets = list(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else [target]
    if call.keywords or not 1 <= len(call.args) <= MOST_AXES:
        builder.refuse(call, "HV1211", f"a grid has 1 to {MOST_AXES} extents",
                       "put two into one: `ij = hvisa.grid(\"m*n\")`, then `ij // n` and `ij % n`")
    if targets and len(targets) != len(call.args):
        names = ", ".join("ijk"[:len(call.args)])
        builder.refuse(node.targets[0] if isinstance(node, ast.Assign) else node, "HV1204",
                       f"a grid of {plural(len(call.args), 'extent')} gives "
                       f"{plural(len(call.args), 'id')} for {plural(len(targets), 'name')}",
                       f"write `{names} = hvisa.grid(...)`")
    extents: list[Dim] = []
    for part in call.args:
        value = builder.expression(part)
        if isinstance(value, Run) and value.dim is None:
            builder.refuse(part, "HV1221", "the size of a grid is known at launch, and this is computed "
                           "by the kernel", "use the extents of buffers (`x.shape[0]`), or a parameter of "
                           "type `index`")
        extents.append(compiler.dimension(builder, part, value))
        unknown = [s for s in extents[-1].symbols() if s not in leaf.symbols and not leaf.port(s)]
        if unknown:
            builder.refuse(part, "HV1202", f"`{unknown[0]}` is no dimension of `{leaf.name}`",
                           f"name it in the shape of a port, or pass it: `{unknown[0]}: index`")
    leaf.grid = tuple(extents)
    for number, _ in enumerate(extents):
        target = targets[number] if targets else None
        if target is not None and not isinstance(target, ast.Name):
            builder.refuse(target, "HV1203", "an id is given a name", "write `i = hvisa.grid(...)`")
        name = target.id if isinstance(target, ast.Name) else f"id{number}"
        id_ = Value(builder.unique(name), ty.INDEX)
        leaf.ids.append(id_)
        builder.env[name] = Run(id_, ty.INDEX, weak=True, nonneg=True)
    set_symbols(leaf)


def name_of(header: Header) -> ast.AST:
    """A node that stands where the function's name does."""
    node = header.node
    line = header.file.source.line(node.lineno)
    at = line.find(node.name, node.col_offset)
    first = len(line[:max(at, 0)].encode())
    return ast.Name(node.name, ast.Load(), lineno=node.lineno, end_lineno=node.lineno,
                    col_offset=first, end_col_offset=first + len(node.name.encode()))


def argument_of(header: Header, name: str) -> ast.AST:
    return next((a for a in header.arguments() if a.arg == name), header.node)
