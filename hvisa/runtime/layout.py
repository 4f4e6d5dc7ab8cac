"""An entry's signature as objects, made from plain data (`hvisa.translators.native.signature`).

Nothing here needs the module: a cached translation is launched without parsing anything. Dimensions
are evaluated exactly, or written as Python source for the fast path.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from hvisa.spec.types import BY_NAME, ScalarType

DimData = list[Any]


class DimensionError(Exception):
    """A dimension has no value: a divisor is below 1."""


class PortLayout:
    """One port or result.

    `kind` is scalar, vector, buffer, grid or stream; `element` the scalar type; `text` the type as
    written; `shape` the extents as written and `dims` the same as data; `lanes` those of a vector;
    `slot` its first argument slot. `capacity` bounds a leading extent that the code sets.
    """

    __slots__ = ("bits", "capacity", "dims", "direction", "dtype", "element", "item", "kind",
                 "lanes", "name", "shape", "slot", "strided", "text")

    def __init__(self, data: Mapping[str, Any]):
        self.name: str = data.get("name", "item")
        self.direction: str = data.get("direction", "out")
        self.slot: int = data.get("slot", -1)
        self.text: str = data["type"]
        self.kind: str = data["kind"]
        self.lanes: int = data["lanes"]
        self.shape: list[str] = data["shape"]
        self.dims: list[DimData] = data["dims"]
        self.capacity: DimData | None = data["capacity"]
        self.strided: bool = data.get("strided", False)
        self.item = PortLayout(data["item"]) if self.kind == "stream" else None
        self.element: ScalarType = self.item.element if self.item else BY_NAME[data["element"]]
        self.dtype = self.element.storage_dtype
        self.bits = self.element.size_bytes * 8

    @property
    def written(self) -> bool:
        return self.direction in ("out", "inout")

    @property
    def is_array(self) -> bool:
        """Whether the host passes an array for it: buffers, vectors, grids of values."""
        return self.kind in ("buffer", "vector", "grid")

    @property
    def rank(self) -> int:
        """Dimensions of the host's array."""
        return len(self.dims) + (self.lanes > 0)


class Signature:
    """The ports and results of an entry, in order. `grid` is its own grid as data."""

    __slots__ = ("_returned_type", "entry", "grid", "place", "ports", "results", "slots", "taken",
                 "written")

    def __init__(self, data: Mapping[str, Any]):
        self.entry: str = data["entry"]
        self.ports = tuple(PortLayout(p) for p in data["ports"])
        self.results = tuple(PortLayout(r) for r in data["results"])
        self._returned_type: type[tuple[Any, ...]] | None = None
        self.slots: int = data["slots"]
        self.grid: list[DimData] = data["grid"]
        self.place: list[int] = data["place"]
        self.taken = tuple(p for p in self.ports if p.direction != "out")
        self.written = tuple(p for p in self.ports if p.written)

    @property
    def returned(self) -> tuple[PortLayout, ...]:
        """What a launch gives back: written ports, then results."""
        return (*self.written, *self.results)

    @property
    def returned_type(self) -> type[tuple[Any, ...]]:
        """The named tuple of what a launch gives back; names that Python has no use for become
        `_0`, `_1`, ..."""
        if self._returned_type is None:
            names = [p.name for p in self.returned]
            self._returned_type = namedtuple(  # pyright: ignore[reportUntypedNamedTuple]
                "Returned", names, rename=True)
        return self._returned_type


# -- dimensions --------------------------------------------------------------------------------------

def evaluate(dim: DimData, symbols: Mapping[str, int]) -> int:
    """The exact value. DimensionError for a divisor below 1, KeyError for an unbound symbol."""
    return sum(coefficient * prod(symbols[a] if isinstance(a, str) else _evaluate_atom(a, symbols)
                                  for a in atoms)
               for coefficient, atoms in dim)


def _evaluate_atom(atom: Sequence[Any], symbols: Mapping[str, int]) -> int:
    kind, operands = atom
    values = [evaluate(o, symbols) for o in operands]
    if kind in ("min", "max"):
        return min(values) if kind == "min" else max(values)
    if values[1] < 1:
        raise DimensionError(f"a divisor is {values[1]}; divisors are at least 1")
    return values[0] // values[1] if kind == "floordiv" else values[0] % values[1]


def lone_symbol(dim: DimData) -> str | None:
    """The symbol if the dimension is one standing alone."""
    if len(dim) == 1 and dim[0][0] == 1 and len(dim[0][1]) == 1 and isinstance(dim[0][1][0], str):
        return dim[0][1][0]
    return None


def symbols_of(dim: DimData) -> set[str]:
    """Every symbol in a dimension."""
    found: set[str] = set()
    for _, atoms in dim:
        for atom in atoms:
            if isinstance(atom, str):
                found.add(atom)
            else:
                found.update(*(symbols_of(o) for o in atom[1]))
    return found


def python_source(dim: DimData, name: Callable[[str], str]) -> str:
    """A Python expression for a dimension without divisors that could be below 1 (ValueError for
    one with them); `name` gives the variable of a symbol."""
    terms = ["*".join([str(coefficient)] * (coefficient != 1 or not atoms)
                      + [name(a) if isinstance(a, str) else _atom_source(a, name) for a in atoms])
             for coefficient, atoms in dim]
    return f"({' + '.join(terms)})" if terms else "0"


def _atom_source(atom: Sequence[Any], name: Callable[[str], str]) -> str:
    kind, operands = atom
    texts = [python_source(o, name) for o in operands]
    if kind in ("min", "max"):
        return f"_{kind}({', '.join(texts)})"
    if symbols_of(operands[1]):
        raise ValueError("the divisor is a symbol")
    return f"({texts[0]} {'//' if kind == 'floordiv' else '%'} {texts[1]})"
