"""What definitions refer to: module constants with contents, operands that are no values."""

from __future__ import annotations

import math

import numpy as np

from hvisa.assembler import layout
from hvisa.assembler.names import is_global_name
from hvisa.assembler.reader import Reader, Strings
from hvisa.assembler.shapes import TypeReader, read_dim
from hvisa.graph.model import Constant, Definition, GlobalConstant, GlobalRef, Operand, Port
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.types import BufferType, ScalarType


class Tables:
    """What the bodies of a module refer to. Entries of `pool` are None where `dims` has a
    dimension, which each definition sees with its own symbols."""

    def __init__(self, strings: Strings, types: TypeReader, version: tuple[int, int],
                 budget: int):
        self.strings = strings
        self.types = types
        self.version = version
        self.pool: list[Operand | None] = []
        self.pool_used = bytearray()
        self.dims: dict[int, tuple[Dim, frozenset[int]]] = {}
        self.definitions: list[Definition] = []
        self._budget = budget
        self._ports: dict[str, tuple[int, list[Port]]] = {}

    def charge(self, reader: Reader, size: int) -> None:
        """Count what shared entries come to when written out: it must stay linear in the file."""
        self._budget -= size
        if self._budget < 0:
            reader.fail("HV0843", "no more is written out for a file of this size")

    def ports(self, callee: Definition) -> tuple[int, list[Port]]:
        """How many ports of a callee take something, and those that give a version back."""
        found = self._ports.get(callee.name)
        if found is None:
            found = self._ports[callee.name] = len(callee.taken), callee.written
        return found


def read_global_name(reader: Reader, strings: Strings) -> str:
    """The name of something that others may refer to."""
    at = reader.at
    name = strings.get(reader)
    if not is_global_name(name):
        reader.fail("HV0831", f"{name!r} is no name", at)
    return name


def read_data(reader: Reader | None, tables: Tables) -> list[GlobalConstant]:
    """The constants of the module, in order; private ones have no name yet."""
    found: list[GlobalConstant] = []
    if reader is None:
        return found
    at = reader.at
    count = reader.count("constants", 2)
    if not count:
        reader.fail("HV0839", "a section without constants is left out", at)
    for _ in range(count):
        place = reader.span()
        public = bool(reader.below(2, "flags of a constant"))
        name = read_global_name(reader, tables.strings) if public else ""
        at = reader.at
        type_ = tables.types.entries[tables.types.lookup(reader)].type
        constant = GlobalConstant(name, type_, _contents(reader, type_, at), place)
        constant.public = public
        found.append(constant)
    reader.done("the constants")
    return found


def _contents(reader: Reader, type_: ty.Type, at: int) -> np.ndarray:
    """Numbers in row-major order, little-endian."""
    shape: list[int | None] = []
    element = type_
    if isinstance(type_, BufferType) and type_.capacity is None:
        element, shape = type_.element, [d.constant for d in type_.shape]
    sizes = [n for n in shape if n is not None and n >= 0]
    if not isinstance(element, ScalarType) or len(sizes) != len(shape):
        reader.fail("HV0832", f"a constant of type {type_}", at)
    raw = reader.take(math.prod(sizes) * element.size_bytes, "a constant")
    if element is ty.I1 and raw.strip(b"\0\1"):
        reader.fail("HV0838", "an i1 is 0 or 1", at)
    flat = np.frombuffer(raw, element.storage_dtype.newbyteorder("<"))
    return flat.astype(element.storage_dtype).reshape(sizes)


def read_pool(reader: Reader | None, tables: Tables, constants: list[GlobalConstant]) -> None:
    """Fill `pool` and `dims` of the tables."""
    if reader is None:
        return
    last = b""
    for number in range(reader.count("constants", 2)):
        at = reader.at
        _read_entry(reader, tables, constants, number)
        entry = reader.data[at:reader.at]
        if entry <= last:
            reader.fail("HV0828", f"constant {number}", at)
        last = entry
    tables.pool_used = bytearray(len(tables.pool))


def _read_entry(reader: Reader, tables: Tables, constants: list[GlobalConstant],
                number: int) -> None:
    at = reader.at
    code = reader.number()
    if code == layout.POOL_DIMENSION:
        dim, symbols = read_dim(reader)
        if dim.constant is not None or dim.symbol is not None:
            reader.fail("HV0839", f"`{dim}` is a constant or a value", at)
        tables.dims[number] = dim, symbols
        tables.pool.append(None)
        return
    if code == layout.POOL_DATA:
        found = constants[reader.below(len(constants), "module constant", "HV0830")]
        tables.pool.append(GlobalRef(found.name, found.type))
        return
    type_ = ty.BY_CODE.get(code)
    if type_ is None:
        reader.fail("HV0832", f"a constant of code {code}", at)
    bits = int.from_bytes(reader.take(type_.size_bytes, "a constant"), "little")
    if bits >> type_.bits:
        reader.fail("HV0838", f"{bits:#x} of type {type_}", at)
    tables.pool.append(Constant(type_, bits))


