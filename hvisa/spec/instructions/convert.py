"""Changing the type of a value: `convert` keeps the number as well as it can, `bitcast` the bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from hvisa.spec import numerics, types as ty
from hvisa.spec.definitions import InstrDef, TypeRuleError, check_count, check_element, instruction
from hvisa.spec.numerics import Array
from hvisa.spec.types import ScalarType, Type

ANY = "bool int float"


def _lanes_rule(row: InstrDef, operands: tuple[Type, ...], argument: Type | None,
                immediates: tuple[Any, ...]) -> tuple[Type, ...]:
    """Source and written type have equal lanes; for `bitcast`, equal width as well."""
    check_count(row, len(operands))
    if argument is None:
        raise TypeRuleError("HV0205", f"`{row.mnemonic}` needs the type to make",
                            help=f"for example `{row.mnemonic} f32 %x`")
    check_element(row, argument, row.explicit_classes, -1)
    check_element(row, operands[0], row.classes, 0)
    source, target = ty.element_of(operands[0]), ty.element_of(argument)
    assert source is not None and target is not None
    if ty.lanes_of(operands[0]) != ty.lanes_of(argument):
        raise TypeRuleError("HV0207", f"`{row.mnemonic}` keeps the number of lanes", 0,
                            f"this is {operands[0]}, the type to make is {argument}")
    if row.mnemonic == "bitcast" and source.bits != target.bits:
        raise TypeRuleError("HV0208", "`bitcast` keeps the number of bits", 0,
                            f"this has {source.bits} bits, {target} has {target.bits}",
                            f"use `convert {target}` to change the number instead")
    return (argument,)


@instruction("convert", "a: T -> U", on=ANY, to=ANY, type_argument="needed", type_rule=_lanes_rule)
def convert(a: Array, *, source: ScalarType, target: ScalarType) -> Array:
    """The number a as another type.

    Integer to integer wraps. Float to integer truncates towards zero and saturates; NaN gives 0.
    Integer or float to float rounds once, to nearest even. To i1: a differs from 0 (true of NaN).
    From i1: 0 or 1. Example: `%f = convert f32 %i`
    """
    return numerics.convert(a, source, target)


@instruction("bitcast", "a: T -> U", on="int float", to="int float", type_argument="needed",
             type_rule=_lanes_rule)
def bitcast(a: Array, *, source: ScalarType, target: ScalarType) -> Array:
    """The same bits as another type of the same width.

    A NaN is seen as the positive canonical quiet NaN: 0x7fc00000 for f32 (semantics 13).
    """
    if source is ty.BF16:
        bits = np.where(np.isnan(a), np.uint16(0x7FC0), numerics.bf16_to_bits(a))
    elif source.is_float:
        bits = numerics.canonical_bits(a)
    else:
        bits = np.ascontiguousarray(a)
    if target is ty.BF16:
        return numerics.bf16_from_bits(bits.view(np.uint16))
    return bits.view(target.storage_dtype)
