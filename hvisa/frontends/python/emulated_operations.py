"""The operations of leaves under plain Python: what `hvisa.fma(a, b, c)` gives there.

Those that are instructions have the meaning of their rows. What needs the other instances of a grid has
none, and neither has what acts on whole buffers of a graph.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hvisa.diagnostics import fail
from hvisa.frontends.python.annotations import VectorKind, dimension, scalar_of
from hvisa.frontends.python.emulated_values import (
    Buffer,
    Converter,
    Fault,
    bfloat16,
    computed,
    converted,
    place_of,
    shown,
    type_of,
)
from hvisa.frontends.python.names import REDUCING, Operation
from hvisa.frontends.python.promotion import meet
from hvisa.spec import numerics, types as ty
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.emulation import Instance

# Rows that compute bf16 in f32 and leave the one rounding to their user.
_ROUNDED = frozenset({"add", "sub", "mul", "div", "sqrt"})


def run(operation: Operation, arguments: tuple[Any, ...], named: Mapping[str, Any],
        instance: Instance | None) -> Any:
    """What a call of an operation gives."""
    name = operation.name
    if name in REDUCING and arguments and isinstance(arguments[0], types.GeneratorType):
        return _reduce(REDUCING[name], list(arguments[0]), *arguments[1:])
    if name in ("min", "max") and len(arguments) > 1:
        return functools.reduce(lambda a, b: _row(name, (a, b)), arguments)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(*arguments, **named)
    if name in _HERE:
        if instance is None:
            raise fail("HV1203", f"`{name}` has a meaning only while a leaf runs",
                       help="call the leaf, or its `.emulate(...)`")
        return _HERE[name](instance, *arguments, **named)
    if operation.row is not None and operation.row.semantics is not None:
        return _row(name, arguments)
    raise fail("HV1203", f"`{name}` has no meaning under plain Python", help="it needs the other "
               "instances of the grid: call the leaf, on `device=\"reference\"` for its log"
               if name in ROWS or name == "barrier" or name[:6] == "group_" else
               "it acts on whole buffers, in a graph")


# -- rows --------------------------------------------------------------------------------------------

def _common(values: tuple[Any, ...]) -> tuple[ScalarType, bool]:
    """The type in which numbers meet."""
    def two(a: tuple[ScalarType, bool], b: tuple[ScalarType, bool]) -> tuple[ScalarType, bool]:
        return a if a == b else meet(*a, *b)
    return functools.reduce(two, map(type_of, values))


def _row(name: str, arguments: tuple[Any, ...]) -> Any:
    """A row on arrays of one instance."""
    row = ROWS[name]
    semantics = row.semantics
    assert semantics is not None
    patterns = row.signature.operands
    if len(arguments) != len(patterns):
        raise fail("HV1211", f"`{name}` takes {len(patterns)} arguments, {len(arguments)} given")
    own = [p.pattern.word in ("T", "vector") for p in patterns]
    element, weak = _common(tuple(v for v, o in zip(arguments, own, strict=True) if o))
    if element not in row.classes and ty.F64 in row.classes and not any(
            c.is_integer for c in row.classes):
        element = ty.F64  # as numpy: the root of an integer is a float64
    operands = [computed(v, element if o else p.pattern.concrete or ty.I1)
                for v, o, p in zip(arguments, own, patterns, strict=True)]
    lanes = max((o.shape[1] for o in operands if o.ndim == 2), default=0)
    if lanes and name != "select":
        operands = [o if o.ndim == 2 else np.repeat(o[:, np.newaxis], lanes, 1) for o in operands]
    for code, test in row.traps.items():
        if test is not None and test(*operands).any():
            raise Fault(code, "division by zero")
    found = semantics(*operands, **({"element": element} if row.typed else {}))
    if row.signature.results[0].word == "mask":
        return shown(found, ty.I1)
    if element is ty.BF16 and name in _ROUNDED:
        found = numerics.round_bf16(found)
    return shown(found, element, weak and not lanes)


def _reduce(word: str, elements: list[Any], *init: Any) -> Any:
    """A generator's elements joined in the order of semantics 11."""
    if word in ("any", "all"):
        found = any(elements) if word == "any" else all(elements)
        return (any if word == "any" else all)([found, *init])
    if not elements:
        if init or word in ("add", "mul"):
            return init[0] if init else int(word == "mul")
        raise fail("HV1203", "what an empty generator gives depends on its type, which plain Python does "
                   "not know", help="give a first value: `max((x[k] for k in range(n)), f32(0))`")
    element, weak = _common(tuple(elements))
    if element is ty.I1:
        element = ty.INDEX
    wide = ty.F32 if element in (ty.F16, ty.BF16) else element
    # Of the element's type first: a Python number may be among them.
    array = np.concatenate([computed(converted(v, element), wide) for v in elements])[np.newaxis]
    if word.startswith("arg"):
        position = int(numerics.fold_arg(word, array)[0])
        return shown(numerics.convert(array[:, position], wide, element), element, weak), position
    found = numerics.fold(word, array, wide)
    if init:
        found = numerics.combine(word, computed(converted(init[0], element), wide), found, wide)
    return shown(numerics.convert(found, wide, element) if wide is not element else found, element, weak)


# -- operations without a row of their own -----------------------------------------------------------

def _element(type_: Any) -> ScalarType:
    found = type_.type if isinstance(type_, Converter) else scalar_of(type_)
    if found is None:
        raise fail("HV1211", f"a type is expected here, and this is {type_!r}")
    return found


def _bitcast(type_: Any, value: Any) -> Any:
    target, source = _element(type_), type_of(value)[0]
    if source.bits != target.bits:
        raise fail("HV0208", f"`bitcast` keeps the number of bits: {source} has {source.bits}, {target} "
                   f"{target.bits}")
    semantics = ROWS["bitcast"].semantics
    assert semantics is not None
    return shown(semantics(computed(value, source), source=source, target=target), target)


def _fold_lanes(word: str, vector: Any) -> Any:
    element, _ = type_of(vector)
    semantics = ROWS["fold_lanes"].semantics
    assert semantics is not None
    found = semantics(computed(vector, element), REDUCTIONS.index(word), element=element)
    if isinstance(found, tuple):
        return shown(found[0], element), int(found[1][0])
    return shown(found, element)


def _print(*values: Any) -> None:
    first = values[0] if values else ""
    if isinstance(first, str) and "{}" in first:
        count = first.count("{}")
        values = (first.format(*values[1:1 + count]), *values[1 + count:])
    print(*values)


def _update(word: str, element: Any, value: Any) -> None:
    place_of(element, "update").join(word, value)


def _atomic(word: str, element: Any, value: Any) -> Any:
    return place_of(element, "atomic").join(word, value)


def _compare_exchange(element: Any, expected: Any, value: Any) -> Any:
    place = place_of(element, "compare_exchange")
    old = place.buffer.array[place.place]
    wanted = converted(expected, place.buffer.element)
    if old.tobytes() == wanted.tobytes():
        place.buffer.store(place.place, value)
    return old.view(bfloat16()) if place.buffer.element is ty.BF16 else old


_SPECIAL: dict[str, Callable[..., Any]] = {
    "bitcast": _bitcast, "fold_lanes": _fold_lanes, "print": _print, "update": _update,
    "atomic": _atomic, "compare_exchange": _compare_exchange, "static_range": range,
    "splat": lambda value, lanes: np.full(lanes, value),
    "permute": lambda vector, *lanes: vector[list(lanes)]}


def _grid(instance: Instance, *extents: Any) -> Any:
    return instance.ids[0] if len(instance.ids) == 1 else instance.ids


def _local(instance: Instance, type_: Any, *extents: Any) -> Buffer:
    element = _element(type_)
    shape = tuple(dimension(e).evaluate(instance.symbols) for e in extents)
    return Buffer("local", np.zeros(shape, element.storage_dtype), element)


def _set_extent(instance: Instance, buffer: Buffer, count: Any) -> None:
    if buffer.counts is None or not 0 <= count <= len(buffer):
        raise Fault("HV0905", f"the extent {count} of `{buffer.name}` is not in 0 to {len(buffer)}")
    buffer.counts[buffer.name] = int(count)


_HERE: dict[str, Callable[..., Any]] = {"grid": _grid, "local": _local, "set_extent": _set_extent}


class VectorMaker:
    """A vector type in a body: `vec[f32, 4](x)`, `vec[f32, 4](a, b, c, d)`."""

    def __init__(self, type_: VectorType):
        self.type = type_

    def __call__(self, *lanes: Any) -> Any:
        element = self.type.element
        if len(lanes) == 1 and isinstance(lanes[0], np.ndarray):
            return converted(lanes[0], element)
        values = [converted(v, element) for v in lanes * (self.type.lanes if len(lanes) == 1 else 1)]
        return np.array(values)


class VectorMakers:
    """`hvisa.vec` in a body."""

    def __getitem__(self, items: Any) -> VectorMaker:
        element, lanes = items
        return VectorMaker(VectorKind()[_element(element), lanes])

    def __call__(self, *lanes: Any) -> Any:
        element, _ = _common(lanes)
        return np.array([converted(v, element) for v in lanes])
