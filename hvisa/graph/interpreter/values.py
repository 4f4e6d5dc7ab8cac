"""Values while a program runs: arrays of lanes, buffers as leaves see them, grids and streams.

A scalar or vector value is a numpy array whose first axis is lanes, of length 1 where all lanes
hold the same; a vector has its own lanes on the second axis. bf16 numbers are carried as float32
and stored as their bits. A buffer at graph level is an array of the storage dtype that nobody
writes to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hvisa.graph.model import Constant
from hvisa.spec import numerics, types as ty
from hvisa.spec.types import ScalarType, Type, VectorType

Array = NDArray[Any]


class LeafBuffer:
    """A buffer in a leaf: `array` in the storage dtype; `name` is as written, `%x` or `@x`.

    A private array has a leading axis of owners, and `rows` says which owner each lane reads; for a
    port `rows` is None. `watch` observes the accesses of a written port, or is None.
    """

    __slots__ = ("array", "element", "name", "rows", "watch")

    def __init__(self, name: str, element: ScalarType, array: Array, rows: Array | None = None,
                 watch: Any = None):
        self.name = name
        self.element = element
        self.array = array
        self.rows = rows
        self.watch = watch

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape if self.rows is None else self.array.shape[1:]

    def taken(self, take: Array) -> LeafBuffer:
        """The same buffer as seen by the lanes `take`."""
        if self.rows is None or len(self.rows) == 1:
            return self
        return LeafBuffer(self.name, self.element, self.array, self.rows[take], self.watch)


class GridValue:
    """One value for each instance of a grid, in row-major order: what a one-to-one edge carries."""

    __slots__ = ("array", "extents")

    def __init__(self, array: Array, extents: tuple[int, ...]):
        self.array = array
        self.extents = extents


class Stream:
    """Items in order. Producers append; each consumer counts how many it took."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any] | None = None):
        self.items: list[Any] = items if items is not None else []


def from_storage(array: Array, element: ScalarType) -> Array:
    """Numbers to compute on, of what a buffer holds."""
    return numerics.bf16_from_bits(array) if element is ty.BF16 else array


def to_storage(values: Array, element: ScalarType) -> Array:
    """What a buffer holds, of numbers that were computed on."""
    return numerics.bf16_to_bits(values) if element is ty.BF16 else values


def element_type(type_: Type) -> ScalarType:
    """The scalar type inside a scalar, vector, buffer or grid type."""
    if isinstance(type_, (ty.BufferType, ty.GridType)):
        type_ = type_.element
    element = ty.element_of(type_)
    assert element is not None, type_
    return element


def zero(type_: Type) -> Array:
    """The uniform zero of a scalar or vector type."""
    lanes = (type_.lanes,) if isinstance(type_, VectorType) else ()
    return np.zeros((1, *lanes), numerics.value_dtype(element_type(type_)))


def index_value(number: int) -> Array:
    """A uniform value of type index."""
    return np.array([number], np.int64)


def from_bits(bits: int, type_: ScalarType) -> Array:
    """The uniform value of a pattern."""
    raw = np.array([bits], np.dtype(f"uint{type_.size_bytes * 8}"))
    return from_storage(raw.view(type_.storage_dtype), type_)


def constant_value(constant: Constant) -> Array:
    return from_bits(constant.bits, constant.type)


def spread(value: Array, count: int) -> Array:
    """The value with one row for each of `count` lanes."""
    return value if len(value) == count else np.broadcast_to(value, (count, *value.shape[1:]))


def mix(condition: Array, first: Array, second: Array) -> Array:
    """Lanes of `first` where the condition holds, else of `second`; bits are kept."""
    if max(first.ndim, second.ndim) > condition.ndim:
        condition = condition[:, np.newaxis]
    return np.where(condition, first, second)
