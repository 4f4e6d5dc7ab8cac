"""Expressions of Python: what each node of the tree is."""

from __future__ import annotations

import ast
from collections.abc import Callable

from hvisa.frontends.python.calls import Calls
from hvisa.frontends.python.unsupported import INSTEAD
from hvisa.frontends.python.values import Array, Const, Expr, Items, Number, Run, same, type_text
from hvisa.graph.model import Instr, Region, Value
from hvisa.spec import types as ty
from hvisa.spec.definitions import Effect
from hvisa.spec.table import ROWS

MOST_SPECULATED = 24  # instructions that are computed although their branch may not be taken


class Expressions(Calls):
    """Dispatch over the expression nodes of the tree."""

    def expression(self, node: ast.expr) -> Expr:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            what, instead = INSTEAD.get(type(node), (f"`{type(node).__name__}` is", ""))
            self.refuse(node, "HV1203", f"{what} not supported in a kernel", instead)
        return method(node)

    def is_known(self, node: ast.expr) -> bool:
        return type(node) not in INSTEAD

    def _constant(self, node: ast.Constant) -> Expr:
        if isinstance(node.value, complex):
            self.refuse(node, "HV1210", "complex numbers are not a type of hvisa",
                        "keep real and imaginary parts in two variables or buffers "
                        "(structure of arrays)")
        if isinstance(node.value, bytes) or node.value is ...:
            shown = "..." if node.value is ... else repr(node.value)
            self.refuse(node, "HV1203", f"`{shown}` has no meaning in a kernel",
                        "write each index out" if node.value is ... else "write a number")
        return Const(node.value)

    def _name(self, node: ast.Name) -> Expr:
        found = self.env.get(node.id)
        if found is not None:
            return found
        symbol = self.definition.symbols.get(node.id)
        if node.id in self.lost:
            self.refuse(node, "HV1202", f"`{node.id}` may have no value here", self.lost[node.id])
        if node.id in self.namespace:
            return self.compiler.wrap(self, node, self.namespace[node.id])
        if symbol is not None:
            from hvisa.spec.dimensions import symbol as dim
            return self.dim_run(dim(node.id))
        import builtins
        import difflib
        names = [*self.env, *self.definition.symbols, *(
            n for n in self.namespace if n[0] != "_" and not hasattr(builtins, n))]
        close = difflib.get_close_matches(node.id, names, 1, 0.7)
        help_ = f"did you mean `{close[0]}`?" if close else "assign it first, or import it"
        if not close and self.definition.kind == "leaf" and not self.definition.grid and len(node.id) == 1:
            help_ = f"a leaf begins with its ids: `{node.id} = hvisa.grid(...)`"
        self.refuse(node, "HV1202", f"`{node.id}` is not defined", help_)

    def _tuple(self, node: ast.Tuple) -> Expr:
        return Items([self.expression(e) for e in node.elts])

    def _call(self, node: ast.Call) -> Expr:
        return self.call(node)

    def _subscript(self, node: ast.Subscript) -> Expr:
        return self.subscript(node)

    def _attribute(self, node: ast.Attribute) -> Expr:
        return self.attribute(node)

    def _binop(self, node: ast.BinOp) -> Expr:
        left, right = self.expression(node.left), self.expression(node.right)
        for side, value in ((node.left, left), (node.right, right)):
            if isinstance(value, Const) and isinstance(value.value, str):
                self.refuse(side, "HV1204", "texts are no values in a kernel",
                            "texts stand in `hvisa.print` and `assert` only")
        return self.binary(node, node.op, left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Expr:
        return self.unary(node, node.op, self.expression(node.operand))

    def _compare(self, node: ast.Compare) -> Expr:
        operands = [self.expression(e) for e in (node.left, *node.comparators)]
        out: Number = Const(True)
        for number, op in enumerate(node.ops):
            one = self.compare(node, op, operands[number], operands[number + 1])
            out = one if number == 0 else self._both(node, out, one)
        return out

    def _both(self, node: ast.AST, a: Number, b: Number) -> Number:
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Const):
                return other if one.value else Const(False)
        assert isinstance(a, Run) and isinstance(b, Run)
        return self.value(node, "and", a.operand, b.operand)

    def _boolop(self, node: ast.BoolOp) -> Expr:
        """`and`, `or`: the right side is not computed where the left one decides, if that can be
        noticed."""
        is_and = isinstance(node.op, ast.And)
        out = self.condition(node.values[0], self.expression(node.values[0]))
        for part in node.values[1:]:
            if isinstance(out, Const):
                if bool(out.value) != is_and:
                    return out
                out = self.condition(part, self.expression(part))
                continue
            region, found = self.aside(lambda part=part: self.condition(part, self.expression(part)))
            assert isinstance(found, (Const, Run))
            if isinstance(found, Const):
                out = out if bool(found.value) == is_and else found
            elif self.speculate(region):
                out = self.value(node, "and" if is_and else "or", out.operand, found.operand)
            else:
                self._end(node, region, found)
                other = Region()
                self._end(node, other, Run(self.operand(node, Const(not is_and), ty.I1), ty.I1))
                out = self._if(node, out, *((region, other) if is_and else (other, region)))
        return out

    def _ifexp(self, node: ast.IfExp) -> Expr:
        condition = self.condition(node.test, self.expression(node.test))
        if isinstance(condition, Const):
            return self.expression(node.body if condition.value else node.orelse)
        then, a = self.aside(lambda: self.expression(node.body))
        other, b = self.aside(lambda: self.expression(node.orelse))
        if same(a, b):
            self.region.body += then.body
            return a
        for side, value in ((node.body, a), (node.orelse, b)):
            if isinstance(value, Array):
                self.refuse(side, "HV1215", f"`{value.name}` is a buffer, and which one is read can't "
                            "depend on a condition", f"choose an element: `{value.name}[i] if c else ...`")
        x, y = self.number(node.body, a), self.number(node.orelse, b)
        if self.speculate(then, other):
            return self.choose(node, condition, x, y)
        type_, weak = self.joined(node, x, y)
        for region, value in ((then, x), (other, y)):
            self._end(node, region, value, type_)
        out = self._if(node, condition, then, other)
        out.weak = weak
        return out

    # -- regions -------------------------------------------------------------------------------

    def aside(self, make: Callable[[], Expr]) -> tuple[Region, Expr]:
        """What `make` gives, and a region with the instructions that it took."""
        outer = self.region
        region = self.region_of([])
        try:
            return region, make()
        finally:
            self.region = outer

    def speculate(self, *regions: Region) -> bool:
        """Take the instructions of regions into the one in hand, if none can trap or be seen."""
        found = [i for r in regions for i in r.body]
        if len(found) > MOST_SPECULATED or not all(map(_harmless, found)):
            return False
        self.region.body += found
        return True

    def _end(self, node: ast.AST, region: Region, value: Number,
             type_: ty.ScalarType | ty.VectorType | None = None) -> None:
        """Let a region yield a value."""
        outer, self.region = self.region, region
        run = self.concrete(node, value) if type_ is None else self.convert(node, value, type_)
        self.emit(node, "yield", [run.operand], results=())
        self.region = outer

    def _if(self, node: ast.AST, condition: Run, then: Region, other: Region) -> Run:
        """An `if` whose regions yield one value each."""
        instr = Instr(ROWS["if"], [condition.operand], [], self.file.span(node))
        instr.regions = (then, other)
        type_ = then.body[-1].operands[0].type
        assert isinstance(type_, (ty.ScalarType, ty.VectorType))
        instr.results = [Value(None, type_)]
        self.region.body.append(instr)
        return Run(instr.results[0], type_)

    # Names that had a value on some ways only, and what to write.
    lost: dict[str, str] = {}


def _harmless(instr: Instr) -> bool:
    return instr.row.effect is Effect.NONE and not instr.row.traps and not instr.regions


__all__ = ["Expressions", "type_text"]
