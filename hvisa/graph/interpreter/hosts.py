"""Between the host's numbers and ours: checked on the way in, of the storage dtype on the way
out."""

from __future__ import annotations

from typing import Any

import numpy as np

from hvisa.diagnostics import HvisaError, fail
from hvisa.graph.interpreter import values
from hvisa.graph.interpreter.values import Array
from hvisa.spec import numerics, types as ty
from hvisa.spec.types import ScalarType, Type, VectorType


def _mismatch(what: str, type_: Type, found: object, code: str = "HV1002") -> HvisaError:
    element = values.element_type(type_)
    return fail(code, f"{what} is {type_}, the argument is {found}",
                help=f"pass numpy data of dtype {element.storage_dtype}")


def _dtype_fits(dtype: np.dtype[Any], element: ScalarType) -> bool:
    return dtype == element.storage_dtype or (element is ty.BF16 and dtype.name == "bfloat16")


def array_of(found: Any, element: ScalarType, rank: int, what: str, type_: Type) -> Array:
    """A host array as it may stand in a buffer: exactly of the storage dtype (HV1002, HV1003)."""
    if not isinstance(found, np.ndarray):
        raise _mismatch(what, type_, f"a {type(found).__name__}", "HV1003")
    if not _dtype_fits(found.dtype, element):
        raise _mismatch(what, type_, f"an array of {found.dtype}")
    if found.ndim != rank:
        raise _mismatch(what, type_, f"an array of {found.ndim} dimensions", "HV1003")
    return found.view(np.uint16) if element is ty.BF16 else found


def value_of(found: Any, type_: Type, what: str) -> Array:
    """A host scalar (numpy or Python) or vector as a uniform value (HV1002)."""
    element = values.element_type(type_)
    if isinstance(type_, VectorType):
        stored = array_of(found, element, 1, what, type_)
        if len(stored) != type_.lanes:
            raise _mismatch(what, type_, f"an array of {len(stored)} elements",
                            "HV1003")
        return values.from_storage(np.array(stored), element)[np.newaxis]
    if isinstance(found, np.ndarray) and found.ndim == 0:
        found = found[()]
    if isinstance(found, np.integer) and element.is_integer:
        found = int(found)  # as at the host boundary: what fits is taken
    if isinstance(found, np.generic):
        if not _dtype_fits(found.dtype, element):
            raise _mismatch(what, type_, f"a {found.dtype}")
        stored = np.array([found])
        stored = stored.view(np.uint16) if element is ty.BF16 else stored
        return values.from_storage(stored, element)
    return _python_number(found, element, what)


def _python_number(found: Any, element: ScalarType, what: str) -> Array:
    """A Python number; floats are rounded once to the type, integers must fit."""
    if element is ty.I1:
        if isinstance(found, bool):
            return np.array([found])
    elif element.is_float:
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            return numerics.from_f64(np.array([found], np.float64), element)
    elif isinstance(found, int) and not isinstance(found, bool):
        if not element.minimum <= found <= element.maximum:
            raise fail("HV1002", f"{what} is {element}, which does not hold {found}",
                       help=f"it holds {element.minimum} to {element.maximum}")
        return np.array([found], element.storage_dtype)
    code = "HV1002" if isinstance(found, (int, float)) else "HV1003"
    raise _mismatch(what, element, f"{found!r} of Python type {type(found).__name__}", code)


def to_host(value: Array, type_: Type) -> Any:
    """A uniform value as a numpy scalar, or an array for a vector, of the storage dtype."""
    stored = values.to_storage(value, values.element_type(type_))[0]
    return np.array(stored) if isinstance(type_, VectorType) else stored
