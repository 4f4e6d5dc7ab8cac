"""Fixed vectors: making them, taking them apart, and folding their lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from hvisa.spec import numerics, types as ty
from hvisa.spec.definitions import (
    Immediate,
    ImmediateKind,
    InstrDef,
    TypeRuleError,
    check_count,
    choice,
    instruction,
)
from hvisa.spec.numerics import Array
from hvisa.spec.operations import REDUCTIONS, reduction_takes
from hvisa.spec.types import MAX_LANES, ScalarType, Type, VectorType

ANY = "bool int float"
LANE = Immediate("lane", ImmediateKind.INT)


def _pack_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
               immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    if not 2 <= len(operands) <= MAX_LANES:
        raise TypeRuleError("HV0201", f"`pack` takes 2 to {MAX_LANES} operands, "
                            f"{len(operands)} given")
    first = operands[0]
    for position, found in enumerate(operands):
        if type(found) is not ScalarType:
            raise TypeRuleError("HV0202", f"`pack` does not take {found}", position,
                                f"this is {found}", "`pack` takes scalars")
        if found is not first:
            raise TypeRuleError("HV0203", "operand types of `pack` differ", position,
                                f"this is {found}, the first lane is {first}")
    assert isinstance(first, ScalarType)
    return (ty.vector(first, len(operands)),)


@instruction("pack", "a: T, rest*: T -> vector", on=ANY, type_rule=_pack_rule)
def pack(*lanes: Array) -> Array:
    """A vector of the operands, the first in lane 0. Example: `%v = pack %r, %g, %b`"""
    return np.stack(np.broadcast_arrays(*lanes), axis=-1)


def _splat_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    check_count(row, len(operands))
    if type(argument) is not VectorType:
        raise TypeRuleError("HV0205", "`splat` needs the vector type to make",
                            help="for example `splat vec<f32, 4> %x`")
    if operands[0] is not argument.element:
        raise TypeRuleError("HV0203", "operand types of `splat` differ", 0,
                            f"this is {operands[0]}, the lanes are {argument.element}")
    return (argument,)


@instruction("splat", "a: T -> U", on=ANY, to=ANY, type_argument="needed", type_rule=_splat_rule)
def splat(a: Array, *, source: ScalarType, target: VectorType) -> Array:
    """A vector with a in every lane. Example: `%v = splat vec<f32, 4> %x`"""
    return np.repeat(a[..., np.newaxis], target.lanes, axis=-1)


def _lane_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
               immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    results = row._check(operands, argument)
    vector = operands[0]
    assert isinstance(vector, VectorType)
    if immediates[0] >= vector.lanes:
        raise TypeRuleError("HV0209", f"lane {immediates[0]} of {vector} does not exist", 0,
                            help=f"lanes are 0 to {vector.lanes - 1}")
    return results


@instruction("extract", "a: vector -> element", on=ANY, immediates=(LANE,), type_rule=_lane_rule)
def extract(a: Array, lane: int) -> Array:
    """One lane of a vector. Example: `%g = extract %rgb, 1`"""
    return a[..., lane]


@instruction("insert", "a: vector, value: element -> T", on=ANY, immediates=(LANE,),
             type_rule=_lane_rule)
def insert(a: Array, value: Array, lane: int) -> Array:
    """The vector with one lane replaced. Example: `%w = insert %v, %x, 3`"""
    out = np.broadcast_to(a, np.broadcast_shapes(a.shape[:-1], value.shape) + a.shape[-1:]).copy()
    out[..., lane] = value
    return out


def _permute_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                  immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    check_count(row, len(operands))
    vector = operands[0]
    if type(vector) is not VectorType:
        raise TypeRuleError("HV0206", "`permute` needs a vector", 0, f"this is {vector}")
    lanes = immediates[0]
    if not 2 <= len(lanes) <= MAX_LANES:
        raise TypeRuleError("HV0201", f"`permute` takes 2 to {MAX_LANES} lane numbers, "
                            f"{len(lanes)} given", help="for example `permute %v, [3, 2, 1, 0]`")
    for lane in lanes:
        if lane >= vector.lanes:
            raise TypeRuleError("HV0209", f"lane {lane} of {vector} does not exist", 0,
                                help=f"lanes are 0 to {vector.lanes - 1}")
    return (ty.vector(vector.element, len(lanes)),)


@instruction("permute", "a: vector -> vector", on=ANY, type_rule=_permute_rule,
             immediates=(Immediate("lanes", ImmediateKind.INTS),))
def permute(a: Array, lanes: tuple[int, ...]) -> Array:
    """The named lanes, in the order named. Example: `%r = permute %v, [3, 2, 1, 0]`"""
    return a[..., list(lanes)]


def _fold_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
               immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    check_count(row, len(operands))
    vector, op = operands[0], REDUCTIONS[immediates[0]]
    if type(vector) is not VectorType:
        raise TypeRuleError("HV0206", "`fold_lanes` needs a vector", 0, f"this is {vector}")
    check_reduction(row, op, vector.element, 0)
    return (vector.element, ty.INDEX) if op.startswith("arg") else (vector.element,)


def check_reduction(row: InstrDef, op: str, element: ScalarType, operand: int) -> None:
    """Raise unless the reduction operator is defined on the element type."""
    if not reduction_takes(op, element):
        raise TypeRuleError("HV0210", f"`{row.mnemonic}.{op}` is not defined on {element}", operand,
                            f"this is {element}")


@instruction("fold_lanes", "a: vector -> element", on=ANY, fast=True, type_rule=_fold_rule,
             immediates=(choice("operator", *REDUCTIONS),), typed=True)
def fold_lanes(a: Array, operator: int, *, element: ScalarType) -> Array | tuple[Array, Array]:
    """The lanes joined by an operator, in the order of `reduce`; argmin and argmax give value and lane.

    Example: `%s = fold_lanes.add %v`
    """
    op = REDUCTIONS[operator]
    if op.startswith("arg"):
        position = numerics.fold_arg(op, a)
        return np.take_along_axis(a, position[:, np.newaxis], 1)[:, 0], position
    return numerics.fold(op, a, element)
