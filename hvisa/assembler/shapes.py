"""Dimensions and types in bytecode. Symbols are value numbers, so definitions can share types.

A dimension is one number: twice-shifted, with 0 in the low bits a constant, with 1 a symbol, with 2
the count of terms that follow. A polynomial's terms are sorted by their bytes, not by names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

from hvisa.assembler.layout import MAX_WIDTH, RESERVED_INTEGERS
from hvisa.assembler.leb128 import signed, unsigned
from hvisa.assembler.reader import Reader
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import ATOM_KINDS, FUNCTIONS, MAX_DEGREE, MAX_DEPTH, MAX_TERMS, Atom, Dim
from hvisa.spec.limits import LIMITS
from hvisa.spec.types import (
    COMPOSITE_CODES,
    BufferType,
    GridType,
    ScalarType,
    StreamType,
    Type,
    VectorType,
)

# Constants from here on are written as a term, so that every head fits 64 bits.
SHORT_CONSTANT = 1 << 60
CONSTANT, SYMBOL, TERMS = 0, 1, 2

VECTOR, BUFFER = COMPOSITE_CODES["vec"], COMPOSITE_CODES["buf"]
GRID, STREAM = COMPOSITE_CODES["grid"], COMPOSITE_CODES["stream"]
CAPACITY = COMPOSITE_CODES["capacity"]


# -- writing -----------------------------------------------------------------------------------

def encode_dim(dim: Dim, numbers: Mapping[str, int]) -> bytes:
    """The bytes of a dimension. A symbol without a number is a KeyError."""
    constant = dim.constant
    if constant is not None and 0 <= constant < SHORT_CONSTANT:
        return unsigned(constant << 2 | CONSTANT)
    symbol = dim.symbol
    if symbol is not None:
        return unsigned(numbers[symbol] << 2 | SYMBOL)
    terms: list[tuple[bytes, bytes]] = []
    for monomial, coefficient in dim.terms:
        atoms = sorted(_encode_atom(a, numbers) for a in monomial)
        terms.append((unsigned(len(atoms)) + b"".join(atoms), signed(coefficient)))
    terms.sort()
    return unsigned(len(terms) << 2 | TERMS) + b"".join(c + m for m, c in terms)


def _encode_atom(atom: str | Atom, numbers: Mapping[str, int]) -> bytes:
    # Atoms nest MAX_DEPTH deep at most.
    if isinstance(atom, str):
        return unsigned(numbers[atom] << 1)
    operands = [encode_dim(o, numbers) for o in atom.operands]
    head = unsigned(ATOM_KINDS.index(atom.kind) << 1 | 1)
    if atom.kind in ("min", "max"):
        operands.sort()
        head += unsigned(len(operands))
    return head + b"".join(operands)


# A type's parts: bytes as they stand, and the keys of the types that it refers to.
TypeKey = tuple[Union[bytes, "TypeKey"], ...]


class TypeTable:
    """The types that a module writes. Keys stand for types; `settle` sorts and numbers them."""

    def __init__(self) -> None:
        self.depth: dict[TypeKey, int] = {}
        self.index: dict[TypeKey, int] = {}
        self._plain: dict[Type, TypeKey] = {}

    def key(self, type_: Type, numbers: Mapping[str, int]) -> TypeKey:
        """The key of a type, whose entry will exist. A symbol without a number is a KeyError."""
        found = self._plain.get(type_)
        if found is not None:
            return found
        key = self._parts(type_, numbers)
        self.depth[key] = max((1 + self.depth[p] for p in key if isinstance(p, tuple)), default=0)
        if isinstance(type_, (ScalarType, VectorType)):
            self._plain[type_] = key
        return key

    def _parts(self, type_: Type, numbers: Mapping[str, int]) -> TypeKey:
        if isinstance(type_, ScalarType):
            return (unsigned(type_.code),)
        if isinstance(type_, VectorType):
            return unsigned(VECTOR), self.key(type_.element, numbers), unsigned(type_.lanes)
        if isinstance(type_, StreamType):
            return unsigned(STREAM), self.key(type_.item, numbers)
        if isinstance(type_, GridType):
            return (unsigned(GRID), self.key(type_.element, numbers),
                    _encode_list(type_.extents, numbers))
        assert isinstance(type_, BufferType), type_
        bound = type_.capacity
        return (unsigned(BUFFER if bound is None else CAPACITY), self.key(type_.element, numbers),
                _encode_list(type_.shape, numbers) + (b"" if bound is None
                                                      else encode_dim(bound, numbers)))

    def settle(self) -> list[bytes]:
        """Number the types by depth, then bytes; the entries in order."""
        levels: dict[int, list[TypeKey]] = {}
        for key, depth in self.depth.items():
            levels.setdefault(depth, []).append(key)
        entries: list[bytes] = []
        for depth in sorted(levels):
            level = sorted((b"".join(p if isinstance(p, bytes) else unsigned(self.index[p])
                                     for p in key), key) for key in levels[depth])
            for entry, key in level:
                self.index[key] = len(entries)
                entries.append(entry)
        return entries


def _encode_list(parts: tuple[Dim, ...], numbers: Mapping[str, int]) -> bytes:
    return unsigned(len(parts)) + b"".join(encode_dim(d, numbers) for d in parts)


# -- reading -----------------------------------------------------------------------------------

class DecimalNumbers(dict[str, int]):
    """The numbers of symbols that are named by their number, as in what this module reads."""

    def __missing__(self, key: str) -> int:
        return int(key)


_DECIMAL = DecimalNumbers()


def read_dim(reader: Reader) -> tuple[Dim, frozenset[int]]:
    """A dimension whose symbols are named by their value numbers, and those numbers."""
    at = reader.at
    first = reader.number()
    rest, kind = first >> 2, first & 3
    if kind == CONSTANT and rest < SHORT_CONSTANT:
        return dims.constant(rest), frozenset()
    if kind == SYMBOL:
        return dims.symbol(str(rest)), frozenset((rest,))
    reader.at = at
    found = _read_terms(reader, 0)
    if encode_dim(found, _DECIMAL) != reader.data[at:reader.at]:
        reader.fail("HV0833", "the terms are not in order, or there is a shorter form", at)
    return found, frozenset(int(s) for s in found.symbols())


def _read_terms(reader: Reader, depth: int) -> Dim:
    """Any dimension, not yet known to be in normal form."""
    at = reader.at
    head = reader.number()
    rest, kind = head >> 2, head & 3
    try:
        if kind == CONSTANT:
            return dims.constant(rest)
        if kind == SYMBOL:
            return dims.symbol(str(rest))
        if kind != TERMS or rest > MAX_TERMS:
            reader.fail("HV0833", f"unknown head {head}", at)
        terms: dict[dims.Monomial, int] = {}
        for _ in range(rest):
            coefficient = reader.signed()
            monomial = _read_monomial(reader, depth).terms
            if len(monomial) != 1 or monomial[0][1] != 1 or monomial[0][0] in terms:
                reader.fail("HV0833", "two terms can be joined", at)
            terms[monomial[0][0]] = coefficient
        return Dim(terms)
    except dims.DimError as error:
        reader.fail("HV0833", str(error), at)


def _read_monomial(reader: Reader, depth: int) -> Dim:
    product = dims.constant(1)
    for _ in range(reader.below(MAX_DEGREE + 1, "degree", "HV0833")):
        at = reader.at
        head = reader.number()
        if not head & 1:
            product = product * dims.symbol(str(head >> 1))
            continue
        if head >> 1 >= len(ATOM_KINDS) or depth >= MAX_DEPTH:
            reader.fail("HV0833", f"unknown operation {head >> 1}, or nested too deep", at)
        kind = ATOM_KINDS[head >> 1]
        count = reader.count("operands") if kind in ("min", "max") else 2
        if count < 2:
            reader.fail("HV0833", f"`{kind}` of {count} operands", at)
        product = product * FUNCTIONS[kind](*(_read_terms(reader, depth + 1)
                                              for _ in range(count)))
    return product


class TypeEntry:
    """A type whose symbols are named by their numbers, which are `symbols`; `size` is that of its
    dimensions."""

    __slots__ = ("depth", "size", "symbols", "type")

    def __init__(self, type_: Type, depth: int, symbols: frozenset[int], size: int = 0):
        self.type = type_
        self.depth = depth
        self.symbols = symbols
        self.size = size


class TypeReader:
    """The type table as read. `used` has a flag for each entry."""

    def __init__(self, reader: Reader | None):
        self.entries: list[TypeEntry] = []
        self.used = bytearray()
        if reader is not None:
            self._read(reader)

    def _read(self, reader: Reader) -> None:
        last: tuple[int, bytes] = (-1, b"")
        for number in range(reader.count("types")):
            at = reader.at
            entry = self._entry(reader)
            order = (entry.depth, reader.data[at:reader.at])
            if order <= last:
                reader.fail("HV0828", f"type {number}", at)
            last = order
            self.entries.append(entry)
            self.used.append(0)

    def _entry(self, reader: Reader) -> TypeEntry:
        at = reader.at
        code = reader.number()
        scalar = ty.BY_CODE.get(code)
        if scalar is not None:
            return TypeEntry(scalar, 0, frozenset())
        if code in RESERVED_INTEGERS:
            self._reserved(reader, RESERVED_INTEGERS[code])
        if code not in COMPOSITE_CODES.values():
            reader.fail("HV0832", f"unknown code {code}", at)
        inner = self.entries[self.lookup(reader)]
        depth, type_, symbols = inner.depth + 1, inner.type, inner.symbols
        if code == STREAM:
            if isinstance(type_, StreamType):
                reader.fail("HV0832", "a stream does not hold streams", at)
            return TypeEntry(ty.stream(type_), depth, symbols, inner.size)
        if not isinstance(type_, (ScalarType, VectorType)) or (
                code != GRID and isinstance(type_, VectorType)):
            reader.fail("HV0832", f"code {code} over {type_}", at)
        if code == VECTOR:
            lanes = reader.number()
            if not 2 <= lanes <= ty.MAX_LANES:
                reader.fail("HV0832", f"a vector has 2 to {ty.MAX_LANES} lanes, not {lanes}", at)
            assert isinstance(type_, ScalarType)
            return TypeEntry(ty.vector(type_, lanes), depth, frozenset())
        return self._shaped(reader, code, type_, depth, at)

    def _shaped(self, reader: Reader, code: int, element: ScalarType | VectorType, depth: int,
                at: int) -> TypeEntry:
        rank = reader.count("dimensions")
        reader.limit(LIMITS["rank"], rank)
        read = [read_dim(reader) for _ in range(rank)]
        bound: Dim | None = None
        if code == CAPACITY:
            if not read or read[0][0].symbol is None:
                reader.fail("HV0832", "an extent with a capacity is a symbol", at)
            read.append(read_dim(reader))
            bound = read[-1][0]
        symbols = frozenset[int]().union(*(s for _, s in read))
        shape = tuple(d for d, _ in read[:rank])
        size = sum(d.size for d, _ in read)
        if code == GRID:
            return TypeEntry(ty.grid(element, shape), depth, symbols, size)
        assert isinstance(element, ScalarType)
        return TypeEntry(ty.buffer(element, shape, bound), depth, symbols, size)

    @staticmethod
    def _reserved(reader: Reader, letter: str) -> None:
        at = reader.at
        width = reader.number()
        name = f"{letter}{width}"
        if not 1 <= width <= MAX_WIDTH:
            reader.fail("HV0832", f"an integer has 1 to {MAX_WIDTH} bits, not {width}", at)
        if width == 1 or name in ty.BY_NAME:
            reader.fail("HV0832", f"an integer of {width} bits has a code of its own", at)
        reader.fail("HV0832", f"`{name}` is reserved for a later version", at)

    def lookup(self, reader: Reader) -> int:
        """The number of an entry, which stands next; it counts as used."""
        number = reader.below(len(self.entries), "type", "HV0830")
        self.used[number] = 1
        return number
