"""Statements of a graph: assignment, replicated nodes, `for`, `while` and `if` at graph level."""

from __future__ import annotations

import ast
from typing import Any

from hvisa.frontends.python.array_leaves import materialise
from hvisa.frontends.python.arrays import Lazy, Wire
from hvisa.frontends.python.builder import constant_dim
from hvisa.frontends.python.exits import assigned
from hvisa.frontends.python.graph_calls import Delayed
from hvisa.frontends.python.graph_replicated import ReplicatedNodes
from hvisa.frontends.python.names import NAMES, Operation
from hvisa.frontends.python.statements import MOST_ROUNDS, MOST_UNROLLED
from hvisa.frontends.python.unsupported import NOT_HERE
from hvisa.frontends.python.values import Const, Items, Known, Run, same
from hvisa.graph.model import Constant, Instr, Region, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import UNIFORMITY
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, ScalarType, Type


def changed(nodes: list[ast.stmt]) -> list[str]:
    """The names that a block gives another value, parts of buffers included."""
    found = dict.fromkeys(assigned(nodes))
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store) \
                    and isinstance(inner.value, ast.Name):
                found[inner.value.id] = None
    return list(found)


class GraphStatements(ReplicatedNodes):
    """One method for each kind of statement."""

    def block(self, nodes: list[ast.stmt]) -> None:
        for node in nodes:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign():
                for target in node.targets:
                    self._settle(target)
                value = self.expression(node.value)
                for target in node.targets:
                    self.assign(target, value)
            case ast.AugAssign():
                self._augmented(node)
            case ast.For():
                self._for(node)
            case ast.While():
                self._while(node)
            case ast.If():
                self._if(node)
            case ast.Expr():
                if not isinstance(node.value, ast.Constant):
                    self._dropped(node)
            case ast.Pass():
                pass
            case _:
                what, instead = NOT_HERE.get(type(node), (f"`{type(node).__name__}`", ""))
                self.refuse(node, "HV1203", f"{what} is not supported in a graph", instead)

    def _dropped(self, node: ast.Expr) -> None:
        value = self.expression(node.value)
        if not (isinstance(value, Const) and value.value is None):
            self.refuse(node, "HV1204", "what this gives is dropped, so it does nothing",
                        "buffers are values in a graph: write `y = f(x)`, also for `InOut` ports")

    # -- loops ---------------------------------------------------------------------------------

    def _for(self, node: ast.For) -> None:
        if node.orelse:
            self.refuse(node.orelse[0], "HV1203", "`else` of a loop is not supported in a graph")
        call = node.iter if isinstance(node.iter, ast.Call) else None
        callee = self.expression(call.func) if call is not None else None
        if call is not None and isinstance(callee, Known) and callee.object is NAMES["grid"]:
            self._replicated(node, call)
        elif call is not None and isinstance(callee, Known) and callee.object is range:
            self._range(node, call)
        elif call is not None and isinstance(callee, Known) and isinstance(
                callee.object, Operation) and callee.object.name == "static_range":
            self._unrolled(node, self._static(call))
        else:
            found = self.expression(node.iter)
            if not isinstance(found, Items):
                self.refuse(node.iter, "HV1203", "a loop in a graph runs over `range(...)`, "
                            "`hvisa.grid(...)` or a tuple")
            self._unrolled(node, found.items)

    def _static(self, call: ast.Call) -> list[Any]:
        """The numbers of `static_range`, one more than can be written out at most."""
        bounds = [self.expression(a) for a in call.args]
        if call.keywords or not 1 <= len(bounds) <= 3:
            self.refuse(call, "HV1211", "`static_range` takes one to three bounds")
        whole = [b.value for b in bounds if isinstance(b, Const) and type(b.value) is int]
        if len(whole) != len(bounds):
            self.refuse(call, "HV1216", "the bounds of `static_range` are constant integers", "use `range`")
        if len(whole) == 3 and not whole[2]:
            self.refuse(call.args[2], "HV1206", "the step of a range is not 0", "write 1 or -1")
        return [Const(v) for v in range(*whole)[:MOST_UNROLLED + 1]]

    def _unrolled(self, node: ast.For, items: list[Any]) -> None:
        if len(items) > MOST_UNROLLED:
            self.refuse(node.iter, "HV1216", f"more than {MOST_UNROLLED} rounds would be written out",
                        "use `range`, which makes a loop")
        for item in items:
            self.assign(node.target, item)
            self.block(node.body)

    def _bounds(self, call: ast.Call) -> list[Dim]:
        if call.keywords or not 1 <= len(call.args) <= 3:
            self.refuse(call, "HV1211", "`range` takes one to three bounds")
        found = [self.compiler.dimension(self, a, self.expression(a), signed=True) for a in call.args]
        if len(found) == 1:
            found.insert(0, dims.constant(0))
        return found if len(found) == 3 else [*found, dims.constant(1)]

    def _range(self, node: ast.For, call: ast.Call) -> None:
        """A counted loop; what it changes is carried."""
        if not isinstance(node.target, ast.Name):
            self.refuse(node.target, "HV1203", "the variable of a `range` is one name")
        name = node.target.id
        low, high, step = self._bounds(call)
        downward = (step.constant or 0) < 0
        if step.constant == 0:
            self.refuse(call.args[-1], "HV1206", "the step of a range is not 0")
        start, first = low, dims.constant(0)
        if downward:
            size = -(step.constant or 0)
            low, high, step = first, dims.ceildiv(low - high, size), dims.constant(1)
        bounds = [self.dim_operand(d) for d in (low, high, step)]

        def build(initial: dict[str, Wire]) -> tuple[Instr, Region]:
            counter = Value(self.unique(name), ty.INDEX)
            instr, region = self._open("for", node, bounds, [counter], initial)
            at = dims.symbol(counter.name or name)
            # The counter is a dimension of the graph while its loop is open.
            self.definition.symbols[counter.name or name] = counter
            here = self.dim_run(start - at * -(call_step or 1) if downward else at)
            self.env[name] = here
            self.block(node.body)
            del self.definition.symbols[counter.name or name]
            return instr, region
        call_step = constant_dim(self.expression(call.args[2])) if len(call.args) == 3 else None
        call_step = call_step.constant if call_step is not None else None
        self._loop(node, [n for n in changed(node.body) if n != name], build, ())
        self.env.pop(name, None)
        self.lost[name] = f"it belongs to the loop in line {node.lineno}"

    def _open(self, mnemonic: str, node: ast.AST, bounds: list[Any], leading: list[Value],
              initial: dict[str, Wire]) -> tuple[Instr, Region]:
        instr = Instr(ROWS[mnemonic], list(bounds), [], self.file.span(node))
        parameters: list[Value] = []
        for name, wire in initial.items():
            instr.operands.append(wire.operand)
            parameters.append(Value(self.unique(name), wire.type))
            self.env[name] = Wire(parameters[-1], wire.type)  # type: ignore[assignment]
        instr.uniform = (UNIFORMITY.index("varying"),) * len(initial)
        return instr, self.region_of([*leading, *parameters])

    def _loop(self, node: ast.For | ast.While, names: list[str], build: Any,
              ending: tuple[str, ...]) -> None:
        """Compile the body until the types of the carried values hold."""
        carried = [n for n in names if n in self.env and not isinstance(
            self.env[n], (Known, Items, Delayed))] + list(ending)
        before, outer, lost = dict(self.env), self.region, dict(self.lost)
        wanted: dict[str, Type | None] = dict.fromkeys(carried)
        definitions, taken = dict(self.compiler.module.definitions), dict(self._taken)
        mark = len(outer.body)
        for _ in range(MOST_ROUNDS):
            self.env, self.lost, self._taken = dict(before), dict(lost), dict(taken)
            self.region = outer
            del outer.body[mark:]
            self.compiler.module.definitions = dict(definitions)
            initial = {n: self._carry(node, before[n], wanted[n], n) for n in carried}
            known = len(self.inference.equal)
            instr, region = build(initial)
            self.inference.forget(known)
            for name in carried:
                if name not in self.env:
                    self.refuse(node, "HV1202", f"`{name}` may have no value at the end of a round",
                                self.lost.get(name, "assign it"))
            ends = {n: self.env[n] for n in carried}
            types = {n: self._joined(node, initial[n].type, ends[n], before[n]) for n in carried}
            if all(types[n] is initial[n].type for n in carried):
                break
            wanted |= types
        else:
            self.refuse(node, "HV1215", "the types of the loop's values do not settle",
                        "give numbers a type before the loop: `d = i32(0)`")
        self.region = region
        ends = {n: self._last(node, n, ends, wire) for n, wire in self._parameters(region, initial).items()}
        operands = [self._end_operand(node, n, ends[n], initial[n].type) for n in carried]
        self.emit(node, "yield", operands, results=())
        self.region = outer
        instr.regions = (region,)
        outer.body.append(instr)
        self.env, self.lost = before, lost
        for name in carried:
            value = Value(self.unique(name), initial[name].type)
            instr.results.append(value)
            self.env[name] = Wire(value, value.type)  # type: ignore[assignment]
        for name in changed(node.body):
            if name not in before:
                self.lost[name] = f"the loop in line {node.lineno} may run no round: assign it before"

    def _carry(self, node: ast.AST, value: Any, wanted: Type | None, name: str) -> Wire:
        if isinstance(value, Wire) and self._is_out_port(value):
            assert isinstance(value.type, BufferType)
            return self._zeros_for(node, value.type)
        return self.wire(node, value, wanted if isinstance(wanted, ScalarType) else None, name)

    def _is_out_port(self, wire: Wire) -> bool:
        return any(p.value is wire.operand and p.direction == 2 for p in self.definition.ports)

    def _joined(self, node: ast.AST, type_: Type, end: Any, start: Any) -> Type:
        """The type that a carried number has at the start and the end of a round."""
        if not isinstance(type_, ScalarType) or isinstance(end, (Items, Known)):
            return type_
        if isinstance(end, Wire):
            found = end.type
        elif isinstance(end, Const | Run):
            element, weak = self.element_of(end)
            found = type_ if weak and not (element is ty.F64 and not type_.is_float) else element
        else:
            found = self._lazy_type(end)
        if found is type_ or not isinstance(found, ScalarType):
            return type_
        weak = isinstance(start, Const) or (isinstance(start, Run) and start.weak)
        joined, _ = self.joined(node, Run(Constant(ty.I1, 0), type_, weak), Run(Constant(ty.I1, 0), found))
        return joined

    def type_of(self, lazy: Lazy) -> ScalarType:
        if lazy.wire is not None and isinstance(lazy.wire.type, BufferType):
            return lazy.wire.type.element
        found = self._lazy_type(lazy)
        assert isinstance(found, ScalarType)
        return found

    def _lazy_type(self, lazy: Lazy) -> Type:
        """The element type of an expression: found by computing it, which is then dropped."""
        outer, mark = self.region, dict(self.compiler.module.definitions)
        self.region_of([])
        taken = dict(self._taken)
        found = materialise(self, lazy, "type").type
        self.region, self._taken = outer, taken
        self.compiler.module.definitions = mark
        return found.element if isinstance(found, BufferType) else found

    @staticmethod
    def _parameters(region: Region, initial: dict[str, Wire]) -> dict[str, Wire]:
        """What each carried name stands for at the start of a round."""
        values = region.parameters[len(region.parameters) - len(initial):]
        return {n: Wire(v, v.type) for n, v in zip(initial, values, strict=True)}

    def _last(self, node: ast.AST, name: str, ends: dict[str, Any], old: Wire) -> Any:
        """A carried array that is still to be computed, in place of what the round began with."""
        value = ends[name]
        if not isinstance(value, Lazy) or not isinstance(old.type, BufferType) \
                or old.operand not in value.reads:
            return value
        self.waiting = [v for n, v in ends.items() if n != name]
        ends[name] = self.updated(node, value, name, old)
        self.waiting = []
        return ends[name]

    def _end_operand(self, node: ast.AST, name: str, value: Any, type_: Type) -> Any:
        wire = self.wire(node, value, type_ if isinstance(type_, (ScalarType, BufferType)) else None, name)
        if wire.type is not type_ and not self.inference.fits(type_, wire.type):
            self.refuse(node, "HV1215", f"`{name}` is {type_} before a round and {wire.type} after it"
                        .replace("%", ""), "a loop's values keep their type and shape")
        return wire.operand

    def _while(self, node: ast.While) -> None:
        """`while not done`: the condition is looked at before each round, as `loop ... until` does."""
        stop, test = "$stop", node.test
        own = test.operand.id if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) \
            and isinstance(test.operand, ast.Name) else ""
        if own in changed(node.body) and own in self.env and not isinstance(
                self.env[own], (Known, Items, Delayed)):
            stop = own
        else:
            self.env[stop] = self._negated(node)

        def build(initial: dict[str, Wire]) -> tuple[Instr, Region]:
            instr, region = self._open("loop", node, [], [], initial)
            instr.immediates = (list(initial).index(stop),)
            if initial[stop].type is not ty.I1:
                self.refuse(test, "HV1204", "the condition of a loop is i1, and this is "
                            f"{initial[stop].type}", "compare: `x != 0`")
            self.block(node.body)
            if stop != own:
                self.env[stop] = self._negated(node)
            return instr, region
        self._loop(node, changed(node.body), build, () if stop == own else (stop,))
        if stop != own:
            self.env.pop(stop)

    def _negated(self, node: ast.While) -> Any:
        test = node.test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            value = self.expression(test.operand)
            if (isinstance(value, Wire) and value.type is ty.I1) or isinstance(value, Const):
                return Const(bool(value.value)) if isinstance(value, Const) else value
        value = self.expression(test)
        if isinstance(value, Const):
            return Const(not value.value)
        return self.unary_operation(test, ast.Not(), value)

    # -- branches ------------------------------------------------------------------------------

    def _if(self, node: ast.If) -> None:
        test = self.expression(node.test)
        if isinstance(test, Const):
            self.block(node.body if test.value else node.orelse)
            return
        lazy = self.lazy(node.test, test)
        if lazy.shape:
            self.refuse(node.test, "HV1204", "an array is no condition",
                        "use `hvisa.any(...)` or `hvisa.all(...)`, or `hvisa.where` for each element")
        condition = self.wire(node.test, test, None, "condition")
        if condition.type is not ty.I1:
            condition = self.wire(node.test, self.compare_operation(
                node.test, ast.NotEq(), condition, Const(0)), None, "condition")
        names = list(dict.fromkeys([*changed(node.body), *changed(node.orelse)]))
        before, lost, outer = dict(self.env), dict(self.lost), self.region
        ends: list[tuple[Region, dict[str, Any]]] = []
        for nodes in (node.body, node.orelse):
            self.env, known = dict(before), len(self.inference.equal)
            region = self.region_of([])
            self.block(nodes)
            self.inference.forget(known)
            ends.append((region, dict(self.env)))
        self.region, self.env, self.lost = outer, dict(before), lost
        merged: list[str] = []
        for name in names:
            a, b = (env.get(name) for _, env in ends)
            if a is None or b is None:
                self.env.pop(name, None)
                self.lost[name] = f"only one branch of the `if` in line {node.lineno} assigns it"
            elif a is b or (not isinstance(a, (Wire, Lazy)) and not isinstance(b, (Wire, Lazy)) \
                    and same(a, b)):
                self.env[name] = a
            else:
                merged.append(name)
        self._merge(node, condition, ends, merged)

    def _merge(self, node: ast.If, condition: Wire, ends: list[tuple[Region, dict[str, Any]]],
               merged: list[str]) -> None:
        outer = self.region
        types: list[Type] = []
        for position, (region, env) in enumerate(ends):
            self.region = region
            operands: list[Any] = []
            for number, name in enumerate(merged):
                value = env[name]
                wanted = types[number] if position else None
                if isinstance(value, Wire) and self._is_out_port(value) \
                        and isinstance(value.type, BufferType):
                    value = self._zeros_for(node, value.type)
                wire = self.wire(node, value, wanted if isinstance(wanted, (ScalarType, BufferType))
                                 else None, name)
                if wanted is None:
                    types.append(wire.type)
                elif wire.type is not wanted:
                    self.refuse(node, "HV1215", f"`{name}` is {wanted} in one branch and {wire.type} in "
                                "the other".replace("%", ""), "branches give values of one type and shape")
                operands.append(wire.operand)
            self.emit(node, "yield", operands, results=())
        self.region = outer
        if not merged:
            return
        instr = Instr(ROWS["if"], [condition.operand], [], self.file.span(node))
        instr.regions = (ends[0][0], ends[1][0])
        outer.body.append(instr)
        for name, type_ in zip(merged, types, strict=True):
            value = Value(self.unique(name), type_)
            instr.results.append(value)
            self.env[name] = Wire(value, type_)  # type: ignore[assignment]
