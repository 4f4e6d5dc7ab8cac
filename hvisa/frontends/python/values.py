"""What an expression of a body is while it is compiled."""

from __future__ import annotations

import types
from typing import Any

from hvisa.frontends.python.wording import plain
from hvisa.graph.model import Operand, Value
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.types import BufferType, ScalarType, VectorType


class Const:
    """A number, truth value or text known now. Numbers have no type of their own yet."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


class Run:
    """A number or vector known at run time.

    `weak` marks a Python number (see `promotion`), `nonneg` one that is known not to be negative. A
    value of dimensions alone keeps them as `dim`.
    """

    __slots__ = ("dim", "nonneg", "operand", "type", "weak")

    def __init__(self, operand: Operand, type_: ScalarType | VectorType, weak: bool = False,
                 nonneg: bool = False, dim: Dim | None = None):
        self.operand = operand
        self.type = type_
        self.weak = weak
        self.nonneg = nonneg
        self.dim = dim

    @property
    def element(self) -> ScalarType:
        return self.type.element if isinstance(self.type, VectorType) else self.type

    @property
    def lanes(self) -> int:
        return ty.lanes_of(self.type)

    def __repr__(self) -> str:
        return f"Run({self.operand!r}, {self.type}{', weak' if self.weak else ''})"


class Array:
    """A buffer, or a way of reading and writing one: its bounds form, and lanes for vectors."""

    __slots__ = ("accumulate", "bounds", "direction", "lanes", "name", "operand", "type")

    def __init__(self, name: str, operand: Operand, type_: BufferType, direction: str,
                 accumulate: str = "", bounds: str = "trap", lanes: int = 0):
        self.name = name
        self.operand = operand
        self.type = type_
        self.direction = direction  # in, out, inout, local
        self.accumulate = accumulate
        self.bounds = bounds
        self.lanes = lanes

    def through(self, bounds: str | None = None, lanes: int | None = None) -> Array:
        return Array(self.name, self.operand, self.type, self.direction, self.accumulate,
                     self.bounds if bounds is None else bounds, self.lanes if lanes is None else lanes)


class Items:
    """A tuple or list of values, known in number."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]):
        self.items = items


class Known:
    """A Python object from outside the body: a module, a type, an operation, a decorated function."""

    __slots__ = ("object",)

    def __init__(self, object_: Any):
        self.object = object_


Expr = Const | Run | Array | Items | Known
Number = Const | Run


def weak_type(value: int | float | bool) -> ScalarType:
    """What a Python number is computed as."""
    if isinstance(value, bool):
        return ty.I1
    return ty.F64 if isinstance(value, float) else ty.INDEX


def same(a: Expr, b: Expr) -> bool:
    """Whether two values are one, so that nothing has to be merged."""
    if a is b:
        return True
    if isinstance(a, Const) and isinstance(b, Const):
        return type(a.value) is type(b.value) and repr(a.value) == repr(b.value)
    if isinstance(a, Run) and isinstance(b, Run):
        return a.operand is b.operand or (
            not isinstance(a.operand, Value) and a.operand == b.operand and a.weak == b.weak)
    if isinstance(a, Array) and isinstance(b, Array):
        return a.operand is b.operand and a.bounds == b.bounds and a.lanes == b.lanes
    if isinstance(a, Items) and isinstance(b, Items):
        return len(a.items) == len(b.items) and all(map(same, a.items, b.items))
    return isinstance(a, Known) and isinstance(b, Known) and a.object is b.object


def type_text(value: Expr) -> str:
    """How a value's type is named in messages."""
    match value:
        case Const():
            return {bool: "a bool", int: "an int", float: "a float", str: "a string",
                    complex: "a complex number", type(None): "None"}.get(
                        type(value.value), f"a {type(value.value).__name__}")
        case Run():
            if value.weak and value.type is not ty.I1:
                return "a Python float" if value.type is ty.F64 else "a Python int"
            return plain(str(value.type))
        case Array():
            return f"a buffer ({plain(str(value.type))})"
        case Items():
            return "a tuple"
        case Known():
            return known_text(value.object)


def element_text(array: Array) -> str:
    """How an element of a buffer is written: `x[i, j]`."""
    rank = array.type.rank
    return f"{array.name}[{', '.join('ijklmnop'[:rank]) if 0 < rank <= 8 else '()' if not rank else '...'}]"


def known_text(found: Any) -> str:
    """How a Python object is named in messages, which are the same in every run."""
    try:
        return _known_text(found)
    except Exception:  # its own `__repr__` may raise anything
        return f"an object of type `{type(found).__name__}`"


def _known_text(found: Any) -> str:
    name = getattr(found, "__name__", None)
    if isinstance(found, type):
        return f"the type `{name}`"
    if isinstance(found, types.ModuleType):
        return f"the module `{name}`"
    if isinstance(name, str):
        return f"the function `{name}`"
    shown = repr(found)
    return f"`{shown}`" if " at 0x" not in shown and len(shown) < 60 else \
        f"an object of type `{type(found).__name__}`"
