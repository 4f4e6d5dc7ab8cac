"""Numbers and buffers of a leaf whose body plain Python runs.

Numbers are numpy scalars of their type, vectors are numpy arrays, Python numbers are what they are. A
buffer checks its indices as an access of a leaf does: nothing counts from the end, and out of bounds is
a trap or what the bounds form says.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hvisa.diagnostics import fail
from hvisa.spec import numerics, types as ty
from hvisa.spec.types import ScalarType

Stored = NDArray[Any]


class Fault(Exception):
    """A trap, whose place and instance are added where the leaf is run."""

    def __init__(self, code: str, message: str, help: str = ""):
        super().__init__(message)
        self.code = code
        self.help = help


def bfloat16() -> Any:
    """The type of bf16 numbers, which numpy does not have."""
    try:
        import ml_dtypes
    except ImportError:
        raise fail("HV1203", "bf16 numbers need the package ml_dtypes under plain Python",
                   help="`pip install ml_dtypes`") from None
    return ml_dtypes.bfloat16


def type_of(value: Any) -> tuple[ScalarType, bool]:
    """The type of a number or of a vector's lanes, and whether it is a Python number."""
    if isinstance(value, (np.generic, np.ndarray)):
        name = value.dtype.name
        if name == "bfloat16":
            return ty.BF16, False
        for found in ty.SCALARS:
            if found.dtype_name == name:
                return found, False
    elif isinstance(value, bool):
        return ty.I1, True
    elif isinstance(value, int):
        return ty.INDEX, True
    elif isinstance(value, float):
        return ty.F64, True
    raise fail("HV1204", f"a number is expected here, and this is {value!r}")


def computed(value: Any, element: ScalarType) -> Stored:
    """A number as an array of one instance, as the rows of the instruction table take it."""
    source, _ = type_of(value)
    if isinstance(value, int):
        value = (value + (1 << 63)) % (1 << 64) - (1 << 63)  # `index` wraps
    array = np.asarray(value)[np.newaxis]
    if source is ty.BF16:
        array = array.astype(np.float32)
    return array if source is element else numerics.convert(array, source, element)


def shown(array: Stored, element: ScalarType, weak: bool = False) -> Any:
    """What the rows give, as a number or vector of Python again."""
    value = array[0]
    if element is ty.BF16:
        value = value.astype(bfloat16())
    return value.item() if weak else value


def converted(value: Any, element: ScalarType) -> Any:
    """The row `convert`: integers wrap, floats are truncated and held in the range."""
    return shown(computed(value, element), element)


class Converter:
    """A number type in a body: `i32(x)` converts as the leaf does."""

    def __init__(self, type_: ScalarType):
        self.type = type_

    def __call__(self, value: Any = 0) -> Any:
        return converted(value, self.type)

    @property
    def dtype(self) -> Any:
        """For `x.astype(f32)` of numpy's scalars."""
        return np.dtype(bfloat16()) if self.type is ty.BF16 else self.type.storage_dtype

    def __repr__(self) -> str:
        return self.type.name


class Buffer:
    """A buffer: `x[i, j]`, `.shape`, `.clamp`, `.zero`, `.skip`, `.vec(4)`."""

    def __init__(self, name: str, array: Stored, element: ScalarType, *, written: bool = True,
                 accumulate: str = "", shared: bool = False, counts: dict[str, int] | None = None):
        self.name = name
        self.array = array
        self.element = element
        self.written = written
        self.accumulate = accumulate
        self.shared = shared
        self.counts = counts  # of an extent that the body sets
        self.bounds = "trap"
        self.lanes = 0

    def _through(self, **changes: Any) -> Buffer:
        out = Buffer.__new__(Buffer)
        out.__dict__.update(self.__dict__, **changes)
        return out

    @property
    def clamp(self) -> Buffer:
        return self._through(bounds="clamp")

    @property
    def zero(self) -> Buffer:
        return self._through(bounds="zero")

    @property
    def skip(self) -> Buffer:
        return self._through(bounds="skip")

    def vec(self, lanes: int) -> Buffer:
        """The same buffer, read and written by so many consecutive elements."""
        return self._through(lanes=lanes)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def size(self) -> int:
        return self.array.size

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def dtype(self) -> Converter:
        return Converter(self.element)

    def __len__(self) -> int:
        return self.array.shape[0]

    def __repr__(self) -> str:
        return f"{self.name}: {self.element}{list(self.shape)} {self.array}"

    # -- elements ------------------------------------------------------------------------------

    def _place(self, key: Any) -> tuple[int, ...]:
        """The indices of an access, 64 bits wide."""
        parts: tuple[Any, ...] = key if isinstance(key, tuple) else (key,)
        if len(parts) != self.array.ndim or any(isinstance(p, slice) for p in parts):
            raise fail("HV1212", f"`{self.name}` has {self.array.ndim} dimensions, and this indexes "
                       f"it by {key!r}", help="index every dimension by a number")
        return tuple((operator.index(p) + (1 << 63)) % (1 << 64) - (1 << 63) for p in parts)

    def _inside(self, place: Iterable[int]) -> bool:
        return all(0 <= p < n for p, n in zip(place, self.shape, strict=True))

    def _fault(self, place: tuple[int, ...]) -> Fault:
        return Fault("HV0902", f"index [{', '.join(map(str, place))}] of `{self.name}` is out of "
                     f"bounds: its extents are [{', '.join(map(str, self.shape))}]",
                     "say what happens outside: `.clamp[...]`, `.zero[...]`, `.skip[...]`")

    def _loaded(self, place: tuple[int, ...]) -> Any:
        """One element as it is stored."""
        if self._inside(place):
            return self.array[place]
        if self.bounds == "trap":
            raise self._fault(place)
        if self.bounds == "zero" or 0 in self.shape:
            return self.array.dtype.type(0)
        return self.array[tuple(min(max(p, 0), n - 1) for p, n in zip(place, self.shape, strict=True))]

    def _spread(self, place: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(*place[:-1], place[-1] + lane) for lane in range(self.lanes)]

    def __getitem__(self, key: Any) -> Any:
        place = self._place(key)
        if self.accumulate:
            return Element(self, place)
        if self.lanes:
            found = np.array([self._loaded(p) for p in self._spread(place)], self.array.dtype)
            return found.view(bfloat16()) if self.element is ty.BF16 else found
        value = self._loaded(place)
        if self.element is ty.BF16:
            value = value.view(bfloat16())
        return _with_place(value, Element(self, place)) if self.shared else value

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, Element):
            return  # `h[b] += 1` has joined the value already
        if not self.written:
            raise fail("HV1213", f"`{self.name}` is only read",
                       help=f"make it `Out[...]` or `InOut[...]` to write `{self.name}`")
        place = self._place(key)
        lanes = self.lanes or (len(value) if isinstance(value, np.ndarray) else 0)
        if not lanes:
            self.store(place, value)
            return
        values = value if isinstance(value, np.ndarray) else [value] * lanes
        places = self._through(lanes=lanes)._spread(place)
        if self.bounds != "skip":  # all of a vector is written, or none
            for at in places:
                if not self._inside(at):
                    raise self._fault(at)
        for at, one in zip(places, values, strict=True):
            self.store(at, one)

    def store(self, place: tuple[int, ...], value: Any) -> None:
        """Write one element, as the buffer's type."""
        if self._inside(place):
            made = converted(value, self.element)
            self.array[place] = made.view(np.uint16) if self.element is ty.BF16 else made
        elif self.bounds != "skip":
            raise self._fault(place)


class Element:
    """An element as a place, for `update` and `atomic`."""

    def __init__(self, buffer: Buffer, place: tuple[int, ...]):
        self.buffer = buffer
        self.place = place

    def join(self, word: str, value: Any) -> Any:
        """Join a value in; the old one is given back, as it is in the buffer."""
        buffer, place = self.buffer, self.place
        if not buffer._inside(place):
            if buffer.bounds == "skip":
                return None
            raise buffer._fault(place)
        old = buffer.array[place]
        if buffer.element is ty.BF16:
            old = old.view(bfloat16())
        if word == "exchange":
            buffer.store(place, value)
        else:
            element = buffer.element
            found = numerics.combine(word, computed(old, element), computed(value, element), element)
            buffer.store(place, shown(found, element))
        return old

    def _own(self, word: str, value: Any) -> Element:
        if self.buffer.accumulate != word:
            raise fail("HV1213", f"`{self.buffer.name}` accumulates with `{self.buffer.accumulate}`")
        self.join(word, value)
        return self

    def __iadd__(self, value: Any) -> Element:
        return self._own("add", value)

    def __iand__(self, value: Any) -> Element:
        return self._own("and", value)

    def __ior__(self, value: Any) -> Element:
        return self._own("or", value)

    def __ixor__(self, value: Any) -> Element:
        return self._own("xor", value)


_placed: dict[type, type] = {}


def _with_place(value: Any, element: Element) -> Any:
    """The number, which also knows where it was: `hvisa.atomic("add", h[b], 1)` needs to."""
    base = type(value)
    if base is np.bool_:  # can't be derived from
        return value
    if base not in _placed:
        _placed[base] = type(base.__name__, (base,), {})
    out = _placed[base](value)
    out.place = element
    return out


def place_of(value: Any, name: str) -> Element:
    """The element that an argument `h[b]` names."""
    found = value if isinstance(value, Element) else getattr(value, "place", None)
    if isinstance(found, Element):
        return found
    raise fail("HV1211", f"`{name}` takes an element: `h[b]`",
               help="under plain Python it is one of an `Accumulate` or `Shared` port, and no bool")
