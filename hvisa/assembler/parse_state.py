"""What the parser keeps while it reads, and the help that every action needs."""

from __future__ import annotations

import difflib
from typing import Any

from lark import Token

from hvisa.diagnostics import Diagnostic, HvisaError, Source, Span
from hvisa.graph.model import (
    Attribute,
    Definition,
    DimValue,
    Function,
    GlobalRef,
    Instr,
    InternalNode,
    LeafNode,
    Literal,
    Module,
    Operand,
    Region,
    Value,
)
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.limits import LIMITS
from hvisa.spec.types import Type

KINDS: dict[str, type[Definition]] = {"leaf": LeafNode, "graph": InternalNode, "func": Function}
MAX_ERRORS = 100

# Parts of statements, by the Python class that the callbacks pass around.
Access = tuple[Token, list[Any]]


class Tail:
    """What may follow a header or an operation."""

    __slots__ = ("attributes", "effect", "implements")

    def __init__(self, effect: int = -1, implements: str = "",
                 attributes: tuple[Attribute, ...] = ()):
        self.effect = effect  # -1 where none is written
        self.implements = implements
        self.attributes = attributes


class Frame:
    """A region under construction and the names that it defines."""

    __slots__ = ("holds", "names", "region")

    def __init__(self, region: Region, names: list[str], holds: bool):
        self.region = region
        self.names = names
        self.holds = holds  # names outlive the region: the first region of `while`


class Carry:
    __slots__ = ("init", "token", "type", "uniform")

    def __init__(self, token: Token, type_: Type | None, init: Any, uniform: int):
        self.token = token
        self.type = type_
        self.init = init
        self.uniform = uniform


class State:
    """Everything about the text being parsed."""

    def __init__(self, source: Source):
        self.source = source
        self.module = Module(span=Span(source, 1, 1))
        self.errors: list[Diagnostic] = []
        self.reset()

    def reset(self) -> None:
        """Forget a half-built definition."""
        self.definition: Definition | None = None
        self.scope: dict[str, Value] = {}
        self.frames: list[Frame] = []
        self.pending: tuple[list[Value], list[str], bool] = ([], [], False)
        self.held: list[list[str]] = []
        self.forward: list[tuple[Instr, int, Token, int]] = []
        self.stated_effect = -1
        self.near: Token | None = None  # the last number or name of an expression or type
        self.count = 0
        self.nodes = 0
        self.edges = 0


def merged_tail(children: list[Any]) -> Tail:
    merged = Tail()
    for part in children:
        if type(part) is Tail:
            merged.effect = max(merged.effect, part.effect)
            merged.implements = part.implements or merged.implements
            merged.attributes += part.attributes
    return merged


class Skip(Exception):
    """The statement can't be built; its error is recorded."""


class Base:
    """Names, limits and errors; what all actions share."""

    state: State

    @property
    def near(self) -> Token | Span:
        """The last token that was read, for messages about what has no token of its own."""
        return self.state.near or self.state.module.span or Span(self.state.source)

    # -- help ----------------------------------------------------------------------------------

    def span(self, token: Token) -> Span:
        return Span(self.state.source, token.line or 0, token.column or 0, len(token))

    def error(self, code: str, message: str, token: Token | Span, note: str = "",
              help: str = "") -> None:
        span = token if isinstance(token, Span) else self.span(token)
        self.state.errors.append(Diagnostic(code, message, span, note=note, help=help))
        if len(self.state.errors) >= MAX_ERRORS:
            raise HvisaError(self.state.errors)

    def limit(self, name: str, found: int, token: Token) -> None:
        if found > LIMITS[name].value:
            raise HvisaError(LIMITS[name].diagnostic(found, self.span(token)))

    def declare(self, token: Token, type_: Type, names: list[str],
                help: str = "give one of them another name") -> Value:
        name = token[1:]
        value = Value(name, type_)
        if name in self.state.scope:
            self.error("HV0102", f"`%{name}` is defined twice", token,
                       "this name is taken here", help)
        else:
            names.append(name)
        self.state.scope[name] = value
        return value

    def lookup(self, token: Token) -> Value:
        value = self.state.scope.get(token[1:])
        if value is None:
            close = difflib.get_close_matches(token[1:], self.state.scope, 1)
            self.error("HV0101", f"`{token}` is not defined here", token, "unknown name",
                       f"did you mean `%{close[0]}`?" if close else self._undefined_help(token))
            value = self.state.scope[token[1:]] = Value(token[1:], ty.ERROR)
        return value

    def _undefined_help(self, token: Token) -> str:
        definition = self.state.definition
        if isinstance(definition, LeafNode) and not definition.ids and token in (
                "%i", "%j", "%k", "%x", "%y", "%row", "%col", "%column", "%idx", "%index", "%tid"):
            return f"add `grid({token} < ...)` to the header of the leaf: it numbers the instances"
        return "a value can be used after its definition, in the same region or inside it"

    def dim(self, part: Any) -> Dim:
        """A parsed expression as a dimension."""
        if isinstance(part, Dim):
            return part
        try:
            if type(part) is Token:
                if part.type == "VALUE":
                    return dims.symbol(part[1:])
                if part.type == "NUMBER":
                    return dims.constant(int(part, 0))
            if isinstance(part, Literal):
                return dims.constant(int(part.text, 0))
        except (ValueError, DimError):
            pass
        text = part.text if isinstance(part, Literal) else str(part)
        self.error("HV0601", f"`{text}` is not a dimension", part if type(part) is Token else self.near,
                   help="a dimension is made of symbols and whole numbers with + - * floordiv mod "
                        "min max ceildiv")
        return dims.constant(0)

    def operand(self, part: Any) -> Operand:
        if type(part) is Token:
            if part.type == "VALUE":
                return self.state.scope.get(part[1:]) or self.lookup(part)
            if part.type == "GLOBAL":
                return GlobalRef(part[1:], ty.ERROR)
            return Literal(str(part))
        if isinstance(part, Dim):
            value = part.constant
            if value is not None:
                return Literal(str(value))
            # `%n + 0` is the value itself, as its canonical text says.
            symbol = part.symbol
            return (self.state.scope.get(symbol) if symbol else None) or DimValue(part)
        assert isinstance(part, Literal), part
        return part
