"""Updates of single elements, one lane after the other; at once where the result is the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hvisa.graph.interpreter import values
from hvisa.graph.interpreter.values import Array
from hvisa.spec import numerics, types as ty
from hvisa.spec.types import ScalarType

# numpy's unbuffered form joins one lane after the other, in the element type.
_AT_ONCE: dict[str, np.ufunc] = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor}


class Joiner(NamedTuple):
    operator: str
    element: ScalarType


def joiner(operator: str, element: ScalarType) -> Joiner:
    return Joiner(operator, element)


def join(how: Joiner, array: Array, positions: tuple[Array, ...], inputs: Array,
         wants_old: bool) -> Array | None:
    """Join the inputs into the elements at the positions, in lane order; the old values if
    wanted."""
    operator, element = how
    array, positions = _at_least_one_axis(array, positions, len(inputs))
    sums = operator == "add" and element in (ty.F32, ty.F64)
    if not wants_old and (element.is_integer or sums):
        _AT_ONCE[operator].at(array, positions, inputs)
        return None
    old = np.zeros(len(inputs), inputs.dtype)
    for number, place in enumerate(_places(positions)):
        before = values.from_storage(array[place].reshape(1), element)
        new = inputs[number:number + 1]
        old[number] = before[0]
        if operator != "exchange":
            new = numerics.combine(operator, before, new, element)
        array[place] = values.to_storage(new, element)[0]
    return old if wants_old else None


def compare_exchange(array: Array, positions: tuple[Array, ...], expected: Array, inputs: Array,
                     element: ScalarType) -> Array:
    """Write each input where the bits are those expected, in lane order; the old values. All NaNs
    are one value (semantics 13)."""
    array, positions = _at_least_one_axis(array, positions, len(inputs))
    old = np.zeros(len(inputs), inputs.dtype)
    for number, place in enumerate(_places(positions)):
        before = values.from_storage(array[place].reshape(1), element)
        old[number] = before[0]
        if _bits(before, element) == _bits(expected[number:number + 1], element):
            array[place] = values.to_storage(inputs[number:number + 1], element)[0]
    return old


def _bits(value: Array, element: ScalarType) -> int:
    return int((numerics.canonical_bits(value) if element.is_float else value)[0])


def _at_least_one_axis(array: Array, positions: tuple[Array, ...], count: int,
                       ) -> tuple[Array, tuple[Array, ...]]:
    """The one element of a buffer of rank 0, as a buffer of rank 1."""
    return (array, positions) if positions else (array.reshape(1), (np.zeros(count, np.int64),))


def _places(positions: tuple[Array, ...]) -> list[tuple[int, ...]]:
    return list(zip(*(p.tolist() for p in positions), strict=True))
