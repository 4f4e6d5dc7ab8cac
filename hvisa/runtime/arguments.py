"""The host boundary: from a caller's arguments to what a launch reads and writes (semantics 10).

`in` arrays are borrowed; one that is not C-contiguous, aligned and little-endian is copied (a
`strided` port takes any strides). `inout` arrays are donated: updated in place where the layout
allows, else through a copy that is written back when the launch has ended well. `out` arrays are
fresh, aligned to 256 bytes, or given. Symbols get their values here and every shape is held
against its type.

Codes: HV1001 names, HV1002 types, HV1003 ranks, HV1004 shapes, HV1005 sizes, HV1006 overlap,
HV1007 read-only arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from math import prod
from typing import Any, cast

import numpy as np

from hvisa.diagnostics import Diagnostic, HvisaError, fail
from hvisa.runtime.host_values import Array, as_array, described, scalar_bits, scalar_value
from hvisa.runtime.layout import DimData, DimensionError, PortLayout, Signature, evaluate, lone_symbol
from hvisa.runtime.markers import OPTIONS
from hvisa.runtime.overlap import may_overlap, overlap, overlaps_itself
from hvisa.spec import types as ty
from hvisa.spec.limits import LIMITS

ALIGNMENT = 256


class Bound:
    """The arguments of one launch.

    `values` has, by port name, an array (dense ones C-contiguous, aligned, in native order), the
    bits of a scalar, or a list for a stream. `symbols` are the dimensions. `given` has the caller's
    array of each written port that is not fresh; where it is not the one in `values`, `publish`
    copies. `returned` is the same as the object that the caller passed.
    """

    __slots__ = ("bfloat16", "given", "origins", "returned", "signature", "symbols", "values")

    def __init__(self, signature: Signature):
        self.signature = signature
        self.values: dict[str, Any] = {}
        self.given: dict[str, Array] = {}
        self.returned: dict[str, Array] = {}
        self.symbols: dict[str, int] = {}
        self.origins: dict[str, str] = {}  # where a symbol got its value, for messages
        self.bfloat16: np.dtype[Any] | None = None

    def publish(self, counts: Mapping[str, int]) -> list[Any]:
        """The versions that the launch made, in port order; `counts` are extents set by the code."""
        out: list[Any] = []
        for port in self.signature.written:
            made = self.values[port.name]
            if port.kind == "stream":
                out.append([self._shown(np.asarray(v), port, fresh=True) for v in made])
                continue
            target = self.given.get(port.name)
            if target is not None and target is not made:
                target[...] = made
            array = self.returned[port.name] if target is not None else made
            if port.name in counts:
                array = array[:counts[port.name]]
            out.append(self._shown(array, port, fresh=target is None))
        return out

    def _shown(self, array: Array, port: PortLayout, fresh: bool) -> Any:
        if port.element is ty.BF16 and self.bfloat16 is not None and array.dtype == np.uint16:
            array = array.view(self.bfloat16)
        return array[()] if fresh and array.ndim == 0 else array


def bind(signature: Signature, arguments: Mapping[str, Any], out: Mapping[str, Any] | None,
         copy: bool) -> Bound:
    """The arguments of a launch, checked. Raises HvisaError with every message of the first stage
    that has any; nothing was written then."""
    _check_names(signature, arguments, out or {})
    bound = Bound(signature)
    errors: list[Diagnostic] = []
    for port in signature.ports:
        source = (out or {}) if port.direction == "out" else arguments
        if port.name not in source:
            continue
        try:
            _take(bound, port, source[port.name], copy and port.direction == "inout")
        except HvisaError as error:
            errors += error.diagnostics
    _raise(errors)
    _bind_symbols(bound, errors)
    _check_shapes(bound, errors)
    _raise(errors)
    _check_overlaps(bound, errors)
    _raise(errors)
    _settle(bound, copy)
    for port in signature.written:
        if port.name not in bound.values:
            bound.values[port.name] = [] if port.kind == "stream" else _fresh(bound, port)
    return bound


def _raise(errors: list[Diagnostic]) -> None:
    if errors:
        raise HvisaError(errors)


def _check_names(signature: Signature, arguments: Mapping[str, Any], out: Mapping[str, Any]) -> None:
    taken = [p.name for p in signature.taken]
    given = [p.name for p in signature.ports if p.direction == "out"]
    entry = signature.entry
    errors: list[Diagnostic] = []
    for name in arguments:
        if name in taken:
            continue
        import difflib
        near = difflib.get_close_matches(str(name), [*taken, *OPTIONS], 1)
        help = f"did you mean `{near[0]}`?" if near else f"it takes {_listed(taken)}"
        if name in given:
            help = f"it is an output: leave it out, or pass `out={{{name!r}: array}}`"
        errors.append(Diagnostic("HV1001", f"`@{entry}` takes no argument `{name}`", help=help))
    for name in out:
        if name not in given:
            errors.append(Diagnostic("HV1001", f"`@{entry}` has no output `{name}`",
                                     help=f"its `out` ports are {_listed(given)}"))
    missing = [n for n in taken if n not in arguments]
    if missing:
        errors.append(Diagnostic("HV1001", f"`@{entry}` needs {_listed(missing)}",
                                 help=f"it takes {_listed(taken)}"))
    _raise(errors)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{n}`" for n in names) or "none"


def _take(bound: Bound, port: PortLayout, value: Any, copy: bool) -> None:
    """Note one argument: its array as given, or its bits."""
    what = described(port, bound.signature.entry)
    if port.kind == "scalar":
        bits = scalar_bits(value, port, what)
        bound.values[port.name] = bits
        if port.element is ty.INDEX:
            number = bits - (1 << 64) if bits >> 63 else bits
            bound.symbols[port.name] = number
            bound.origins[port.name] = f"the argument `{port.name}`"
        return
    if port.kind == "stream":
        bound.values[port.name] = _items(bound, port, value, what)
        return
    shared = port.written and not copy
    array, is_bfloat16 = as_array(value, port, what, shared)
    if is_bfloat16:
        bound.bfloat16 = getattr(value, "dtype", None) or bound.bfloat16
    if shared:
        if overlaps_itself(array):
            raise fail("HV1006", f"{what} is written, and elements of the argument share memory "
                       f"(strides {list(array.strides)})", help="pass a copy: `x.copy()`")
        if not array.flags.writeable:
            raise fail("HV1007", f"{what} is written, and the argument is read-only",
                       help="pass `copy=True`, or a copy: `x.copy()`" if port.direction == "inout"
                       else "pass an array that can be written")
        bound.given[port.name] = array
        bound.returned[port.name] = value if isinstance(value, np.ndarray) else array
    bound.values[port.name] = array


def _items(bound: Bound, port: PortLayout, value: Any, what: str) -> list[Any]:
    """The items of a stream: of a list, of an array's first axis, or of anything else that is
    iterated over, up to its end."""
    item = port.item
    assert item is not None
    found: list[Any] = []
    # What an iterator gives may be one array with changing content.
    kept = isinstance(value, (list, tuple, np.ndarray))
    for n, given in enumerate(_iterated(port, value, what)):
        if getattr(getattr(given, "dtype", None), "name", "") == "bfloat16":
            bound.bfloat16 = given.dtype
        if item.is_array:
            array = as_array(given, item, f"item {n} of {what}")[0]
            found.append(np.ascontiguousarray(array, item.dtype) if kept
                         else np.array(array, item.dtype, order="C"))
        else:
            found.append(scalar_value(scalar_bits(given, item, f"item {n} of {what}"), item))
    return found


def _iterated(port: PortLayout, value: Any, what: str) -> Iterable[Any]:
    if isinstance(value, np.ndarray):
        if value.ndim:
            return value
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping, Set)):
        return cast("Iterable[Any]", value)
    raise fail("HV1003", f"{what} is {port.text}, the argument is a {type(value).__name__}"
               f"{' without dimensions' if isinstance(value, np.ndarray) else ''}",
               help="pass a list of items, an iterator, or an array whose first axis is the items")


# -- shapes ------------------------------------------------------------------------------------------

def _shaped(bound: Bound) -> list[tuple[PortLayout, Array]]:
    """The array arguments, those of `in` and `inout` first: they bind, the others are checked."""
    found = [(p, bound.values[p.name]) for p in bound.signature.ports
             if p.is_array and p.dims and p.name in bound.values]
    return sorted(found, key=lambda pair: pair[0].direction == "out")


def _bind_symbols(bound: Bound, errors: list[Diagnostic]) -> None:
    for port, array in _shaped(bound):
        for axis, dim in enumerate(port.dims):
            symbol = lone_symbol(dim)
            if symbol is not None and symbol not in bound.symbols:
                bound.symbols[symbol] = array.shape[axis]
                bound.origins[symbol] = f"axis {axis} of `{port.name}`"


def _check_shapes(bound: Bound, errors: list[Diagnostic]) -> None:
    for port, array in _shaped(bound):
        for axis, (dim, text) in enumerate(zip(port.dims, port.shape, strict=True)):
            found, wanted = array.shape[axis], _value(bound, dim, text, errors)
            if wanted is None or found == wanted:
                continue
            symbol = lone_symbol(dim)
            message = f"`{port.name}` has {found} along axis {axis}, "
            message += (f"which `{text}` says is {wanted}{_because(bound, dim)}" if symbol is None
                        else f"but {bound.origins[symbol]} is {wanted}: both are `{text}`")
            errors.append(Diagnostic(
                "HV1004", message,
                help=f"`{port.name}` of `@{bound.signature.entry}` is {port.text}"))
        if port.capacity is not None:
            most = _value(bound, port.capacity, port.text, errors)
            if most is not None and array.shape[0] > most:
                errors.append(Diagnostic(
                    "HV1004", f"`{port.name}` has {array.shape[0]} along axis 0, more than its "
                    f"capacity {most}{_because(bound, port.capacity)}",
                    help=f"`{port.name}` of `@{bound.signature.entry}` is {port.text}"))


def _because(bound: Bound, dim: DimData) -> str:
    from hvisa.runtime.layout import symbols_of
    known = [f"`%{s}` is {bound.symbols[s]} by {bound.origins.get(s, 'an argument')}"
             for s in sorted(symbols_of(dim)) if s in bound.symbols]
    return f": {', '.join(known)}" if known else ""


def _value(bound: Bound, dim: DimData, text: str, errors: list[Diagnostic]) -> int | None:
    """The value of a dimension, or None with a message noted."""
    try:
        return evaluate(dim, bound.symbols)
    except DimensionError as error:
        errors.append(Diagnostic("HV1005", f"`{text}` has no value: {error}{_because(bound, dim)}",
                                 help="check the sizes of the arguments"))
    except KeyError as error:
        errors.append(Diagnostic("HV1004", f"nothing tells what `%{error.args[0]}` is",
                                 help="pass the output array too: `out={name: array}`"))
    return None


def _fresh(bound: Bound, port: PortLayout) -> Array:
    """A new array for an `out` port; where a capacity bounds the leading extent, of that size."""
    errors: list[Diagnostic] = []
    dims = port.dims if port.capacity is None else [port.capacity, *port.dims[1:]]
    shape = [_value(bound, d, t, errors) for d, t in zip(dims, port.shape, strict=True)]
    _raise(errors)
    extents = tuple(n for n in shape if n is not None)
    limit = LIMITS["extent"].value
    for extent, dim, text in zip(extents, dims, port.shape, strict=True):
        if not 0 <= extent <= limit:
            raise fail("HV1005", f"`{text}` of `{port.name}` is {extent}{_because(bound, dim)}; "
                       f"extents are 0 to {limit}", help="check the sizes of the arguments")
    if prod(extents) * port.dtype.itemsize >= LIMITS["buffer_bytes"].value:
        raise fail("HV1005", f"`{port.name}` would have {prod(extents) * port.dtype.itemsize} bytes; "
                   f"the limit is {LIMITS['buffer_bytes'].value}", help="use smaller sizes")
    return aligned_empty((*extents, port.lanes) if port.lanes else extents, port.dtype,
                         f"`{port.name}`")


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype[Any], name: str) -> Array:
    """A new C-ordered array that starts at a multiple of 256 bytes; HV1005 if there is no memory."""
    size = prod(shape) * dtype.itemsize
    try:
        base = np.empty(size + ALIGNMENT - 1, np.uint8)
    except (MemoryError, ValueError, OverflowError) as error:
        raise fail("HV1005", f"there is no memory for {name} of shape {list(shape)}: {error}",
                   help="use smaller sizes") from error
    offset = -base.ctypes.data % ALIGNMENT
    return np.ndarray(shape, dtype, base, offset)


# -- memory ------------------------------------------------------------------------------------------

def _check_overlaps(bound: Bound, errors: list[Diagnostic]) -> None:
    written = list(bound.given.items())
    for number, (name, array) in enumerate(written):
        for other, second in written[:number]:
            if overlap(array, second):
                errors.append(Diagnostic(
                    "HV1006", f"`{other}` and `{name}` are both written and share memory",
                    help="pass separate arrays, or `copy=True`"))


def _settle(bound: Bound, copy: bool) -> None:
    """Give every array the layout that its port asks for, copying where it must be."""
    ports = {p.name: p for p in bound.signature.ports}
    for name, array in bound.given.items():
        if not usable(array, ports[name]):
            bound.values[name] = _dense_copy(array, ports[name])
    direct = [bound.values[n] for n in bound.given]
    for port in bound.signature.taken:
        if not port.is_array or port.name in bound.given:
            continue
        array = bound.values[port.name]
        # An `in` port sees the version before the launch, wherever a written one lies.
        if port.written or not usable(array, port) or any(may_overlap(array, d) for d in direct):
            bound.values[port.name] = _dense_copy(array, port)


def usable(array: Array, port: PortLayout) -> bool:
    """Whether native code can use the array where it lies."""
    flags = array.flags
    if not flags.aligned or array.dtype != port.dtype:
        return False
    if flags.c_contiguous or not port.strided:
        return bool(flags.c_contiguous)
    return all(s % array.itemsize == 0 for s in array.strides)


def _dense_copy(array: Array, port: PortLayout) -> Array:
    out = aligned_empty(array.shape, port.dtype, f"a copy of `{port.name}`")
    out[...] = array
    return out
