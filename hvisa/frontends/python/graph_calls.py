"""Expressions of a graph's body: names, slices, calls of nodes and operations on whole buffers."""

from __future__ import annotations

import ast
from typing import Any

from hvisa.frontends.python.annotations import scalar_of
from hvisa.frontends.python.array_operations import shown
from hvisa.frontends.python.arrays import Lazy, Wire
from hvisa.frontends.python.definitions import PythonFunction
from hvisa.frontends.python.graph_library import GraphLibrary
from hvisa.frontends.python.names import LibraryFunction, Operation, ceildiv
from hvisa.frontends.python.unsupported import INSTEAD
from hvisa.frontends.python.values import Array, Const, Items, Known, Run, type_text
from hvisa.graph.model import Argument, Constant, Instr, Operand, Output, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import OUTPUT_FORMS, REDUCTIONS
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, GridType, ScalarType, StreamType


class Delayed:
    """A stream one item later, whose next value is given further down."""

    __slots__ = ("instr", "wire")

    def __init__(self, instr: Instr, wire: Wire):
        self.instr = instr
        self.wire = wire


class GraphCalls(GraphLibrary):
    """Dispatch over the expression nodes of the tree."""

    def expression(self, node: ast.expr) -> Any:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            what, instead = INSTEAD.get(type(node), (f"`{type(node).__name__}` is", ""))
            self.refuse(node, "HV1203", f"{what} not supported in a graph", instead
                        if not isinstance(node, ast.IfExp) else
                        "use `hvisa.where(c, a, b)`, or an `if` statement")
        return method(node)

    def _constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, complex):
            self.refuse(node, "HV1210", "complex numbers are not a type of hvisa",
                        "keep real and imaginary parts in two buffers (structure of arrays)")
        return Const(node.value)

    def _name(self, node: ast.Name) -> Any:
        found = self.env.get(node.id)
        if found is not None:
            return found.wire if isinstance(found, Delayed) else found
        return self.looked_up(node)

    def _tuple(self, node: ast.Tuple) -> Any:
        return Items([self.expression(e) for e in node.elts])

    def _binop(self, node: ast.BinOp) -> Any:
        return self.binary_operation(node, node.op, self.expression(node.left),
                                     self.expression(node.right))

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        return self.unary_operation(node, node.op, self.expression(node.operand))

    def _compare(self, node: ast.Compare) -> Any:
        values = [self.expression(e) for e in (node.left, *node.comparators)]
        found = [self.compare_operation(node, op, values[n], values[n + 1])
                 for n, op in enumerate(node.ops)]
        return found[0] if len(found) == 1 else self.logical(node, "and", found)

    def _boolop(self, node: ast.BoolOp) -> Any:
        return self.logical(node, "and" if isinstance(node.op, ast.And) else "or",
                            [self.expression(v) for v in node.values])

    # -- attributes and slices -----------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Any:
        owner = self.expression(node.value)
        if isinstance(owner, Known):
            return self.member(node, owner)
        if node.attr in ("shape", "T", "ndim", "size") and isinstance(owner, (Wire, Lazy, Array)):
            lazy = self.lazy(node, owner)
            if node.attr == "T":
                return self.transposed(node, lazy)
            if node.attr == "shape":
                return Items([self.dim_run(d) for d in lazy.shape])
            if node.attr == "ndim":
                return Const(len(lazy.shape))
            size = dims.constant(1)
            for extent in lazy.shape:
                size = size * extent
            return self.dim_run(size)
        self.refuse(node, "HV1214", f"`.{node.attr}` means nothing in a graph",
                    "arrays have `.shape`, `.size`, `.ndim` and `.T`")

    def _subscript(self, node: ast.Subscript) -> Any:
        owner = self.expression(node.value)
        if isinstance(owner, Known) and isinstance(owner.object, PythonFunction):
            self.refuse(node, "HV1203", "a graph is replicated by a `for` over `hvisa.grid`",
                        "for example `for i in hvisa.grid(n): y[i:i + 1] = f(x[i:i + 1])`")
        if isinstance(owner, Items):
            position = self.expression(node.slice)
            if not isinstance(position, Const) or type(position.value) is not int \
                    or not -len(owner.items) <= position.value < len(owner.items):
                self.refuse(node.slice, "HV1212", "items of a tuple are numbered by constants",
                            f"there are {len(owner.items)}")
            return owner.items[position.value]
        chosen = self.chosen(node, owner)
        return self.sliced(node, owner) if chosen is None else chosen

    # -- calls ---------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Attribute):
            method = self._method(node, node.func)
            if method is not None:
                return method
        callee = self.expression(node.func)
        found = callee.object if isinstance(callee, Known) else None
        if isinstance(found, PythonFunction):
            return self.node_call(node, found)
        type_ = scalar_of(found)
        if type_ is not None or found is ceildiv or found is len:
            self.options(node, str(type_) if type_ is not None else "len" if found is len else "ceildiv")
        if type_ is not None and len(node.args) == 1:
            return self.converted(node, type_, self.expression(node.args[0]))
        if isinstance(found, LibraryFunction):
            self.options(node, found.name)
            return self.library(node, found, [self.expression(a) for a in node.args])
        if isinstance(found, Operation):
            return self._operation(node, found)
        if found is ceildiv and len(node.args) == 2:
            return self.dim_run(dims.ceildiv(*(
                self.compiler.dimension(self, x, self.expression(x)) for x in node.args)))
        if found is len and len(node.args) == 1:
            shape = self.lazy(node, self.expression(node.args[0])).shape
            if not shape:
                self.refuse(node.args[0], "HV1204", "this is a number, which has no length",
                            "`len` takes an array")
            return self.dim_run(shape[0])
        self.refuse(node, "HV1203", f"{shown(callee)} can't be called in a graph",
                    "a graph calls leaves and graphs (`@hvisa.leaf`, `@hvisa.graph`) and operations on "
                    "arrays")

    # -- nodes ---------------------------------------------------------------------------------

    def node_call(self, node: ast.Call, function: PythonFunction, grid: tuple[Dim, ...] = (),
                  ids: list[Value] | None = None, outputs: list[Output] | None = None,
                  form: tuple[str, str] = ("plain", "add")) -> Any:
        """A call of a leaf or graph: a node. Gives its results."""
        if function.kind == "func":
            self.refuse(node, "HV1203", f"`{function.__name__}` is a function that leaves call",
                        "call it in a leaf, or make it a `@hvisa.leaf`")
        if function in self.compiler.in_progress:
            self.refuse(node, "HV1218", f"`{function.__name__}` contains itself",
                        "write a loop; graphs are not recursive")
        callee = self.compiler.node(function)
        names = [p.name for p in callee.taken]
        given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg not in names or keyword.arg in given:
                written = [p.name for p in callee.written if not p.taken]
                self.refuse(node, "HV1211", f"`{function.__name__}` takes no `{keyword.arg}`",
                            "`Out` ports are results and are not passed" if keyword.arg in written
                            else f"it takes {', '.join(names)}")
            given[keyword.arg] = keyword.value
        if len(node.args) > len(names) or len(given) < len(names):
            self.refuse(node, "HV1211", f"`{function.__name__}` takes {len(names)} value"
                        f"{'s' * (len(names) != 1)} ({', '.join(names)}), "
                        f"{len(node.args) + len(node.keywords)} given",
                        "`Out` ports are results and are not passed: `y = f(x)`"
                        if len(node.args) > len(names) else "")
        operands: list[Operand] = []
        arguments: list[Argument] = []
        for port in callee.taken:
            operand, argument = self._argument(given[port.name], port, bool(grid))
            operands.append(operand)
            arguments.append(argument)
        if outputs is None:
            outputs = [Output() for _ in callee.written] + [
                Output(OUTPUT_FORMS.index(form[0]), REDUCTIONS.index(form[1])) for _ in callee.results]
        found = self.launch_all(node, callee, operands, arguments, outputs, function.__name__, grid, ids)
        if not found:
            self.refuse(node, "HV1204", f"`{function.__name__}` gives nothing, so it does nothing",
                        "give it an `Out` or `InOut` port, or a result")
        return found[0] if len(found) == 1 else Items(list(found))

    def _argument(self, node: ast.expr, port: Any, replicated: bool) -> tuple[Operand, Argument]:
        if replicated and isinstance(node, ast.Subscript):
            owner = self.expression(node.value)
            if isinstance(owner, Wire) and isinstance(owner.type, BufferType):
                return owner.operand, Argument(box=self.box(node, owner.type))
        value = self.expression(node)
        type_ = port.type
        if isinstance(value, Items | Known):
            self.refuse(node, "HV1204", f"`{port.name}` is {str(type_).replace('%', '')}, and this is "
                        f"{type_text(value)}")
        if isinstance(type_, BufferType):
            wire = self.wire(node, value, None, port.name)
            if isinstance(wire.type, (ScalarType, GridType)) and not isinstance(wire.type, StreamType):
                self.refuse(node, "HV1204", f"`{port.name}` is a buffer, and this is {wire.type}",
                            "collect per-instance results: `hvisa.collect(node(...))`"
                            if isinstance(wire.type, GridType) else "")
            return wire.operand, Argument()
        if isinstance(type_, ScalarType) and isinstance(value, Run) and value.dim is not None \
                and type_ is ty.INDEX:
            return self.dim_run(value.dim).operand, Argument()
        if isinstance(value, Wire) and isinstance(value.type, (GridType, StreamType)):
            return value.operand, Argument()
        if isinstance(value, (Wire, Lazy)) and isinstance(type_, ScalarType) \
                and self.lazy(node, value).shape:
            self.refuse(node, "HV1204", f"`{port.name}` is a number ({type_}), and this is an array",
                        f"pass one element: `{ast.unparse(node)}[0]`")
        return self.wire(node, value, type_, port.name).operand, Argument()

    def box(self, node: ast.Subscript, whole: BufferType) -> tuple[tuple[Dim, Dim], ...]:
        """`a[16*i : 16*i + 16, :]` as offsets and lengths."""
        out: list[tuple[Dim, Dim]] = []
        for start, step, length in self.parts(node, whole.shape):
            if step != 1:
                self.refuse(node, "HV1212", "a box has no step")
            out.append((start, dims.constant(1) if length is None else length))
        return tuple(out)

    def joined_node(self, node: ast.Call, name: str) -> tuple[tuple[str, str], ast.Call, PythonFunction]:
        """How `collect` or `reduce` joins results, the call of a node in it, and what that calls."""
        self.options(node, name)
        self._count(node, name, 1 if name == "collect" else 2)
        op = Const("add") if name == "collect" else self.expression(node.args[0])
        words = [w for w in REDUCTIONS if not w.startswith("arg")]
        if not isinstance(op, Const) or op.value not in words:
            self.refuse(node.args[0], "HV1211", f"`{name}` takes its operator first",
                        f"one of {', '.join(words)}, as a text")
        call = node.args[-1]
        found = self.expression(call.func) if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or not isinstance(found, Known) \
                or not isinstance(found.object, PythonFunction):
            example = "hvisa.collect(f(x))" if name == "collect" else "hvisa.reduce(\"max\", f(x))"
            self.refuse(node, "HV1211", f"`{name}` joins the results of a node",
                        f"write the call in it: `{example}`")
        return (name, op.value), call, found.object

    def _joined_results(self, node: ast.Call, name: str) -> Any:
        form, call, function = self.joined_node(node, name)
        return self.node_call(call, function, form=form)

    def _call_collect(self, node: ast.Call) -> Any:
        return self._joined_results(node, "collect")

    def _call_reduce(self, node: ast.Call) -> Any:
        return self._joined_results(node, "reduce")

    # -- parts of buffers ----------------------------------------------------------------------

    def _axis(self, node: ast.Call, array: Wire) -> int:
        """`axis=` of what is cut or joined; negative ones count from the last."""
        given = self._option(node, "axis")
        value = Const(0) if given is None else self.expression(given)
        if not isinstance(value, Const) or type(value.value) is not int:
            self.refuse(given or node, "HV1211", "`axis` is a constant")
        rank = array.type.rank if isinstance(array.type, BufferType) else 1  # others are refused later
        if not -rank <= value.value < rank:
            self.refuse(given or node, "HV1212", f"there is no axis {value.value}",
                        f"axes are 0 to {rank - 1}")
        return value.value % rank

    def _call_split(self, node: ast.Call) -> Any:
        if len(node.args) < 2:
            self.refuse(node, "HV1211", "`split` takes a buffer and cut points")
        wire = self.wire(node, self.expression(node.args[0]))
        points = [self.compiler.dimension(self, a, self.expression(a)) for a in node.args[1:]]
        instr = Instr(ROWS["split"], [wire.operand], [], self.file.span(node))
        instr.immediates, instr.detail = (self._axis(node, wire),), tuple(points)
        instr.results = [Value(None, ty.ERROR) for _ in range(len(points) + 1)]
        return Items(list(self.add(node, instr, self.inference.split)))

    def _call_join(self, node: ast.Call) -> Any:
        wires = [self.wire(node, self.expression(a)) for a in node.args]
        if len(wires) < 2:
            self.refuse(node, "HV1211", "`join` takes two buffers or more")
        instr = self.emit(node, "join", [w.operand for w in wires], None, (self._axis(node, wires[0]),))
        return Wire(instr.results[0], instr.results[0].type)

    def _call_match(self, node: ast.Call) -> Any:
        self._count(node, "match", 2)
        left, right = (self.compiler.dimension(self, a, self.expression(a)) for a in node.args)
        instr = Instr(ROWS["match"], [], [], self.file.span(node))
        instr.detail = (left, right)
        self.add(node, instr, self.inference.match)
        return Const(None)

    def _call_delay(self, node: ast.Call) -> Any:
        self._count(node, "delay", 1)
        init = self.wire(node, self.expression(node.args[0]))
        instr = Instr(ROWS["delay"], [init.operand, Constant(ty.I1, 0)],
                      [Value(None, ty.stream(init.type))], self.file.span(node))
        self.region.body.append(instr)
        return Delayed(instr, Wire(instr.results[0], instr.results[0].type))
