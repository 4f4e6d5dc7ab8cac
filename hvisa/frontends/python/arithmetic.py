"""Operators of Python on numbers, as instructions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from hvisa.diagnostics import plural
from hvisa.frontends.python.builder import Builder, constant_dim
from hvisa.frontends.python.values import Const, Expr, Number, Run, type_text
from hvisa.graph.model import Constant
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType, VectorType

# Operator of the tree -> mnemonic, and what folds constants.
BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("sub", operator.sub), ast.Mult: ("mul", operator.mul),
    ast.Div: ("div", operator.truediv), ast.FloorDiv: ("div", operator.floordiv),
    ast.Mod: ("rem", operator.mod), ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_), ast.BitXor: ("xor", operator.xor),
    ast.LShift: ("shl", operator.lshift), ast.RShift: ("shr", operator.rshift),
    ast.Pow: ("", operator.pow)}
COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], bool]]] = {
    ast.Eq: ("eq", operator.eq), ast.NotEq: ("ne", operator.ne), ast.Lt: ("lt", operator.lt),
    ast.LtE: ("le", operator.le), ast.Gt: ("gt", operator.gt), ast.GtE: ("ge", operator.ge)}
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_SHIFTS = (ast.LShift, ast.RShift)
_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Pow: "**"}
MOST_FOLDED_BITS = 1 << 12  # of a whole number that is computed while compiling


class Arithmetic(Builder):
    """Unary, binary and comparison operators; calls of what is one instruction."""

    def binary(self, node: ast.AST, op: ast.operator, left: Expr, right: Expr) -> Expr:
        first, second = _sides(node)
        if isinstance(op, ast.MatMult):
            self.refuse(node, "HV1203", "`@` is a product of whole arrays",
                        "use it in a graph; in a leaf write `sum(a[i, k] * b[k, j] for k in range(n))`")
        a, b = self.number(first, left), self.number(second, right)
        if isinstance(a, Const) and isinstance(b, Const):
            return self._fold(node, op, a, b)
        whole = self._dimension(op, a, b)
        if whole is not None:
            return whole
        if isinstance(op, ast.Pow):
            return self._power(node, a, b)
        type_, weak = self.joined(node, a, b)
        element = ty.element_of(type_)
        assert element is not None
        symbol = _SYMBOLS[type(op)]
        if isinstance(op, ast.Div) and not element.is_float:
            type_, element = ty.like(ty.F64, type_), ty.F64
        if element is ty.I1 and not isinstance(op, _BITS):
            self.refuse(node, "HV1207", f"`{symbol}` is not defined on truth values",
                        "make numbers of them first: `i32(c)`")
        if isinstance(op, (*_BITS, *_SHIFTS)) and element.is_float:
            self.refuse(node, "HV1207", f"`{symbol}` is not defined on {element}",
                        "`hvisa.bitcast(u32, x)` gives the bits of a float")
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            return self._floored(node, op, a, b, type_, weak)
        x, y = self.convert(first, a, type_), self.convert(second, b, type_)
        out = self.value(node, BINARY[type(op)][0], x.operand, y.operand)
        out.weak = weak
        out.nonneg = element.is_integer and _stays_nonneg(op, x, y)
        return out

    def _fold(self, node: ast.AST, op: ast.operator, a: Const, b: Const) -> Const:
        """Python numbers among each other, as Python has it."""
        if (isinstance(op, ast.Pow) and isinstance(b.value, int) and abs(b.value) > 1 << 10) \
                or (isinstance(op, ast.LShift) and b.value > MOST_FOLDED_BITS):
            self.refuse(node, "HV1206", "the number is too large to be computed", "write it another way")
        try:
            found = BINARY[type(op)][1](a.value, b.value)
        except (ArithmeticError, ValueError, TypeError) as error:
            self.refuse(node, "HV1208", f"this can't be computed: {error}",
                        "write a number that Python can compute")
        if (isinstance(found, int) and found.bit_length() > MOST_FOLDED_BITS) or isinstance(found, complex):
            self.refuse(node, "HV1206", "the number is too large to be computed", "write it another way")
        return Const(found)

    def _dimension(self, op: ast.operator, a: Number, b: Number) -> Run | None:
        """Operations on dimensions stay dimensions where they have a normal form."""
        left, right = constant_dim(a), constant_dim(b)
        if left is None or right is None:
            return None
        try:
            found = _dim_operation(op, left, right)
        except DimError:
            return None
        return None if found is None else self.dim_run(found)

    def _floored(self, node: ast.AST, op: ast.operator, a: Number, b: Number,
                 type_: ScalarType | VectorType, weak: bool) -> Run:
        """`//` and `%` round down in Python; `div` and `rem` round towards zero."""
        element = ty.element_of(type_)
        assert element is not None
        if element.is_float:
            wanted = "hvisa.floor(a / b)" if isinstance(op, ast.FloorDiv) else "hvisa.fmod(a, b)"
            self.refuse(node, "HV1207", f"`{_SYMBOLS[type(op)]}` is not defined on {element}",
                        f"write `{wanted}`, or convert to an integer type")
        first, second = _sides(node)
        x, y = self.convert(first, a, type_), self.convert(second, b, type_)
        quotient = isinstance(op, ast.FloorDiv)
        nonneg = element.kind == "unsigned" or (x.nonneg and y.nonneg)
        if nonneg:
            out = self.value(node, "div" if quotient else "rem", x.operand, y.operand)
            out.weak, out.nonneg = weak, True
            return out
        zero = self.operand(node, Const(0), type_)
        rest = self.value(node, "rem", x.operand, y.operand)
        mixed = self.value(node, "xor", rest.operand, y.operand)
        apart = self.value(node, "lt", mixed.operand, zero)
        some = self.value(node, "ne", rest.operand, zero)
        adjust = self.value(node, "and", apart.operand, some.operand)
        if quotient:
            whole = self.value(node, "div", x.operand, y.operand)
            less = self.value(node, "sub", whole.operand, self.operand(node, Const(1), type_))
            out = self.value(node, "select", adjust.operand, less.operand, whole.operand)
        else:
            more = self.value(node, "add", rest.operand, y.operand)
            out = self.value(node, "select", adjust.operand, more.operand, rest.operand)
            out.nonneg = y.nonneg
        out.weak = weak
        return out

    def _power(self, node: ast.AST, base: Number, exponent: Number) -> Expr:
        """`x ** 2` as a product, whole powers of integers by squaring."""
        element, weak = self.element_of(base)
        if not isinstance(exponent, Const) or type(exponent.value) is not int or not (
                0 <= exponent.value <= (2 if element.is_float else 64)):
            self.refuse(node, "HV1209", "this power is not one instruction",
                        "write `hvisa.pow(x, y)`, `x * x * x`, or `hvisa.sqrt(x)` for `x ** 0.5`")
        if element is ty.I1:
            self.refuse(node, "HV1207", "`**` is not defined on truth values",
                        "make numbers of them first: `i32(c)`")
        out: Expr | None = None
        square: Expr = base
        count = exponent.value
        while count:
            if count & 1:
                out = square if out is None else self.binary(node, ast.Mult(), out, square)
            count >>= 1
            if count:
                square = self.binary(node, ast.Mult(), square, square)
        if out is None:
            one = self.concrete(node, base)
            return Run(self.operand(node, Const(1), one.type), one.type, weak=weak)
        return out

    def unary(self, node: ast.AST, op: ast.unaryop, value: Expr) -> Expr:
        if isinstance(op, ast.Not):
            condition = self.condition(node, value)
            if isinstance(condition, Const):
                return Const(not condition.value)
            out = self.value(node, "not", condition.operand)
            out.weak = True  # a bool of Python, of whatever
            return out
        number = self.number(node, value)
        if isinstance(number, Const):
            function = operator.neg if isinstance(op, ast.USub) else \
                operator.pos if isinstance(op, ast.UAdd) else operator.invert
            if isinstance(op, ast.Invert) and not isinstance(number.value, int):
                self.refuse(node, "HV1207", "`~` is not defined on a float")
            return Const(function(int(number.value) if isinstance(number.value, bool)
                                  else number.value))
        if isinstance(op, ast.UAdd):
            return number
        if number.element is ty.I1 and isinstance(op, ast.USub):
            self.refuse(node, "HV1207", "`-` is not defined on truth values",
                        "write `not c`, or make a number of it: `i32(c)`")
        if isinstance(op, ast.Invert) and number.element.is_float:
            self.refuse(node, "HV1207", f"`~` is not defined on {number.element}",
                        "`hvisa.bitcast(u32, x)` gives the bits of a float")
        if isinstance(op, ast.USub) and number.dim is not None:
            return self.dim_run(-number.dim)
        out = self.value(node, "neg" if isinstance(op, ast.USub) else "not", number.operand)
        out.weak = number.weak
        return out

    def compare(self, node: ast.AST, op: ast.cmpop, left: Expr, right: Expr) -> Number:
        if type(op) not in COMPARE:
            word = "is" if isinstance(op, (ast.Is, ast.IsNot)) else "in"
            self.refuse(node, "HV1203", f"`{word}` has no meaning in a kernel",
                        "numbers are never None; compare them with `==`" if word == "is" else
                        "compare with each: `x == 1 or x == 2`")
        mnemonic, fold = COMPARE[type(op)]
        if isinstance(left, Const) and isinstance(right, Const):
            try:
                return Const(bool(fold(left.value, right.value)))
            except TypeError:
                self.refuse(node, "HV1204", f"{type_text(left)} and {type_text(right)} don't compare",
                            "compare numbers with numbers")
        first, second = _sides(node)
        a, b = self.number(first, left), self.number(second, right)
        type_, _ = self.joined(node, a, b)
        (x, x_weak), (y, y_weak) = self.element_of(a), self.element_of(b)
        if x.is_integer and y.is_integer and not isinstance(a, Const) and not isinstance(b, Const):
            # Exact, as in numpy, also where the numbers do not fit each other's type.
            if ty.U64 in (x, y) and "signed" in (x.kind, y.kind):
                return self._compare_mixed(node, mnemonic, a, b)
            if x_weak != y_weak:
                type_ = ty.like(ty.INDEX, type_)
        out = self.value(node, mnemonic, self.operand(first, a, type_), self.operand(second, b, type_))
        out.weak = x_weak and y_weak
        return out

    def _compare_mixed(self, node: ast.AST, mnemonic: str, a: Run, b: Run) -> Run:
        """u64 against a signed number: what is negative is less than anything of u64."""
        signed = a if b.element is ty.U64 else b
        type_ = ty.like(ty.U64, self.joined(node, a, b)[0])
        out = self.value(node, mnemonic, self.operand(node, a, type_), self.operand(node, b, type_))
        if signed.nonneg:
            return out
        wide = self.convert(node, signed, ty.like(signed.element, type_))
        negative = self.value(node, "lt", wide.operand, self.operand(node, Const(0), wide.type))
        if mnemonic in (("lt", "le", "ne") if signed is a else ("gt", "ge", "ne")):
            return self.value(node, "or", out.operand, negative.operand)
        other = self.value(node, "not", negative.operand)
        return self.value(node, "and", out.operand, other.operand)

    def choose(self, node: ast.AST, condition: Number, then: Number, other: Number) -> Number:
        """`select`, of numbers that are there already."""
        if isinstance(condition, Const):
            return then if condition.value else other
        type_, weak = self.joined(node, then, other)
        if condition.lanes and not isinstance(type_, VectorType):
            type_, weak = ty.vector(type_, condition.lanes), False
        a, b = self.convert(node, then, type_), self.convert(node, other, type_)
        out = self.value(node, "select", condition.operand, a.operand, b.operand)
        out.weak, out.nonneg = weak, a.nonneg and b.nonneg
        return out

    # -- instructions called by name -----------------------------------------------------------

    def instruction(self, node: ast.AST, mnemonic: str, arguments: list[Expr]) -> Run:
        """A row whose operands all have one type, or a mask: `fma(a, b, c)`, `select(c, a, b)`."""
        row = ROWS[mnemonic]
        patterns = row.signature.operands
        if len(arguments) != len(patterns):
            names = ", ".join(o.name for o in patterns)
            self.refuse(node, "HV1211", f"`{mnemonic}` takes {plural(len(patterns), 'argument')}, "
                        f"{len(arguments)} given", f"its arguments are {names}")
        places: list[ast.AST] = [node] * len(arguments)
        if isinstance(node, ast.Call) and len(node.args) == len(arguments):
            places = list(node.args)
        numbers = [self.number(places[n], a, f"a number for `{patterns[n].name}`")
                   for n, a in enumerate(arguments)]
        if mnemonic == "select":
            out = self.choose(node, self._mask(node, numbers[0]), numbers[1], numbers[2])
            return self.concrete(node, out)
        common: tuple[ScalarType | VectorType, bool] | None = None
        for pattern, number in zip(patterns, numbers, strict=True):
            if pattern.pattern.word in ("T", "vector"):
                common = self._meet(node, common, number)
        type_, weak = common or (ty.I1, False)
        element = ty.element_of(type_)
        if element not in row.classes and weak and ty.F64 in row.classes:
            type_ = ty.F64  # `sqrt(2)` of a Python int
        elif element not in row.classes and element is not None and element.is_integer \
                and not any(c.is_integer for c in row.classes) and mnemonic != "is_nan":
            type_ = ty.like(ty.F64, type_)  # as numpy: sqrt of int32 is float64
        operands = [self.operand(at, n, type_ if p.pattern.word in ("T", "vector") else
                                 p.pattern.concrete or ty.I1)
                    for at, p, n in zip(places, patterns, numbers, strict=True)]
        out = self.value(node, mnemonic, *operands)
        out.weak = weak and out.type in (ty.INDEX, ty.F64)
        out.nonneg = mnemonic in ("min", "max") and all(
            getattr(n, "nonneg", False) or (isinstance(n, Const) and n.value >= 0) for n in numbers)
        return out

    def _meet(self, node: ast.AST, common: tuple[ScalarType | VectorType, bool] | None,
              number: Number) -> tuple[ScalarType | VectorType, bool]:
        if common is None:
            one = self.element_of(number)
            lanes = number.lanes if isinstance(number, Run) else 0
            return (ty.vector(one[0], lanes) if lanes else one[0]), one[1]
        placeholder = Run(Constant(ty.I1, 0), common[0], weak=common[1])
        return self.joined(node, placeholder, number)

    def _mask(self, node: ast.AST, value: Number) -> Number:
        if isinstance(value, Run) and value.lanes:
            if value.element is not ty.I1:
                self.refuse(node, "HV1204", f"a mask is expected here, and this is {type_text(value)}",
                            "compare: `v > 0`")
            return value
        return self.condition(node, value)


def _sides(node: ast.AST) -> tuple[ast.AST, ast.AST]:
    """The places of the two operands of an operator."""
    match node:
        case ast.BinOp():
            return node.left, node.right
        case ast.Compare() if len(node.comparators) == 1:
            return node.left, node.comparators[0]
        case ast.AugAssign():
            return node.target, node.value
        case _:
            return node, node


def _dim_operation(op: ast.operator, left: Dim, right: Dim) -> Dim | None:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv() if (right.constant or 0) > 0:
            return dims.floordiv(left, right)
        case ast.Mod() if (right.constant or 0) > 0:
            return dims.mod(left, right)
        case _:
            return None


def _stays_nonneg(op: ast.operator, x: Run, y: Run) -> bool:
    """Whether a result is not negative. Sums and products count too: an index that large is beyond
    every extent, and what wraps there is out of bounds either way."""
    if isinstance(op, ast.BitAnd):
        return x.nonneg or y.nonneg
    if isinstance(op, (ast.Add, ast.Mult)):
        return x.nonneg and y.nonneg and x.element is ty.INDEX
    return isinstance(op, (ast.BitOr, ast.BitXor, ast.RShift)) and x.nonneg and y.nonneg
