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
        return self.looked_up(node) if found is None else found

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
        if isinstance(node.op, ast.Not):
            return self.truth(node)
        return self.unary(node, node.op, self.expression(node.operand))

    def _compare(self, node: ast.Compare) -> Expr:
        """A chain stops at the first comparison that does not hold, as `and` does."""
        def rest(left: Expr, number: int) -> Number:
            right = self.expression(node.comparators[number])
            one = self.compare(node, node.ops[number], left, right)
            if number + 1 == len(node.ops):
                return one
            return self._decided(node, True, one, lambda: rest(right, number + 1))
        return rest(self.expression(node.left), 0)

    def _both(self, node: ast.AST, a: Number, b: Number) -> Number:
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Const):
                return other if one.value else Const(False)
        assert isinstance(a, Run) and isinstance(b, Run)
        return self.value(node, "and", a.operand, b.operand)

    def truth(self, node: ast.expr) -> Number:
        """An expression of which only the truth value counts."""
        if isinstance(node, ast.BoolOp):
            return self._logic(node, self.truth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            found = self.unary(node, node.op, self.truth(node.operand))
            assert isinstance(found, (Const, Run))
            return found
        return self.condition(node, self.expression(node))

    def _boolop(self, node: ast.BoolOp) -> Expr:
        """`and`, `or` as values: of numbers, Python gives one of them and not a truth value."""
        return self._logic(node, self._truth_value)

    def _truth_value(self, node: ast.expr) -> Number:
        found = self.number(node, self.expression(node), "a condition")
        if self.element_of(found)[0] is not ty.I1:
            self.refuse(node, "HV1204", "`and` and `or` join truth values here, and this is "
                        f"{type_text(found)}", "compare it: `x != 0`; or write `a if a else b`")
        return self.condition(node, found)

    def _logic(self, node: ast.BoolOp, part: Callable[[ast.expr], Number]) -> Number:
        is_and = isinstance(node.op, ast.And)
        out = part(node.values[0])
        for value in node.values[1:]:
            out = self._decided(node, is_and, out, lambda value=value: part(value))
        return out

    def _decided(self, node: ast.AST, is_and: bool, left: Number, right: Callable[[], Number]) -> Number:
        """`and`, `or`: the right side is not computed where the left one decides, if that can be
        noticed."""
        if isinstance(left, Const):
            return right() if bool(left.value) == is_and else left
        region, found = self.aside(right)
        assert isinstance(found, (Const, Run))
        if isinstance(found, Const) and self.speculate(region):
            return left if bool(found.value) == is_and else found
        weak = left.weak and getattr(found, "weak", True)
        if isinstance(found, Run) and self.speculate(region):
            out = self.value(node, "and" if is_and else "or", left.operand, found.operand)
        else:
            self._end(node, region, found)
            other = Region()
            self._end(node, other, Run(self.operand(node, Const(not is_and), ty.I1), ty.I1))
            out = self._if(node, left, *((region, other) if is_and else (other, region)))
        out.weak = weak
        return out

    def _ifexp(self, node: ast.IfExp) -> Expr:
        condition = self.truth(node.test)
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


def _harmless(instr: Instr) -> bool:
    return instr.row.effect is Effect.NONE and not instr.row.traps and not instr.regions
