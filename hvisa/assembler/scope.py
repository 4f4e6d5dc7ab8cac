"""Values, names and dimension symbols of one definition while it is decoded.

Types of values in a body are not known here (inference finds them), so whether a value that a
dimension names has type `index` is noted in `pending` and checked afterwards.
"""

from __future__ import annotations

from hvisa.assembler.names import DefinitionNames, default_value_name
from hvisa.assembler.reader import Reader
from hvisa.assembler.shapes import read_dim
from hvisa.assembler.tables_decoder import Tables
from hvisa.graph.model import Definition, Operand, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.types import Type

_ERROR = ty.ERROR


class Pending:
    """What can be checked when types are known: each with its place."""

    def __init__(self) -> None:
        self.symbols: list[tuple[Value, int]] = []
        self.extents: list[tuple[Value, str, int]] = []
        self.typed: list[tuple[Value, Operand, int]] = []


class Scope:
    """What is in scope. `values` has every value by number, None for what is out of scope; `taken`
    every name in scope; `extents` the symbols of leading extents, by the number of the value that
    they belong to. The first `symbols` values are the header's symbols.
    """

    def __init__(self, tables: Tables, definition: Definition, names: DefinitionNames,
                 reader: Reader, symbols: int):
        self.tables = tables
        self.definition = definition
        self.names = names
        self.reader = reader
        self.symbols = symbols
        self.values: list[Value | None] = []
        self.taken: set[str] = set()
        self.extents: dict[int, str] = {}
        self.pending = Pending()
        self.in_header = True
        self._types: dict[int, Type] = {}  # those of the header, by entry

    def define(self, type_: Type = _ERROR) -> Value:
        """The next value."""
        count = len(self.values)
        name = self.names.values.get(count) or default_value_name(count, self.symbols)
        value = Value(name, type_)
        self.enter_name(name)
        self.values.append(value)
        return value

    def enter_name(self, name: str) -> None:
        if name in self.taken:
            self.reader.fail("HV0840", f"`%{name}` in `@{self.definition.name}`")
        self.taken.add(name)

    def own_extent(self, number: int, name: str) -> None:
        """Let a dimension refer to the leading extent of a value."""
        self.enter_name(name)
        self.extents[number] = name

    def forget_extents(self, numbers: list[int]) -> None:
        for number in numbers:
            self.taken.discard(self.extents.pop(number))

    def forget(self, first: int, last: int) -> None:
        """End the scope of a range of values, all of which are in scope."""
        values, drop = self.values, self.taken.discard
        for number in range(first, last):
            value = values[number]
            if value is not None:
                drop(value.name or "")
                values[number] = None

    def symbol(self, number: int, at: int) -> str:
        """The name of the dimension symbol with this number."""
        value = self.values[number] if number < len(self.values) else None
        if value is None:
            self.reader.fail("HV0842", f"value {number} is not in scope", at)
        extent = self.extents.get(number)
        if extent is not None:
            return extent
        if value.type is _ERROR and not self.in_header:
            self.pending.symbols.append((value, at))
        elif value.type is not ty.INDEX:
            self.reader.fail("HV0842", f"value {number} of `@{self.definition.name}`", at)
        assert value.name is not None
        return value.name

    def _replacement(self, symbols: frozenset[int], at: int) -> dict[str, Dim]:
        named = {str(n): self.symbol(n, at) for n in sorted(symbols)}
        return {n: dims.symbol(name) for n, name in named.items() if n != name}

    def rename(self, dim: Dim, symbols: frozenset[int], at: int) -> Dim:
        """A dimension whose symbols are named by their numbers, in the names of the definition."""
        replace = self._replacement(symbols, at)
        try:
            return dim.substitute(replace) if replace else dim
        except DimError as error:
            self.reader.fail("HV0833", str(error), at)

    def dim(self) -> Dim:
        at = self.reader.at
        return self.rename(*read_dim(self.reader), at)

    def type(self, number: int, at: int) -> Type:
        """The type of an entry, in the names of the definition."""
        entry = self.tables.types.entries[number]
        if not entry.symbols:
            return entry.type
        known = self._types.get(number)
        if known is not None:
            return known
        self.tables.charge(self.reader, entry.size)
        replace = self._replacement(entry.symbols, at)
        try:
            found = ty.substitute(entry.type, replace) if replace else entry.type
        except DimError as error:
            self.reader.fail("HV0833", str(error), at)
        if self.in_header:
            self._types[number] = found
        return found
