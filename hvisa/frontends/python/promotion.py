"""The type of an operation on two numbers: numpy's rules (NEP 50).

A *Python number* (a literal, a loop counter, an instance id, an extent, what is passed or returned as
`index`, the position that `argmin` gives, and what is computed from such numbers alone) takes the type of
what it meets, as long as the kind allows it: an integer meets any type, a float meets floats and makes f64
of an integer. Alone, integers are computed as `index` (64 bits, wrapping) and floats as f64. Two typed
numbers meet as numpy promotes their dtypes; `index` counts as int64, and bf16 as ml_dtypes has it.
`int(x)` and `float(x)` make i64 and f64; floats are passed to functions as f64.

A comparison of Python numbers is a Python truth value, and so is what `not`, `any` and `all` give: an
integer where it is computed with. Comparisons of integers are exact whatever their types are.
"""

from __future__ import annotations

import functools

from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType

# What bf16 meets: 8-bit integers fit its significand, wider ones need a wider float.
_WITH_BF16 = {"i1": ty.BF16, "i8": ty.BF16, "u8": ty.BF16, "i16": ty.F32, "u16": ty.F32,
              "f16": ty.F32, "f32": ty.F32}


@functools.cache
def promote(a: ScalarType, b: ScalarType) -> ScalarType:
    """The type of an operation on two typed numbers."""
    if a is b:
        return a
    if ty.BF16 in (a, b):
        return _WITH_BF16.get((b if a is ty.BF16 else a).name, ty.F64)
    import numpy as np
    found = np.promote_types(a.storage_dtype, b.storage_dtype)
    if found == np.int64 and ty.INDEX in (a, b):
        return ty.INDEX
    return next(t for t in ty.SCALARS if t.dtype_name == found.name)


@functools.cache
def meet(a: ScalarType, a_weak: bool, b: ScalarType, b_weak: bool) -> tuple[ScalarType, bool]:
    """The type of an operation on two numbers, and whether the result is still a Python number."""
    if a_weak and b_weak:
        return (ty.F64 if ty.F64 in (a, b) else ty.INDEX), True
    if a_weak or b_weak:
        typed, weak = (b, a) if a_weak else (a, b)
        if weak is ty.F64:
            return (typed if typed.is_float else ty.F64), False
        if weak is ty.I1:
            return typed, False
        return (ty.INDEX if typed is ty.I1 else typed), False
    return promote(a, b), False


@functools.cache
def same_kind(found: ScalarType, wanted: ScalarType) -> bool:
    """Whether a number may be stored as another type without being asked to: bool to integer to float,
    and to a narrower type of its own kind (numpy's `same_kind`)."""
    order = ["bool", "integer", "float"]

    def rank(type_: ScalarType) -> int:
        return order.index("integer" if type_.is_integer else type_.kind)
    return rank(found) <= rank(wanted)
