"""Statements of bodies: assignment, `if`, `for`, `while`, in SSA form.

A name that a branch or a loop assigns becomes a result of the construct. A loop is compiled until the
types that its names have at the end of a round are those that they began with; what is found is kept,
so that nested loops do not multiply.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hvisa.diagnostics import plural
from hvisa.frontends.python.access import AUGMENTED
from hvisa.frontends.python.annotations import scalar_of
from hvisa.frontends.python.exits import VALUE, EarlyLoop, assigned
from hvisa.frontends.python.expressions import Expressions
from hvisa.frontends.python.names import NAMES
from hvisa.frontends.python.unsupported import INSTEAD, NOT_HERE
from hvisa.frontends.python.values import Array, Const, Expr, Items, Known, Number, Run, same, type_text
from hvisa.graph.model import Constant, Definition, Instr, Region, Value
from hvisa.spec import types as ty
from hvisa.spec.operations import UNIFORMITY
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.compiler import Compiler
    from hvisa.frontends.python.source import SourceFile

MOST_ROUNDS = 16  # of finding a loop's types; each one widens at least one of them
MOST_UNROLLED = 4096


class LoopType(NamedTuple):
    """What a name is at the start of each round: type, Python number or not, known not to be negative
    or not."""

    type: ScalarType | VectorType
    weak: bool
    nonneg: bool


class Statements(Expressions):
    """One method for each kind of statement."""

    def __init__(self, compiler: Compiler, file: SourceFile, definition: Definition,
                 namespace: dict[str, Any], fast: int):
        super().__init__(compiler, file, definition, namespace, fast)
        self._types: dict[tuple[int, str], LoopType] = {}

    def block(self, nodes: list[ast.stmt]) -> None:
        for node in nodes:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign():
                value = self.expression(node.value)
                for target in node.targets:
                    self.assign(target, value, node.value)
            case ast.AnnAssign():
                self._annotated(node)
            case ast.AugAssign():
                self._augmented(node)
            case ast.If():
                self._branch(node)
            case ast.For():
                self._for(node)
            case ast.While():
                self._while(node)
            case ast.Expr():
                self._expression_statement(node)
            case ast.Assert():
                self._assert(node)
            case ast.Pass():
                pass
            case _:
                what, instead = NOT_HERE.get(type(node), (f"`{type(node).__name__}`", ""))
                self.refuse(node, "HV1203", f"{what} is not supported in a kernel", instead)

    # -- assignment ----------------------------------------------------------------------------

    def assign(self, target: ast.expr, value: Expr, source: ast.AST | None = None) -> None:
        """`source` is where the value stands."""
        match target:
            case ast.Name():
                self.bind(target, target.id, value, source)
            case ast.Tuple() | ast.List():
                items = value.items if isinstance(value, Items) else self._lanes(source or target, value)
                if len(items) != len(target.elts):
                    self.refuse(target, "HV1204", f"{plural(len(target.elts), 'name')} for "
                                f"{plural(len(items), 'value')}", "write one name for each value")
                parts = source.elts if isinstance(source, (ast.Tuple, ast.List)) \
                    and len(source.elts) == len(items) else [source] * len(items)
                for name, item, part in zip(target.elts, items, parts, strict=True):
                    self.assign(name, item, part)
            case ast.Subscript():
                owner = self.expression(target.value)
                if isinstance(owner, Run) and owner.lanes:
                    self._set_lane(target, owner, value)
                    return
                if not isinstance(owner, Array):
                    self.refuse(target, "HV1204", f"this is {type_text(owner)}, whose items can't be "
                                "assigned", "use `hvisa.local(f32, 16)` for a private array, an "
                                "`InOut` port for what outlives the launch")
                self.store(target, owner, value, source)
            case _:
                self.refuse(target, "HV1203", "this can't be assigned to",
                            "assign to a name or to an element of a buffer")

    def bind(self, node: ast.AST, name: str, value: Expr, source: ast.AST | None = None) -> None:
        """Give a name a value."""
        before = self.env.get(name)
        if isinstance(before, Array) and before.direction != "local" and not same(before, value):
            self.refuse(node, "HV1213", f"`{name}` is a port, and this would only rename it",
                        f"write its elements: `{name}[i] = ...`")
        if isinstance(value, Const) and value.value is None:
            written = isinstance(source, ast.Constant)
            self.refuse(source or node, "HV1204", "None is no value in a kernel" if written
                        else "this gives no value", f"begin with a number: `{name} = 0.0`" if written
                        else "call it on a line of its own")
        if isinstance(value, Array) and value.name == "local":
            value.name = name
        self.name_result(name, value)
        if isinstance(value, Array) and isinstance(value.operand, Value) \
                and value.operand.name is None:
            value.operand.name = self.unique(name)
        self.env[name] = value
        self.lost.pop(name, None)

    def _lanes(self, target: ast.AST, value: Expr) -> list[Expr]:
        self.refuse(target, "HV1204", f"this is {type_text(value)}, not a tuple of values",
                    "write as many values as names, or one name")

    def _set_lane(self, target: ast.Subscript, vector: Run, value: Expr) -> None:
        """`v[2] = x` of a vector."""
        lane = self._position(target, vector.lanes)
        element = self.operand(target, self.number(target, value), vector.element)
        out = self.value(target, "insert", vector.operand, element, immediates=(lane,))
        if not isinstance(target.value, ast.Name):
            self.refuse(target, "HV1203", "a lane is assigned through the name of its vector")
        self.bind(target, target.value.id, out)

    def _annotated(self, node: ast.AnnAssign) -> None:
        found = self.expression(node.annotation)
        type_ = found.object if isinstance(found, Known) else None
        wanted = type_ if isinstance(type_, VectorType) else scalar_of(type_)
        if wanted is None:
            self.refuse(node.annotation, "HV1204", "a variable's type is a number type or a vector",
                        "for example `x: f32 = 0.0`")
        if node.value is None:
            self.refuse(node, "HV1203", "a variable needs a value",
                        f"write `{ast.unparse(node.target)}: {ast.unparse(node.annotation)} = 0`")
        value = self.convert(node.value, self.number(node.value, self.expression(node.value)), wanted)
        self.assign(node.target, value, node.value)

    def _augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript):
            owner = self.expression(node.target.value)
            if isinstance(owner, Array) and owner.accumulate:
                op = AUGMENTED.get(type(node.op), "")
                if op != owner.accumulate:
                    negated = op == "" and owner.accumulate == "add" and isinstance(node.op, ast.Sub)
                    self.refuse(node, "HV1213",
                                f"`{owner.name}` accumulates with `{owner.accumulate}` only",
                                f"write `{owner.name}[...] += -value`" if negated else
                                f"write `hvisa.update(\"{owner.accumulate}\", {owner.name}[...], value)`")
                self.accumulate(node, node.target, owner, op, self.expression(node.value))
                return
        if not isinstance(node.target, (ast.Name, ast.Subscript)):
            self.refuse(node.target, "HV1203", "this can't be assigned to",
                        "assign to a name or to an element of a buffer")
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target) \
            if isinstance(node.target, ast.Name) else ast.copy_location(
                ast.Subscript(node.target.value, node.target.slice, ast.Load()), node.target)
        value = self.binary(node, node.op, self.expression(read), self.expression(node.value))
        self.assign(node.target, value, node)

    def _expression_statement(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if type(node.value) in INSTEAD:
            self.expression(node.value)  # says that it is not supported
        if not isinstance(node.value, ast.Call):
            self.refuse(node, "HV1203", "this computes a value and drops it", "`==` compares; `=` assigns"
                        if isinstance(node.value, ast.Compare) else "assign it to a name")
        self.expression(node.value)

    def _assert(self, node: ast.Assert) -> None:
        condition = self.truth(node.test)
        text = self.expression(node.msg) if node.msg is not None else Const(
            ast.unparse(node.test))
        if not isinstance(text, Const) or not isinstance(text.value, str):
            self.refuse(node.msg or node, "HV1204", "the message of an assertion is a text",
                        "write it in quotes; `hvisa.print` shows values")
        if isinstance(condition, Const) and condition.value:
            return
        self.emit(node, "assert", [self.operand(node, condition, ty.I1)], None, (text.value,))

    # -- branches ------------------------------------------------------------------------------

    def _branch(self, node: ast.If) -> None:
        condition = self.truth(node.test)
        if isinstance(condition, Const):
            self.block(node.body if condition.value else node.orelse)
            return
        before, lost, outer = dict(self.env), dict(self.lost), self.region
        ends: list[tuple[Region, dict[str, Expr], dict[str, str]]] = []
        for nodes in (node.body, node.orelse):
            self.env, self.lost = dict(before), dict(lost)
            region = self.region_of([])
            self.block(nodes)
            ends.append((region, self.env, self.lost))
        self.region, self.env, self.lost = outer, before, {**ends[0][2], **ends[1][2]}
        (then, a, _), (other, b, _) = ends
        merged: list[tuple[str, Number, Number]] = []
        for name in dict.fromkeys([*assigned(node.body, before), *assigned(node.orelse, before)]):
            x, y = a.get(name), b.get(name)
            if x is None or y is None:
                found = self._one_sided(node, name, x or y)
                if found is None:
                    continue
                x, y = x or found, y or found
            if same(x, y):
                self.env[name] = x
                continue
            merged.append((name, self._mergeable(node, name, x), self._mergeable(node, name, y)))
        self._merge(node, condition, then, other, merged)

    def _one_sided(self, node: ast.If, name: str, value: Expr | None) -> Expr | None:
        """A name that one branch alone assigns has no value afterwards; ours are zero then."""
        if value is None:
            return None
        if name[0] == "$" and isinstance(value, (Const, Run)):
            return self._zero_like(node, value)
        self.env.pop(name, None)
        self.lost[name] = f"only one branch of the `if` in line {node.lineno} assigns it: assign it " \
            "before, or in both"
        return None

    def _mergeable(self, node: ast.AST, name: str, value: Expr) -> Number:
        if isinstance(value, Run) or (isinstance(value, Const) and isinstance(
                value.value, (bool, int, float))):
            return value
        self.refuse(node, "HV1215", f"`{name}` is {type_text(value)}, and which one would depend on the "
                    "run", "only numbers and vectors can depend on a condition: give each item a name"
                    if isinstance(value, Items) else "only numbers and vectors can depend on a condition")

    def _merge(self, node: ast.AST, condition: Run, then: Region, other: Region,
               merged: list[tuple[str, Number, Number]]) -> None:
        outer = self.region
        yields: tuple[list[Any], list[Any]] = ([], [])
        flags: list[tuple[bool, bool]] = []
        for _, x, y in merged:
            type_, weak = self.joined(node, x, y)
            pair: list[Run] = []
            for region, value, out in ((then, x, yields[0]), (other, y, yields[1])):
                self.region = region
                pair.append(self.convert(node, value, type_))
                out.append(pair[-1].operand)
            flags.append((weak, all(r.nonneg for r in pair)))
        for region, operands in ((then, yields[0]), (other, yields[1])):
            self.region = region
            self.emit(node, "yield", operands, results=())
        self.region = outer
        if len(then.body) == 1 and len(other.body) == 1 and not merged:
            return
        instr = Instr(ROWS["if"], [condition.operand], [], self.file.span(node))
        instr.regions = (then, other)
        outer.body.append(instr)
        for (name, _, _), operand, (weak, nonneg) in zip(merged, yields[0], flags, strict=True):
            value = Value(self.unique(name.lstrip("$")), operand.type)
            instr.results.append(value)
            self.env[name] = Run(value, operand.type, weak, nonneg)

    # -- loops ---------------------------------------------------------------------------------

    def _for(self, node: ast.For) -> None:
        flags = node.flags if isinstance(node, EarlyLoop) else ()
        if isinstance(node.iter, (ast.Tuple, ast.List)):
            self._unrolled(node, [self.expression(e) for e in node.iter.elts], flags)
            return
        if isinstance(node.iter, ast.Call) and self.is_range(node.iter):
            self._range(node, node.iter, flags)
            return
        found = self.expression(node.iter) if not isinstance(node.iter, ast.Call) else None
        if isinstance(found, Items):
            self._unrolled(node, found.items, flags)
            return
        if isinstance(found, Known) and isinstance(found.object, (tuple, list, range)):
            self._unrolled(node, self._items(node, cast("Sequence[Any]", found.object)), flags)
            return
        self.refuse(node.iter, "HV1203", "a loop runs over `range(...)` or a tuple",
                    "index the buffer: `for k in range(x.shape[0]): ... x[k]`")

    def _unrolled(self, node: ast.For, items: list[Expr], flags: tuple[str, ...]) -> None:
        """The body once for each item."""
        if len(items) > MOST_UNROLLED:
            self.refuse(node.iter, "HV1216", f"{len(items)} rounds would be written out",
                        f"at most {MOST_UNROLLED} are; use `range`, which makes a loop")
        if flags:
            self.refuse(node, "HV1203", "`break` and `return` in a loop that is unrolled are not "
                        "supported", "use `range`")
        for item in items:
            self.assign(node.target, item)
            self.block(node.body)

    def _range(self, node: ast.For, call: ast.Call, flags: tuple[str, ...]) -> None:
        if call.keywords or not 1 <= len(call.args) <= 3:
            self.refuse(call, "HV1211", "`range` takes one to three bounds")
        bounds = [self.number(a, self.expression(a), "a bound") for a in call.args]
        for part, bound in zip(call.args, bounds, strict=True):
            element = self.element_of(bound)[0]
            if not element.is_integer or (isinstance(bound, Run) and bound.lanes):
                self.refuse(part, "HV1204", f"a bound is an integer, and this is {type_text(bound)}",
                            "write `//`, which rounds down, or `int(...)`"
                            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div)
                            else "write `int(...)`")
        # What a loop counts is a Python number, whatever its bounds are.
        bounds = [b if isinstance(b, Const) or b.weak else self._counted(node, b) for b in bounds]
        low = bounds[0] if len(bounds) > 1 else Const(0)
        high = bounds[1] if len(bounds) > 1 else bounds[0]
        step = bounds[2] if len(bounds) > 2 else Const(1)
        callee = self.expression(call.func)
        if isinstance(callee, Known) and callee.object is NAMES["static_range"]:
            self._static(node, call, [low, high, step], flags)
            return
        if not isinstance(node.target, ast.Name):
            self.refuse(node.target, "HV1203", "the variable of a `range` is one name",
                        "write `for k in range(...)`")
        if isinstance(step, Const) and step.value == 0:
            self.refuse(call.args[-1], "HV1206", "the step of a range is not 0", "write 1 or -1")
        if isinstance(step, Const) and step.value < 0:
            self._downward(node, node.target, low, high, -step.value, flags)
            return
        self._count(node, node.target, [low, high, step], None, flags)

    def _counted(self, node: ast.AST, bound: Run) -> Run:
        """A typed bound as a Python number."""
        out = self.convert(node, bound, ty.INDEX)
        return Run(out.operand, ty.INDEX, weak=True, nonneg=out.nonneg, dim=out.dim)

    def _static(self, node: ast.For, call: ast.Call, bounds: list[Number],
                flags: tuple[str, ...]) -> None:
        if not all(isinstance(b, Const) for b in bounds):
            self.refuse(call, "HV1216", "the bounds of `static_range` are constants", "use `range`")
        low, high, step = (int(b.value) for b in bounds if isinstance(b, Const))
        if not step:
            self.refuse(call.args[-1], "HV1206", "the step of a range is not 0", "write 1 or -1")
        self._unrolled(node, self._items(node, range(low, high, step)), flags)

    def _items(self, node: ast.For, found: Sequence[Any]) -> list[Expr]:
        """The items of a sequence from outside, not more than can be written out."""
        some = found[:MOST_UNROLLED + 1]
        if len(some) > MOST_UNROLLED:
            self.refuse(node.iter, "HV1216", f"more than {MOST_UNROLLED} rounds would be written out",
                        "use `range`, which makes a loop")
        return [self.compiler.wrap(self, node.iter, v) for v in some]

    def _downward(self, node: ast.For, target: ast.Name, low: Number, high: Number, step: int,
                  flags: tuple[str, ...]) -> None:
        """`range(a, b, -s)`: as many rounds upward, from which the variable is computed."""
        span = self.binary(node, ast.Sub(), low, high)
        more = self.binary(node, ast.Add(), span, Const(step - 1))
        count = self.number(node, self.binary(node, ast.FloorDiv(), more, Const(step)))
        self._count(node, target, [Const(0), count, Const(1)], (low, step), flags)

    def _count(self, node: ast.For, target: ast.Name, bounds: list[Number],
               start: tuple[Number, int] | None, flags: tuple[str, ...]) -> None:
        """A counted loop; one that may end early is a `while` with a counter."""
        low = bounds[0]
        operands = [self.operand(node, b, ty.INDEX) for b in bounds]
        nonneg = self.concrete(node, low).nonneg if isinstance(low, Const) else low.nonneg

        def counter(value: Value) -> Expr:
            run = Run(value, ty.INDEX, weak=True, nonneg=nonneg or start is not None)
            if start is None:
                return run
            back = self.binary(node, ast.Mult(), run, Const(start[1])) if start[1] != 1 else run
            return self.binary(node, ast.Sub(), start[0], back)
        if flags:
            self._early(node, target, operands, counter, flags)
            return
        names = self._carried(node, node.body, target.id)

        def build(initial: dict[str, Number]) -> tuple[Instr, dict[str, Number]]:
            value = Value(self.unique(target.id) if start is None else None, ty.INDEX)
            instr, region, parameters = self._open(node, "for", operands, [value], initial)
            self.env[target.id] = counter(value)
            self.block(node.body)
            instr.regions = (region,)
            return instr, self._ends(node, names, parameters)
        self._loop(node, names, build, [target.id])

    def _open(self, node: ast.AST, mnemonic: str, operands: list[Any], leading: list[Value],
              initial: dict[str, Number]) -> tuple[Instr, Region, list[Value]]:
        """A loop and its region, with the carried names bound to parameters."""
        instr = Instr(ROWS[mnemonic], list(operands), [], self.file.span(node))
        parameters: list[Value] = []
        for name, number in initial.items():
            assert isinstance(number, Run)
            instr.operands.append(number.operand)
            parameters.append(Value(self.unique(name.lstrip("$")), number.type))
            self.env[name] = Run(parameters[-1], number.type, number.weak, number.nonneg)
        instr.uniform = (UNIFORMITY.index("varying"),) * len(initial)
        return instr, self.region_of([*leading, *parameters]), parameters

    def _ends(self, node: ast.AST, names: list[str], parameters: list[Value]) -> dict[str, Number]:
        for name in names:
            if name not in self.env:
                self.refuse(node, "HV1202", f"`{name}` may have no value at the end of a round",
                            self.lost.get(name, "assign it"))
        return {name: self._mergeable(node, name, self.env[name]) for name in names}

    def _carried(self, node: ast.AST, body: list[ast.stmt], *own: str) -> list[str]:
        """Names that a loop changes and that have a value before it."""
        names = [n for n in assigned(body, self.env) if n in self.env and n not in own]
        return [n for n in names if not isinstance(self.env[n], Known)]

    def _loop(self, node: ast.For | ast.While, names: list[str], build: Any,
              own: list[str]) -> None:
        """Compile a loop until its types hold, then for good."""
        before, lost, outer = dict(self.env), dict(self.lost), self.region
        taken = dict(self._taken)
        types = {n: self._start_type(node, n, before[n]) for n in names}
        # What a function gives may be set for the first time in here; it is zero before.
        late = [n for n in assigned(node.body) if n.startswith(VALUE) and n not in before]
        for _ in range(MOST_ROUNDS):
            self.env, self.lost, self._taken = dict(before), dict(lost), dict(taken)
            self.region = outer
            mark = len(outer.body)
            initial = {n: self._initial(node, before[n], types[n]) for n in names}
            instr, ends = build(initial)
            region = self.region
            if late:
                before |= {n: self._zero_like(node, self.env[n]) for n in late}
                types |= {n: self._start_type(node, n, before[n]) for n in late}
                names += late
                late = []
                del outer.body[mark:]
                continue
            wider = {n: self._join_types(node, types[n], self._loop_type(node, ends[n])) for n in names}
            if wider == types:
                break
            types = wider
            self._types |= {(id(node), n): types[n] for n in names}
            del outer.body[mark:]
        else:
            self.refuse(node, "HV1215", "the types of the loop's variables do not settle",
                        "give them types before the loop: `s: f32 = 0.0`")
        self.region = region
        self.emit(node, "yield", [self.operand(node, ends[n], types[n].type) for n in names], results=())
        self.region = outer
        outer.body.append(instr)
        self.env, inner = before, self.env
        for name in names:
            value = Value(self.unique(name.lstrip("$")), types[name].type)
            instr.results.append(value)
            self.env[name] = Run(value, *types[name])
        self.lost = lost
        for name in [*own, *assigned(node.body)]:
            if name in inner and name not in before and name[0] != "$":
                self.lost[name] = f"the loop in line {node.lineno} may run no round: assign it before"
        for name in own:
            self.env.pop(name, None)
            self.lost.setdefault(name, f"it belongs to the loop in line {node.lineno}: give it to "
                                 "another name there")

    def _zero_like(self, node: ast.AST, value: Expr) -> Expr:
        number = self._mergeable(node, VALUE, value)
        return Const(type(number.value)(0)) if isinstance(number, Const) else self.convert(
            node, Const(0), number.type, explicit=True)

    def _start_type(self, node: ast.AST, name: str, value: Expr) -> LoopType:
        own = self._loop_type(node, self._mergeable(node, name, value))
        known = self._types.get((id(node), name))
        return own if known is None else self._join_types(node, own, known)

    def _loop_type(self, node: ast.AST, number: Number) -> LoopType:
        if isinstance(number, Run):
            return LoopType(number.type, number.weak, number.nonneg)
        element, weak = self.element_of(number)
        return LoopType(element, weak, type(number.value) is int and number.value >= 0)

    def _join_types(self, node: ast.AST, a: LoopType, b: LoopType) -> LoopType:
        place = Constant(ty.I1, 0)
        type_, weak = self.joined(node, Run(place, a.type, a.weak), Run(place, b.type, b.weak))
        return LoopType(type_, weak, a.nonneg and b.nonneg)

    def _initial(self, node: ast.AST, value: Expr, wanted: LoopType) -> Run:
        assert isinstance(value, (Const, Run))
        out = self.convert(node, value, wanted.type)
        return Run(out.operand, out.type, wanted.weak, wanted.nonneg)

    def _while(self, node: ast.While) -> None:
        names = self._carried(node, node.body)

        def build(initial: dict[str, Number]) -> tuple[Instr, dict[str, Number]]:
            instr, first, parameters = self._open(node, "while", [], [], initial)
            condition = self.truth(node.test)
            self.emit(node.test, "check", [self.operand(node.test, condition, ty.I1)], results=())
            body = self.region_of([])
            self.block(node.body)
            instr.regions = (first, body)
            return instr, self._ends(node, names, parameters)
        self._loop(node, names, build, [])

    def _early(self, node: ast.For, target: ast.Name, operands: list[Any], counter: Any,
               flags: tuple[str, ...]) -> None:
        """A counted loop that may end early, as a `while` with a counter."""
        low, high, step = operands
        if isinstance(step, Value):  # as `for` has it; else the loop would not end
            some = self.value(node, "ge", step, self.operand(node, Const(1), ty.INDEX))
            self.emit(node, "assert", [some.operand], None, ("the step of a range is at least 1",))
        position = f"$at.{target.id}.{node.lineno}"
        self.env[position] = Run(low, ty.INDEX)
        names = [*self._carried(node, node.body, target.id), position]

        def build(initial: dict[str, Number]) -> tuple[Instr, dict[str, Number]]:
            instr, first, parameters = self._open(node, "while", [], [], initial)
            at = self.env[position]
            assert isinstance(at, Run) and isinstance(at.operand, Value)
            go: Number = self.value(node, "lt", at.operand, high)
            for flag in flags:
                go = self._both(node, go, self.condition(node, self.unary(
                    node, ast.Not(), self.env[flag])))
            self.emit(node, "check", [self.operand(node, go, ty.I1)], results=())
            body = self.region_of([])
            self.env[target.id] = counter(at.operand)
            self.block(node.body)
            self.env[position] = self.value(node, "add", at.operand, step)
            instr.regions = (first, body)
            return instr, self._ends(node, names, parameters)
        self._loop(node, names, build, [target.id])
        self.env.pop(position, None)
