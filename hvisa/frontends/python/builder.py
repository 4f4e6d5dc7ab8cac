"""Emission of instructions from a Python body: the region in hand, names, conversions."""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from hvisa.diagnostics import HvisaError
from hvisa.frontends.python.names import NAMES, Operation
from hvisa.frontends.python.promotion import meet, same_kind
from hvisa.frontends.python.source import SourceFile, refuse
from hvisa.frontends.python.values import (
    Array,
    Const,
    Expr,
    Items,
    Known,
    Number,
    Run,
    element_text,
    type_text,
    weak_type,
)
from hvisa.frontends.python.wording import plain
from hvisa.graph.model import Constant, Definition, DimValue, Instr, Operand, Region, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.definitions import TypeRuleError
from hvisa.spec.dimensions import Dim
from hvisa.spec.literals import parse_literal
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType, Type, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.compiler import Compiler


class Builder:
    """What is shared by all that compiles one definition's body."""

    def __init__(self, compiler: Compiler, file: SourceFile, definition: Definition,
                 namespace: dict[str, Any], fast: int):
        self.compiler = compiler
        self.file = file
        self.definition = definition
        self.namespace = namespace  # names from outside the function
        self.fast = fast
        self.region = Region()
        self.env: dict[str, Expr] = {}
        self.lost: dict[str, str] = {}  # names that had a value on some ways only, and what to write
        self._taken: dict[str, int] = {}

    # -- messages ------------------------------------------------------------------------------

    def refuse(self, node: ast.AST, code: str, message: str, help: str = "", note: str = "") -> NoReturn:
        if code == "HV1211" and not help:
            help = _usage(message.partition("`")[2].partition("`")[0])
        refuse(self.file, node, code, message, help, note)

    def options(self, node: ast.Call, name: str, known: tuple[str, ...] = ()) -> dict[str, ast.expr]:
        """The arguments of a call that are given by name, which are some of those known."""
        for keyword in node.keywords:
            if keyword.arg is None:
                self.refuse(keyword, "HV1203", "`**` in a call is not supported", "write the arguments out")
            if keyword.arg not in known:
                self.refuse(keyword, "HV1211", f"`{name}` has no argument `{keyword.arg}`",
                            f"by name it takes {', '.join(f'`{k}=`' for k in known)}" if known else
                            "assign to a part: `x[:] = ...`" if keyword.arg == "out" else
                            "its arguments are given by position")
        return {str(k.arg): k.value for k in node.keywords}

    # -- names ---------------------------------------------------------------------------------

    def unique(self, name: str) -> str:
        """A name of a value that no other value of the definition has."""
        name = name if name.isascii() else "value"  # the text form has ASCII names only
        name = name.lstrip("$")
        count = self._taken.get(name)
        self._taken[name] = 0 if count is None else count + 1
        return name if count is None else self.unique(f"{name}.{count + 1}")

    def name_result(self, name: str, value: Expr) -> None:
        """Give an unnamed result the name of the variable that it is assigned to."""
        if isinstance(value, Run) and isinstance(value.operand, Value) and value.operand.name is None:
            value.operand.name = self.unique(name)

    def looked_up(self, node: ast.Name) -> Expr:
        """What a name stands for that the body gives no value: an object from outside, or a size."""
        if node.id in self.lost:
            self.refuse(node, "HV1202", f"`{node.id}` may have no value here", self.lost[node.id])
        if node.id in self.namespace:
            return self.compiler.wrap(self, node, self.namespace[node.id])
        if node.id in self.definition.symbols:
            return self.dim_run(dims.symbol(node.id))
        names = [*self.env, *self.definition.symbols, *(
            n for n in self.namespace if n[0] != "_" and not hasattr(builtins, n))]
        close = difflib.get_close_matches(node.id, names, 1, 0.7)
        help_ = f"did you mean `{close[0]}`?" if close else "assign it first, or import it"
        if node.id in NAMES:
            help_ = f"write `hvisa.{node.id}`, or `from hvisa import {node.id}`"
        if not close and self.definition.kind == "leaf" and not self.definition.grid and len(node.id) == 1:
            help_ = f"a leaf begins with its ids: `{node.id} = hvisa.grid(...)`"
        self.refuse(node, "HV1202", f"`{node.id}` is not defined", help_)

    def member(self, node: ast.Attribute, owner: Known) -> Expr:
        """An attribute of an object from outside."""
        found = self.outside(node, lambda: getattr(owner.object, node.attr, self))
        if found is self:
            self.refuse(node, "HV1202", f"{type_text(owner)} has no `{node.attr}`",
                        attribute_help(owner.object, node.attr))
        return self.compiler.wrap(self, node, found)

    def outside(self, node: ast.AST, make: Callable[[], Any]) -> Any:
        """What an object from outside the body gives, which may raise anything."""
        try:
            return make()
        except Exception as error:
            words = error.diagnostics[0].message if isinstance(error, HvisaError) else \
                f"{type(error).__name__}: {error}"
            self.refuse(node, "HV1208", f"this can't be computed: {words}",
                        "compute it outside of the function and name the result")

    # -- instructions --------------------------------------------------------------------------

    def emit(self, node: ast.AST, mnemonic: str, operands: Sequence[Operand],
             argument: Type | None = None, immediates: tuple[Any, ...] | None = None,
             offsets: tuple[int, ...] = (), results: Sequence[Type] | None = None) -> Instr:
        """Add an instruction; its results have the types that the row gives, or `results` where the
        row does not tell."""
        row = ROWS[mnemonic]
        instr = Instr(row, list(operands), [], self.file.span(node))
        instr.type_argument = argument
        instr.immediates = tuple(i.default for i in row.immediates) if immediates is None \
            else immediates
        instr.offsets = offsets
        try:
            types = row.infer([o.type for o in operands], argument, instr.immediates) \
                if results is None else results
        except TypeRuleError as error:
            self.refuse(node, error.code, error.message, error.help, error.note)
        instr.results = [Value(None, t) for t in types]
        if self.fast and row.fast and any(
                (e := ty.element_of(t)) is not None and e.is_float for t in types):
            instr.fast = self.fast
        self.region.body.append(instr)
        return instr

    def value(self, node: ast.AST, mnemonic: str, *operands: Operand, argument: Type | None = None,
              immediates: tuple[Any, ...] | None = None) -> Run:
        """The one result of a new instruction."""
        out = self.emit(node, mnemonic, operands, argument, immediates).results[0]
        assert isinstance(out.type, (ScalarType, VectorType))
        return Run(out, out.type)

    def region_of(self, parameters: list[Value]) -> Region:
        """A new region, which emission goes to until `region` is set back."""
        self.region = Region(parameters)
        return self.region

    # -- numbers -------------------------------------------------------------------------------

    def dim_run(self, dim: Dim) -> Run:
        """A dimension as a number of a body."""
        symbol, constant = dim.symbol, dim.constant
        operand: Operand
        if constant is not None:
            operand = Constant(ty.INDEX, constant & (1 << 64) - 1)
        elif symbol is not None and symbol in self.definition.symbols:
            operand = self.definition.symbols[symbol]
        elif symbol is not None and (port := self.definition.port(symbol)) is not None:
            operand = port.value
        else:
            operand = DimValue(dim)
        least = min((c for _, c in dim.terms), default=0)
        return Run(operand, ty.INDEX, weak=True, nonneg=least >= 0, dim=dim)

    def number(self, node: ast.AST, value: Expr, what: str = "a number") -> Number:
        """The value, if it is a number or a vector."""
        if isinstance(value, Run):
            return value
        if isinstance(value, Const) and isinstance(value.value, (bool, int, float)):
            return value
        if isinstance(value, Const) and isinstance(value.value, complex):
            self.refuse(node, "HV1210", "complex numbers are not a type of hvisa",
                        "keep real and imaginary parts in two variables or buffers "
                        "(structure of arrays)")
        self.refuse(node, "HV1204", f"{what} is expected here, and this is {type_text(value)}",
                    _number_help(value))

    def element_of(self, value: Number) -> tuple[ScalarType, bool]:
        """The element type that a number is computed in, and whether it is a Python number."""
        if isinstance(value, Run):
            return value.element, value.weak
        return weak_type(value.value), True

    def operand(self, node: ast.AST, value: Number, type_: ScalarType | VectorType,
                explicit: bool = False) -> Operand:
        """The value as an operand of a type. Only what keeps its kind is converted unless `explicit`."""
        return self.convert(node, value, type_, explicit).operand

    def convert(self, node: ast.AST, value: Number, type_: ScalarType | VectorType,
                explicit: bool = False) -> Run:
        if isinstance(type_, VectorType):
            return self._to_vector(node, value, type_, explicit)
        if isinstance(value, Run) and value.lanes:
            self.refuse(node, "HV1204", f"a vector ({type_text(value)}) stands where {type_} is expected",
                        "take a lane of it: `v[0]`")
        found, weak = self.element_of(value)
        if not explicit and not same_kind(found, type_):
            self.refuse(node, "HV1205", f"{'a Python ' if weak else ''}{_kind(found, weak)} does not "
                        f"become {type_} by itself",
                        f"write `//`, which rounds down, or `{type_}(...)`, which truncates"
                        if _divides(node) and type_.is_integer else
                        f"write `{type_}(...)`, which truncates" if not found.is_integer
                        and type_.is_integer else f"write `{type_}(...)`, or compare: `x != 0`"
                        if type_ is ty.I1 else f"write `{type_}(...)`")
        if isinstance(value, Const):
            return Run(self.constant(node, value, type_, explicit), type_,
                       nonneg=not isinstance(value.value, float) and value.value >= 0)
        if found is type_:
            return Run(value.operand, type_, nonneg=value.nonneg, dim=value.dim)
        if isinstance(value.operand, Constant) and value.dim is not None:
            return Run(self.constant(node, Const(value.dim.constant), type_, explicit), type_,
                       nonneg=value.nonneg)
        out = self.value(node, "convert", value.operand, argument=type_)
        wide = type_.bits >= found.bits or (found is ty.INDEX and type_ is ty.I64)
        out.nonneg = type_.is_integer and ((found.kind == "unsigned" and type_.bits > found.bits)
                                           or (value.nonneg and wide))
        return out

    def _to_vector(self, node: ast.AST, value: Number, type_: VectorType, explicit: bool) -> Run:
        if isinstance(value, Run) and value.lanes:
            if value.lanes != type_.lanes:
                self.refuse(node, "HV1204", f"vectors of {value.lanes} and {type_.lanes} lanes meet",
                            "give them equally many lanes")
            if value.type is type_:
                return value
            if not explicit and not same_kind(value.element, type_.element):
                self.refuse(node, "HV1205", f"{type_text(value)} does not become "
                            f"{plain(str(type_))} by itself", f"write `{type_.element}(...)`")
            return self.value(node, "convert", value.operand, argument=type_)
        one = self.convert(node, value, type_.element, explicit)
        return self.value(node, "splat", one.operand, argument=type_)

    def constant(self, node: ast.AST, value: Const, type_: ScalarType, explicit: bool) -> Constant:
        number: Any = value.value
        if type_.is_float:
            text = float(number).hex() if isinstance(number, float) else str(int(number))
            return Constant(type_, parse_literal(text, type_))
        if type_ is ty.I1:
            return Constant(type_, int(bool(number)))
        if isinstance(number, float):
            number = 0 if number != number else int(max(min(number, 2.0**64), -2.0**64))
            number = max(type_.minimum, min(number, type_.maximum))
        whole = int(number)
        if not type_.minimum <= whole <= type_.maximum and not explicit:
            self.refuse(node, "HV1206", f"{whole} is not in the range of {type_}",
                        f"it takes {type_.minimum} to {type_.maximum}; `{type_}({whole})` wraps")
        return Constant(type_, whole & ((1 << type_.bits) - 1))

    def concrete(self, node: ast.AST, value: Number) -> Run:
        """The number as it is computed, Python numbers as `index` or f64."""
        if isinstance(value, Run):
            return value
        found = self.element_of(value)
        return Run(self.operand(node, value, found[0]), found[0], weak=found[1],
                   nonneg=not isinstance(value.value, float) and value.value >= 0)

    def joined(self, node: ast.AST, a: Number, b: Number) -> tuple[ScalarType | VectorType, bool]:
        """The type in which two numbers meet."""
        (x, x_weak), (y, y_weak) = self.element_of(a), self.element_of(b)
        found, weak = meet(x, x_weak, y, y_weak)
        if (x is ty.I1) and (y is ty.I1):
            found, weak = ty.I1, x_weak and y_weak
        lanes = {v.lanes for v in (a, b) if isinstance(v, Run) and v.lanes}
        if len(lanes) > 1:
            self.refuse(node, "HV1204", f"vectors of {' and '.join(map(str, sorted(lanes)))} lanes meet",
                        "give them equally many lanes")
        if lanes:
            return ty.vector(found, lanes.pop()), False
        return found, weak

    def condition(self, node: ast.AST, value: Expr) -> Number:
        """The value as a truth value."""
        number = self.number(node, value, "a condition")
        if isinstance(number, Const):
            return Const(bool(number.value))
        if number.lanes:
            self.refuse(node, "HV1204", "a vector is no condition",
                        "join its lanes: `hvisa.fold_lanes(\"any\", v)`, or use `hvisa.select`")
        if number.type is ty.I1:
            return number
        zero = Constant(number.element, 0)
        out = self.value(node, "ne", number.operand, zero)
        out.weak = number.weak
        return out


# What numpy and others call an operation that has another name here.
_ELSEWHERE = {"maximum": "max", "minimum": "min", "fabs": "abs", "relu": "max(x, 0)", "power": "pow",
              "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "isnan": "is_nan",
              "rint": "round_half_even", "invert": "not", "fmax": "max", "fmin": "min"}


def attribute_help(owner: object, name: str) -> str:
    """What to write where a module or type lacks a name."""
    if getattr(owner, "__name__", "") == "hvisa" and name in _ELSEWHERE:
        return f"write `hvisa.{_ELSEWHERE[name]}`"
    close = difflib.get_close_matches(name, dir(owner), 1, 0.75)
    return f"did you mean `{close[0]}`?" if close else "`dir(...)` lists what it has"


def _number_help(value: Expr) -> str:
    """How to get a number of what is none."""
    match value:
        case Array():
            return f"index the buffer to get one of its elements: `{element_text(value)}`"
        case Items():
            return "take one of its items: `t[0]`"
        case Known():
            return "call it, or name a number"
        case Const() if isinstance(value.value, str):
            return "texts stand in `hvisa.print` and `assert` only; number what they tell apart"
        case _:
            return "what stands here gives no number: write one, or call it on a line of its own"


def _usage(name: str) -> str:
    """How an operation is called, from its own words."""
    operation = NAMES.get(name)
    shown = (operation.__doc__ or "").partition("`")[2].partition("`")[0] \
        if isinstance(operation, Operation) else ""
    if "(" in shown and not shown.startswith("hvisa.") and " " not in shown.partition("(")[0]:
        shown = f"hvisa.{shown}"
    return f"for example `{shown}`" if "(" in shown else f"look at `help(hvisa.{name})`" \
        if operation is not None else "look at its parameters"


def _divides(node: ast.AST) -> bool:
    return isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div)


def _kind(type_: ScalarType, weak: bool) -> str:
    if not weak or type_ is ty.I1:
        return "bool" if weak else str(type_)
    return "float" if type_ is ty.F64 else "int"


def constant_dim(value: Expr) -> Dim | None:
    """A value as a dimension, if it is one."""
    if isinstance(value, Run):
        return value.dim
    if isinstance(value, Const) and type(value.value) is int \
            and abs(value.value) < dims.MAX_COEFFICIENT:
        return dims.constant(value.value)
    return None
