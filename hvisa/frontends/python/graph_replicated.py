"""Nodes that are graphs replicated over a grid: `for i in hvisa.grid(n): y[box] = f(x[box])`."""

from __future__ import annotations

import ast

from hvisa.frontends.python.arrays import Wire
from hvisa.frontends.python.definitions import PythonFunction
from hvisa.frontends.python.graph_assignments import GraphAssignments
from hvisa.frontends.python.names import Operation
from hvisa.frontends.python.values import Items, Known
from hvisa.graph.model import Output, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import OUTPUT_FORMS, REDUCTIONS
from hvisa.spec.types import BufferType


class ReplicatedNodes(GraphAssignments):
    """A `for` over a grid."""

    def _replicated(self, node: ast.For, call: ast.Call) -> None:
        """`for i, j in hvisa.grid(p, q): c[box] = tile(a[box], b)`: one node for each instance."""
        targets = list(node.target.elts) if isinstance(node.target, ast.Tuple) else [node.target]
        if len(targets) != len(call.args) or not all(isinstance(t, ast.Name) for t in targets):
            self.refuse(node.target, "HV1204", f"{len(targets)} names, {len(call.args)} extents")
        extents = tuple(self.compiler.dimension(self, a, self.expression(a)) for a in call.args)
        statement = node.body[0]
        if len(node.body) != 1 or not isinstance(statement, (ast.Assign, ast.Expr)) \
                or not isinstance(statement.value, ast.Call):
            self.refuse(node, "HV1203", "the body of a replicated node is one call",
                        "for example `c[i:i + 1] = f(x[i:i + 1])`; put more into the graph that is called")
        before = dict(self.env)
        ids: list[Value] = []
        for target in targets:
            assert isinstance(target, ast.Name)
            ids.append(Value(self.unique(target.id), ty.INDEX))
            self.definition.symbols[ids[-1].name or ""] = ids[-1]
            self.env[target.id] = self.dim_run(dims.symbol(ids[-1].name or ""))
        try:
            names, results = self._replicated_call(node, statement, statement.value, extents, ids)
        finally:
            for value in ids:
                self.definition.symbols.pop(value.name or "", None)
        self.env = before
        for name, wire in zip(names, results, strict=True):
            self.bind(node, name, wire)

    def _replicated_call(self, node: ast.For, statement: ast.Assign | ast.Expr, call: ast.Call,
                         extents: tuple[Dim, ...], ids: list[Value]) -> tuple[list[str], list[Wire]]:
        found = self.expression(call.func)
        function = found.object if isinstance(found, Known) else None
        form = ("plain", "add")
        if isinstance(function, Operation) and function.name in ("reduce", "collect"):
            form, call, function = self.joined_node(call, function.name)
        if not isinstance(function, PythonFunction) or function.kind != "graph":
            self.refuse(call, "HV1203", "what is replicated is a graph",
                        "decorate it with `@hvisa.graph`; a leaf has its grid in its own body")
        callee = self.compiler.node(function)
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
            targets = list(target.elts) if isinstance(target, ast.Tuple) else [target]
        if len(targets) != len(callee.written) + len(callee.results):
            self.refuse(statement, "HV1204", f"`{callee.name}` gives "
                        f"{len(callee.written) + len(callee.results)} values, {len(targets)} names given")
        names: list[str] = []
        outputs: list[Output] = []
        for number, target in enumerate(targets):
            port = callee.written[number] if number < len(callee.written) else None
            if port is not None and port.direction == 2:
                if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
                    self.refuse(target, "HV1204", "each instance makes a box of the whole",
                                "say which: `c[16 * i : 16 * i + 16] = ...`")
                whole = self._whole(target, target.value.id)
                outputs.append(Output(whole=whole, box=self.box(target, whole)))
                names.append(target.value.id)
                continue
            owner = target.value if isinstance(target, ast.Subscript) else target
            if not isinstance(owner, ast.Name):
                self.refuse(target, "HV1203", "this can't be assigned to")
            names.append(owner.id)
            outputs.append(Output() if port is not None else Output(
                OUTPUT_FORMS.index(form[0]), REDUCTIONS.index(form[1])))
        result = self.node_call(call, function, extents, ids, outputs)
        return names, result.items if isinstance(result, Items) else [result]

    def _whole(self, node: ast.AST, name: str) -> BufferType:
        """The type of the buffer whose boxes a replicated node makes."""
        port = self.definition.port(name)
        found = self.env.get(name)
        if port is not None and port.direction == 2 and isinstance(port.type, BufferType):
            return port.type
        if isinstance(found, Wire) and isinstance(found.type, BufferType) and isinstance(
                found.operand, Value):
            return found.type
        self.refuse(node, "HV1204", f"`{name}` is no buffer",
                    f"say its type before: `{name} = hvisa.zeros(f32, n)`, or name an `Out` port")
