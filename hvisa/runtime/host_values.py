"""What the host passes, as arrays and numbers of exactly the port's type (semantics 10).

Nothing is converted silently: an array has the port's dtype (any byte order), a Python number or
list is rounded once, an integer must fit. Codes: HV1002 for a wrong type, HV1003 for something that
is no array of the port's rank or no number.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hvisa.diagnostics import HvisaError, fail, plural
from hvisa.runtime.layout import PortLayout
from hvisa.spec import types as ty

Array = NDArray[Any]
_SMALLEST_F32 = 2.0 ** -126


def described(port: PortLayout, entry: str) -> str:
    return f"`%{port.name}` of `@{entry}`"


# -- arrays ------------------------------------------------------------------------------------------

def as_array(value: Any, port: PortLayout, what: str, shared: bool = False) -> tuple[Array, bool]:
    """An array of the port's dtype in some byte order and of its rank, and whether it was given as
    ml_dtypes' bfloat16.

    Where `shared` is asked for, the array shares memory with `value`, or HV1003 is raised.
    """
    array = _array_of(value, port, what, shared)
    if array.dtype.name == "bfloat16" and port.element is ty.BF16:
        return _of_rank(array.view(np.uint16), port, what), True
    if array.dtype != port.dtype and array.dtype.newbyteorder("=") != port.dtype:
        raise _wrong_dtype(array.dtype, port, what)
    return _of_rank(array, port, what), False


def _array_of(value: Any, port: PortLayout, what: str, shared: bool) -> Array:
    if isinstance(value, np.ndarray):
        if type(value) is not np.ndarray and hasattr(value, "mask"):
            raise fail("HV1003", f"{what} can't be a masked array: buffers have no mask",
                       help="fill the gaps first: `x.filled(0)`")
        return np.asarray(value)
    if isinstance(value, (list, tuple, int, float, np.generic)):
        if shared:
            raise fail("HV1003", f"{what} is updated in place, and a {type(value).__name__} can't be",
                       help="pass an array, or `copy=True` to get the new version only")
        return from_numbers(value, port, what)
    try:
        return _foreign(value)
    except (BufferError, TypeError, ValueError, RuntimeError) as error:
        raise fail("HV1003", f"{what} is {port.text}, and this {type(value).__name__} is no array: "
                   f"{error}", help=f"pass a numpy array of dtype {port.dtype}") from error


def _foreign(value: Any) -> Array:
    """A view of an object of another library, by whichever protocol it offers."""
    if isinstance(value, str):
        raise TypeError("text holds no numbers")
    if hasattr(value, "__array_interface__") or hasattr(value, "__array_struct__"):
        return np.asarray(value)
    try:
        view = memoryview(value)
    except TypeError:
        pass
    else:
        return np.asarray(view)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    if hasattr(value, "__array__"):
        return np.asarray(value)
    raise TypeError("it offers no buffer, __array_interface__ or __dlpack__")


def from_numbers(value: Any, port: PortLayout, what: str) -> Array:
    """Numbers and nested lists of them, rounded once to the port's type."""
    try:
        found = np.asarray(value)
    except ValueError as error:
        raise fail("HV1003", f"{what} is no array: {error}",
                   help="give all rows of a nested list the same length") from error
    if isinstance(value, np.generic) or found.dtype == port.dtype:
        return found
    element = port.element
    if found.size == 0:
        return found.astype(port.dtype)
    if element.is_float and found.dtype.kind in "iuf":
        return _round(found.astype(np.float64), port)
    if element.is_integer and found.dtype.kind in "iu":
        least, most = int(found.min()), int(found.max())
        if least < element.minimum or most > element.maximum:
            wrong = least if least < element.minimum else most
            raise _does_not_fit(wrong, port, what)
        return found.astype(port.dtype)
    raise _wrong_dtype(found.dtype, port, what)


def _round(numbers: Array, port: PortLayout) -> Array:
    """f64 numbers rounded once to the port's float type, whatever mode the CPU is in."""
    from hvisa.spec import numerics
    with np.errstate(all="ignore"):
        found: Array = numerics.from_f64(numbers, port.element)
        if port.element is ty.BF16:
            return numerics.bf16_to_bits(found)
        if port.element is ty.F32:
            # A caller that flushes subnormals would lose these in the conversion.
            tiny = (np.abs(numbers) < _SMALLEST_F32) & (numbers != 0)
            if tiny.any():
                bits = np.rint(np.abs(numbers[tiny]) * 2.0 ** 149).astype(np.uint32)
                bits |= np.signbit(numbers[tiny]).astype(np.uint32) << np.uint32(31)
                found = np.array(found)
                found[tiny] = bits.view(np.float32)
    return found


def _of_rank(array: Array, port: PortLayout, what: str) -> Array:
    if array.ndim != port.rank:
        raise fail("HV1003", f"{what} is {port.text}, with {plural(port.rank, 'dimension')}; "
                   f"the argument has {array.ndim}: shape {list(array.shape)}",
                   help="reshape it: `x.reshape(...)`, or add an axis: `x[np.newaxis]`")
    if port.lanes and array.shape[-1] != port.lanes:
        raise fail("HV1003", f"{what} is {port.text}, with {port.lanes} lanes; the argument has "
                   f"{array.shape[-1]}", help=f"pass an array whose last extent is {port.lanes}")
    return array


def _wrong_dtype(found: np.dtype[Any], port: PortLayout, what: str) -> HvisaError:
    wanted = "ml_dtypes.bfloat16" if port.element is ty.BF16 else f"np.{port.dtype}"
    if port.element is ty.I1:
        wanted = "bool"
    help = (f"make it with `dtype={wanted}`: it is updated in place" if port.written
            else f"convert it first: `x.astype({wanted})`")
    return fail("HV1002", f"{what} is {port.text}, the argument is of dtype {found}", help=help)


def _does_not_fit(value: object, port: PortLayout, what: str) -> HvisaError:
    element = port.element
    return fail("HV1002", f"{what} is {port.text}, which does not hold {value}",
                help=f"it holds {element.minimum} to {element.maximum}")


# -- numbers -----------------------------------------------------------------------------------------

def scalar_bits(value: Any, port: PortLayout, what: str) -> int:
    """The pattern of a number, as an unsigned integer of the type's width."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    element = port.element
    if isinstance(value, np.generic) and not isinstance(value, np.bool | np.integer):
        if value.dtype.name == "bfloat16" and element is ty.BF16:
            return int(value.view(np.uint16))
        if value.dtype != port.dtype:
            raise fail("HV1002", f"{what} is {port.text}, the argument is a {value.dtype}",
                       help=f"convert it first: `np.{port.dtype}(x)`")
        return int(value.view(f"uint{port.bits}"))
    if element is ty.BF16 and type(value) is np.uint16:
        return int(value)
    if isinstance(value, (bool, np.bool)) == (element is ty.I1):
        if element is ty.I1:
            return int(value)
        if element.is_float and isinstance(value, (int, float)):
            return float_bits(float(value), port, what)
        if element.is_integer and isinstance(value, (int, np.integer)):
            return _integer_bits(int(value), port, what)
    code = "HV1002" if isinstance(value, (bool, int, float, np.generic)) else "HV1003"
    raise fail(code, f"{what} is {port.text}, the argument is {value!r} of type "
               f"{type(value).__name__}",
               help="pass True or False" if element is ty.I1 else
               f"pass a {'whole ' if element.is_integer else ''}number")


def _integer_bits(value: int, port: PortLayout, what: str) -> int:
    if not port.element.minimum <= value <= port.element.maximum:
        raise _does_not_fit(value, port, what)
    return value & ((1 << port.bits) - 1)


def float_bits(value: float, port: PortLayout, what: str) -> int:
    """The pattern of a Python float rounded once to the port's type, whatever mode the CPU is in."""
    if port.element is ty.F64:
        return int.from_bytes(struct.pack("<d", value), "little")
    if port.element is ty.F32 and (abs(value) >= _SMALLEST_F32 or value == 0):
        try:
            return int.from_bytes(struct.pack("<f", value), "little")
        except OverflowError:
            return 0x7F800000 | (value < 0) << 31
    from hvisa.spec.literals import parse_literal
    return parse_literal(value.hex(), port.element)


def scalar_value(bits: int, port: PortLayout) -> Any:
    """A pattern as a numpy scalar; bf16 as its bits."""
    raw = (bits & ((1 << port.bits) - 1)).to_bytes(port.bits // 8, "little")
    return np.frombuffer(raw, port.dtype)[0]
