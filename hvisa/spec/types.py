"""Types: scalars, fixed vectors, buffers (typed, shaped views), per-instance values and streams.

All types are interned: two equal types are one object, so `is` compares them and dictionaries keyed by
types are fast. Buffer types refer to dimensions by symbol name; names are local to one definition.
The semantics page's rules 13, 14, 17 and 28 apply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from hvisa.spec.dimensions import Dim

if TYPE_CHECKING:
    import numpy as np

MAX_LANES = 64


class Type:
    """Base of all types. `text` is the canonical form."""

    __slots__ = ("__weakref__", "text")
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.text}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("types are interned; encode the module instead of pickling it")


class ScalarType(Type):
    """A number. `kind` is bool, signed, unsigned or float; `index` is signed with 64 bits.

    `code` is the number used in bytecode; it is frozen. `dtype_name` is numpy's name ("" for bf16,
    whose stored form is its bits as uint16, or ml_dtypes' bfloat16 where present). `size_bytes` is the
    size of one element in a buffer.
    """

    __slots__ = ("bits", "code", "doc", "dtype_name", "kind", "name", "size_bytes")

    def __init__(self, name: str, code: int, kind: str, bits: int, dtype_name: str, doc: str):
        self.name = self.text = name
        self.code = code
        self.kind = kind
        self.bits = bits
        self.size_bytes = max(1, bits // 8)
        self.dtype_name = dtype_name
        self.doc = doc

    def __call__(self, value: object) -> np.generic:
        """A number of this type as numpy has it; bf16 needs ml_dtypes."""
        if self.dtype_name:
            return self.storage_dtype.type(value)
        import ml_dtypes
        return ml_dtypes.bfloat16(value)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("signed", "unsigned")

    @property
    def storage_dtype(self) -> np.dtype:
        """numpy dtype of an element in a buffer, little-endian."""
        import numpy
        return numpy.dtype(self.dtype_name or "uint16")

    @property
    def minimum(self) -> int:
        """Least value of an integer type."""
        return -(1 << (self.bits - 1)) if self.kind == "signed" else 0

    @property
    def maximum(self) -> int:
        """Greatest value of an integer type or i1."""
        return (1 << (self.bits - (self.kind == "signed"))) - 1


class VectorType(Type):
    """`vec<T, n>`: n lanes of one scalar type; instructions act on each lane by itself."""

    __slots__ = ("element", "lanes")

    def __init__(self, element: ScalarType, lanes: int):
        self.element = element
        self.lanes = lanes
        self.text = f"vec<{element}, {lanes}>"


class BufferType(Type):
    """`buf<T>[dims]`: a view of a multi-dimensional array, row-major unless its port is strided.

    `capacity`, if given, bounds a leading extent that is known only after the producer ran:
    `buf<i32>[?f <= %n]` has shape (f,) and capacity n.
    """

    __slots__ = ("capacity", "element", "shape")

    def __init__(self, element: ScalarType, shape: tuple[Dim, ...], capacity: Dim | None):
        self.element = element
        self.shape = shape
        self.capacity = capacity
        dims = [str(d) for d in shape]
        if capacity is not None:
            dims[0] = f"?{shape[0].symbol} <= {capacity}"
        self.text = f"buf<{element}>[{', '.join(dims)}]"

    @property
    def rank(self) -> int:
        return len(self.shape)


class GridType(Type):
    """`grid<T>[extents]`: one value of T for each instance of a grid; what a one-to-one edge carries."""

    __slots__ = ("element", "extents")

    def __init__(self, element: ScalarType | VectorType, extents: tuple[Dim, ...]):
        self.element = element
        self.extents = extents
        self.text = f"grid<{element}>[{', '.join(map(str, extents))}]"


class StreamType(Type):
    """`stream<T>`: items of T in order, through a bounded FIFO (semantics 8)."""

    __slots__ = ("item",)

    def __init__(self, item: Type):
        self.item = item
        self.text = f"stream<{item}>"


class ErrorType(Type):
    """Stands where a type could not be found, so that one mistake gives one message."""

    __slots__ = ()

    def __init__(self) -> None:
        self.text = "<error>"


# Code numbers are those of the bytecode: append only.
SCALARS: tuple[ScalarType, ...] = (
    ScalarType("i1", 0, "bool", 1, "bool", "Truth value; one byte in a buffer, 0 or 1."),
    ScalarType("i8", 1, "signed", 8, "int8", "Signed integer, two's complement, wraps."),
    ScalarType("i16", 2, "signed", 16, "int16", "Signed integer, two's complement, wraps."),
    ScalarType("i32", 3, "signed", 32, "int32", "Signed integer, two's complement, wraps."),
    ScalarType("i64", 4, "signed", 64, "int64", "Signed integer, two's complement, wraps."),
    ScalarType("u8", 5, "unsigned", 8, "uint8", "Unsigned integer, wraps."),
    ScalarType("u16", 6, "unsigned", 16, "uint16", "Unsigned integer, wraps."),
    ScalarType("u32", 7, "unsigned", 32, "uint32", "Unsigned integer, wraps."),
    ScalarType("u64", 8, "unsigned", 64, "uint64", "Unsigned integer, wraps."),
    ScalarType("f16", 9, "float", 16, "float16", "IEEE 754 binary16; every operation rounds once."),
    ScalarType("bf16", 10, "float", 16, "", "bfloat16: the upper half of binary32."),
    ScalarType("f32", 11, "float", 32, "float32", "IEEE 754 binary32."),
    ScalarType("f64", 12, "float", 64, "float64", "IEEE 754 binary64."),
    ScalarType("index", 13, "signed", 64, "int64", "Signed 64-bit; ids, extents and buffer indices."),
)
BY_NAME: dict[str, ScalarType] = {t.name: t for t in SCALARS}
BY_CODE: dict[int, ScalarType] = {t.code: t for t in SCALARS}
I1, I8, I16, I32, I64 = SCALARS[:5]
U8, U16, U32, U64 = SCALARS[5:9]
F16, BF16, F32, F64, INDEX = SCALARS[9:]
ERROR = ErrorType()

# Composite types in bytecode; scalars take 0 to 31.
COMPOSITE_CODES: dict[str, int] = {"vec": 32, "buf": 33, "grid": 34, "stream": 35, "capacity": 36}

_vectors: dict[tuple[ScalarType, int], VectorType] = {}
_weak: WeakValueDictionary[tuple[object, ...], Type] = WeakValueDictionary()


def vector(element: ScalarType, lanes: int) -> VectorType:
    key = (element, lanes)
    found = _vectors.get(key)
    if found is None:
        found = _vectors[key] = VectorType(element, lanes)
    return found


def buffer(element: ScalarType, shape: tuple[Dim, ...], capacity: Dim | None = None) -> BufferType:
    key = ("buf", element, shape, capacity)
    found = _weak.get(key)
    if found is None:
        found = _weak[key] = BufferType(element, shape, capacity)
    return found  # type: ignore[return-value]


def grid(element: ScalarType | VectorType, extents: tuple[Dim, ...]) -> GridType:
    key = ("grid", element, extents)
    found = _weak.get(key)
    if found is None:
        found = _weak[key] = GridType(element, extents)
    return found  # type: ignore[return-value]


def stream(item: Type) -> StreamType:
    key = ("stream", item)
    found = _weak.get(key)
    if found is None:
        found = _weak[key] = StreamType(item)
    return found  # type: ignore[return-value]


def element_of(type_: Type) -> ScalarType | None:
    """The scalar that a scalar or vector is made of; None for other types."""
    if type(type_) is ScalarType:
        return type_
    return type_.element if type(type_) is VectorType else None


def lanes_of(type_: Type) -> int:
    """Lanes of a vector, 0 for anything else."""
    return type_.lanes if type(type_) is VectorType else 0


def like(element: ScalarType, shape_of: Type) -> ScalarType | VectorType:
    """`element`, in as many lanes as `shape_of` has."""
    return vector(element, shape_of.lanes) if type(shape_of) is VectorType else element


def map_dims(type_: Type, change: Callable[[Dim], Dim]) -> Type:
    """The type with each of its dimensions changed."""
    if type(type_) is BufferType:
        capacity = change(type_.capacity) if type_.capacity is not None else None
        return buffer(type_.element, tuple(change(d) for d in type_.shape), capacity)
    if type(type_) is GridType:
        return grid(type_.element, tuple(change(d) for d in type_.extents))
    if type(type_) is StreamType:
        return stream(map_dims(type_.item, change))
    return type_


def substitute(type_: Type, replace: dict[str, Dim]) -> Type:
    """The type with its dimension symbols replaced."""
    return map_dims(type_, lambda d: d.substitute(replace)) if replace else type_


def dims_of(type_: Type) -> tuple[Dim, ...]:
    """The dimensions of a type: shape, then capacity; extents of a grid; those of a stream's item."""
    if type(type_) is StreamType:
        type_ = type_.item
    if type(type_) is GridType:
        return type_.extents
    if type(type_) is not BufferType:
        return ()
    return type_.shape if type_.capacity is None else (*type_.shape, type_.capacity)
