"""Actions of expressions and types."""

from __future__ import annotations

from typing import Any

from lark import Token

from hvisa.assembler.parse_state import Base
from hvisa.graph.model import (
    Literal,
)
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.types import ScalarType, Type


class ExpressionActions(Base):
    """Actions of expressions and types."""

    # -- expressions ---------------------------------------------------------------------------

    def value(self, c: list[Any]) -> Token:
        self.state.near = c[0]
        return c[0]

    number = global_value = value

    def grouped(self, c: list[Any]) -> Any:
        return c[0]

    def _build(self, c: list[Any], build: Any) -> Dim:
        try:
            return build(*(self.dim(p) for p in c))
        except DimError as error:
            token = next((p for p in c if type(p) is Token), None)
            self.error("HV0602", str(error), token or self.near,
                       help="write a shorter expression, or compute it in a node without grid")
            return dims.constant(1)

    def sum(self, c: list[Any]) -> Dim:
        return self._build(c, lambda a, b: a + b)

    def difference(self, c: list[Any]) -> Dim:
        return self._build(c, lambda a, b: a - b)

    def product(self, c: list[Any]) -> Dim:
        return self._build(c, lambda a, b: a * b)

    def negative(self, c: list[Any]) -> Any:
        part = c[0]
        if type(part) is Token and part.type in ("NUMBER", "WORD"):
            return Literal(f"-{part}")
        if isinstance(part, Literal):
            negated = Literal(part.text[1:] if part.text.startswith("-") else f"-{part.text}")
            negated.type = part.type
            return negated
        return self._build(c, lambda a: -a)

    def typed_number(self, c: list[Any]) -> Literal:
        literal = Literal(str(c[0]))
        literal.type = ty.BY_NAME[c[1]]
        return literal

    def dimension_function(self, c: list[Any]) -> Dim:
        name, *parts = c
        if str(name) in ("min", "max"):
            if len(parts) < 2:
                self.error("HV0601", f"`{name}` takes two dimensions or more", name)
                return dims.constant(1)
        elif len(parts) != 2:
            self.error("HV0601", f"`{name}` takes two dimensions, {len(parts)} given", name)
            return dims.constant(1)
        return self._build(parts, dims.FUNCTIONS[str(name)])

    def literal(self, c: list[Any]) -> str:
        return str(c[0])

    def negative_literal(self, c: list[Any]) -> str:
        return f"-{c[0]}"

    # -- types ---------------------------------------------------------------------------------

    def scalar_type(self, c: list[Any]) -> ScalarType:
        self.state.near = c[0]
        return ty.BY_NAME[c[0]]

    def vector_type(self, c: list[Any]) -> Type:
        try:
            lanes = int(c[1], 0)
        except ValueError:
            lanes = 0
        if not 2 <= lanes <= ty.MAX_LANES:
            self.error("HV0218", f"a vector has 2 to {ty.MAX_LANES} lanes", c[1],
                       f"this is {c[1]}")
            lanes = 2
        return ty.vector(ty.BY_NAME[c[0]], lanes)

    def capacity(self, c: list[Any]) -> tuple[Token, Dim]:
        return c[0], self.dim(c[1])

    def buffer_type(self, c: list[Any]) -> Type:
        shape: list[Dim] = []
        bound: Dim | None = None
        for position, part in enumerate(c[1:]):
            if isinstance(part, tuple):
                if position:
                    self.error("HV0603", "only the leading extent may have a capacity", part[0])
                bound = part[1]
                shape.append(dims.symbol(part[0][1:]))
            else:
                shape.append(self.dim(part))
        return ty.buffer(ty.BY_NAME[c[0]], tuple(shape), bound)

    def grid_type(self, c: list[Any]) -> Type:
        element = c[0]
        if ty.element_of(element) is None:
            self.error("HV0219", f"`grid` holds scalars or vectors, not {element}",
                       self.near)
            element = ty.I32
        return ty.grid(element, tuple(self.dim(p) for p in c[1:] if not isinstance(p, tuple)))

    def stream_type(self, c: list[Any]) -> Type:
        if isinstance(c[0], ty.StreamType):
            self.error("HV0219", "a stream does not hold streams", self.near)
            return c[0]
        return ty.stream(c[0])
