"""The fast path: a Python function written for one signature, which launches in a microsecond.

It takes exactly what needs no thought: numpy arrays of the port's dtype, contiguous, aligned and
apart from what is written, plain numbers, no options. Anything else makes it answer UNUSUAL before
anything has happened, and `hvisa.runtime.arguments` takes over, messages included.
"""

from __future__ import annotations

import ctypes
import keyword
import struct
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from hvisa.runtime.layout import DimData, PortLayout, Signature, lone_symbol, python_source, symbols_of
from hvisa.runtime.markers import OPTIONS, UNUSUAL
from hvisa.spec import types as ty

if TYPE_CHECKING:
    from hvisa.runtime.launch import NativeLauncher


# numpy's array flags: C-contiguous, aligned, writeable.
_READABLE, _WRITABLE = 0x101, 0x501
_MOST_BYTES = 1 << 46  # beyond it the general path finds the words
_PACKED = {"i1": "?7x", "i8": "b7x", "i16": "h6x", "i32": "i4x", "i64": "q", "u8": "B7x",
           "u16": "H6x", "u32": "I4x", "u64": "Q", "f16": "e6x", "f32": "f4x", "f64": "d",
           "index": "q"}


def _words_of_memory() -> Any:
    """The address space from 16 on, as 64-bit words: `found[id(array) >> 3]` is where an array's
    elements lie. None where objects of numpy do not look like that.

    numpy's own ways to tell the address build an object each time and take as long as a whole
    launch. The first field of its C structure, after Python's two, is the address (the structure is
    part of numpy's stable C interface).
    """
    words = ctypes.POINTER(ctypes.c_uint64).from_buffer(ctypes.c_uint64(2 * 8))
    samples = (np.empty(3), np.empty((2, 2), np.uint8), np.empty(64, np.float32)[1:])
    for sample in samples:
        # `id` is an address in CPython only; its objects start with a count and a type.
        address = id(sample)
        if not hasattr(ctypes, "pythonapi") or object.__basicsize__ != 16 or address % 8:
            return None
        if words[address >> 3] != sample.ctypes.data:
            return None
    return words


_memory = _words_of_memory()


def make_fast_call(launcher: NativeLauncher) -> Callable[..., Any] | None:
    """The function for a launcher's signature, or None if that is not simple enough.

    It takes the values of the `taken` ports, by position or name, and gives what the entry returns.
    """
    signature = launcher.signature
    if _memory is None or launcher.calls_back or not _simple(signature):
        return None
    try:
        source = "\n".join(_Writer(signature).lines())
    except ValueError:
        return None
    names: dict[str, Any] = {
        "_ndarray": np.ndarray, "_memory": _memory, "_states": launcher.states,
        "_new_state": launcher.new_state, "_native": launcher.function, "_failed": launcher.failed,
        "_UNUSUAL": UNUSUAL, "_empty": np.empty, "_uint8": np.uint8, "_Error": struct.error,
        "_pack": struct.Struct(_format(signature)).pack_into,
        "_unpack": struct.Struct("<" + "".join(_PACKED[r.element.name] for r in signature.results)
                                 ).unpack_from,
        "_Returned": signature.returned_type, "_type": type, "_len": len, "_id": id, "_min": min,
        "_max": max, "_float": float, "_int": int, "_bool": bool, "_IndexError": IndexError,
        "_MemoryError": MemoryError, "_OverflowError": OverflowError}
    for port in (*signature.ports, *signature.results):
        names[f"_dtype_{port.element.name}"] = port.dtype
        names[f"_scalar_{port.element.name}"] = port.dtype.type
    exec(compile(source, f"<launch of @{signature.entry}>", "exec"), names)
    # Taken out of its own globals, so that it goes, and the code with it, when it is dropped.
    made: Callable[..., Any] = names.pop("launch")
    return made


def _simple(signature: Signature) -> bool:
    if signature.grid and signature.results:
        return False
    ports = (*signature.ports, *signature.results)
    return all(p.kind in ("scalar", "buffer") and p.element is not ty.BF16 and p.capacity is None
               and (p.kind == "scalar" or p.rank > 0) for p in ports)


def _format(signature: Signature) -> str:
    """The slots of the ports as a `struct` format; results come after them."""
    parts = ["<"]
    for port in signature.ports:
        if port.kind == "scalar":
            parts.append(_PACKED[port.element.name])
        else:
            parts.append("Q" + "q" * port.rank * (2 if port.strided else 1))
    return "".join(parts)


class _Writer:
    """Writes the function. Names of ports may not start with `_`, all others do: `_p2` is the
    address of the array of port 2, `_s2_0` its first extent, `_e2` its end, `_a2` a fresh one."""

    def __init__(self, signature: Signature):
        self.signature = signature
        self.numbers = {p.name: n for n, p in enumerate(signature.ports)}
        # Index arguments bind first, as on the general path.
        self.symbols = {p.name: self._argument(p) for p in signature.taken
                        if p.kind == "scalar" and p.element is ty.INDEX}
        self.checks: list[tuple[DimData, str]] = []

    def lines(self) -> Iterator[str]:
        signature = self.signature
        header = [f"{self._argument(p)}=_UNUSUAL" for p in signature.taken]
        yield f"def launch({', '.join([*header, '*_rest', '**_options'])}):"
        yield "    if _rest or _options: return _UNUSUAL"
        for port in signature.taken:
            name = self._argument(port)
            yield from self._scalar(port, name) if port.kind == "scalar" else self._array(port, name)
        for dim, variable in self.checks:
            yield f"    if {variable} != {self._source(dim)}: return _UNUSUAL"
        for port in signature.ports:
            if port.direction == "out":
                yield from self._fresh(port)
        yield from self._apart()
        yield "    try: _state = _states.pop()"
        yield "    except _IndexError: _state = _new_state()"
        yield "    _slots = _state.slots"
        yield f"    try: _pack({', '.join(['_slots', '0', *self._cells()])})"
        yield "    except (_Error, _OverflowError):"
        yield "        _states.append(_state)"
        yield "        return _UNUSUAL"
        yield "    _status = _native(_state.context, _slots)"
        yield "    if _status or _state.monitor.pending is not None:"
        environment = ", ".join(f"{s!r}: {v}" for s, v in self.symbols.items())
        yield f"        _failed(_state, _status, {{{environment}}})"
        yield from self._results()

    def _argument(self, port: PortLayout) -> str:
        """The parameter's name: the port's where Python allows it, so that it can be named."""
        name = port.name
        fine = name.isidentifier() and not keyword.iskeyword(name) and name[0] != "_"
        return name if fine and name not in OPTIONS else f"_a{self.numbers[name]}"

    def _extents(self, port: PortLayout) -> list[str]:
        return [f"_s{self.numbers[port.name]}_{axis}" for axis in range(port.rank)]

    def _scalar(self, port: PortLayout, name: str) -> Iterator[str]:
        element = port.element
        kind = "_float" if element.is_float else "_bool" if element is ty.I1 else "_int"
        other = "" if element is ty.INDEX else f" and _type({name}) is not _scalar_{element.name}"
        yield f"    if _type({name}) is not {kind}{other}:"
        if element.is_float:
            # Whole numbers that are exact as a float.
            yield (f"        if _type({name}) is not _int or not -{1 << 53} <= {name} <= {1 << 53}: "
                   "return _UNUSUAL")
        else:
            yield "        return _UNUSUAL"
        if element is ty.F32:
            # A caller that flushes subnormals must not change the number on its way.
            yield f"    if -1.2e-38 < {name} < 1.2e-38 and {name}: return _UNUSUAL"

    def _array(self, port: PortLayout, name: str) -> Iterator[str]:
        flags = _WRITABLE if port.written else _READABLE
        yield (f"    if (_type({name}) is not _ndarray or {name}.dtype is not "
               f"_dtype_{port.element.name}")
        yield f"            or {name}.flags.num & {flags} != {flags}): return _UNUSUAL"
        yield f"    _shape = {name}.shape"
        yield f"    if _len(_shape) != {port.rank}: return _UNUSUAL"
        yield f"    {', '.join(self._extents(port))}, = _shape"
        yield f"    _p{self.numbers[port.name]} = _memory[_id({name}) >> 3]"
        for variable, dim in zip(self._extents(port), port.dims, strict=True):
            symbol = lone_symbol(dim)
            if symbol is None or symbol in self.symbols:
                self.checks.append((dim, variable))
            else:
                self.symbols[symbol] = variable

    def _source(self, dim: DimData) -> str:
        """ValueError where a symbol is bound by nothing that is passed."""
        if not symbols_of(dim) <= set(self.symbols):
            raise ValueError("a symbol is bound by an output")
        return python_source(dim, self.symbols.__getitem__)

    def _fresh(self, port: PortLayout) -> Iterator[str]:
        n = self.numbers[port.name]
        extents = self._extents(port)
        for variable, dim in zip(extents, port.dims, strict=True):
            yield f"    {variable} = {self._source(dim)}"
            yield f"    if not 0 <= {variable} <= {1 << 48}: return _UNUSUAL"
        yield f"    _size = {'*'.join(extents)}*{port.dtype.itemsize}"
        yield f"    if _size > {_MOST_BYTES}: return _UNUSUAL"
        yield "    try: _base = _empty(_size + 255, _uint8)"
        yield "    except _MemoryError: return _UNUSUAL"
        yield "    _start = _memory[_id(_base) >> 3]"
        yield f"    _p{n} = _start + 255 & -256"
        yield (f"    _a{n} = _ndarray(({', '.join(extents)},), _dtype_{port.element.name}, _base, "
               f"_p{n} - _start)")

    def _apart(self) -> Iterator[str]:
        """Nothing that is written may overlap another array; fresh ones do not."""
        arrays = [p for p in self.signature.taken if p.kind == "buffer"]
        pairs = [(a, b) for a, b in combinations(arrays, 2) if a.written or b.written]
        for port in arrays:
            if any(port in pair for pair in pairs):
                n = self.numbers[port.name]
                size = "*".join([*self._extents(port), str(port.dtype.itemsize)])
                yield f"    _e{n} = _p{n} + {size}"
        for a, b in pairs:
            m, n = self.numbers[a.name], self.numbers[b.name]
            yield f"    if _p{m} < _e{n} and _p{n} < _e{m}: return _UNUSUAL"

    def _cells(self) -> Iterator[str]:
        for port in self.signature.ports:
            if port.kind == "scalar":
                yield self._argument(port)
                continue
            extents = self._extents(port)
            yield f"_p{self.numbers[port.name]}"
            yield from extents
            if port.strided:
                yield from ("*".join(extents[axis + 1:]) or "1" for axis in range(port.rank))

    def _results(self) -> Iterator[str]:
        signature = self.signature
        values = [self._argument(p) if p.direction == "inout" else f"_a{self.numbers[p.name]}"
                  for p in signature.written]
        results = [f"_r{n}" for n in range(len(signature.results))]
        if results:
            start = 8 * signature.results[0].slot
            yield f"    {', '.join(results)}, = _unpack(_slots, {start})"
        yield "    _states.append(_state)"
        for name, result in zip(results, signature.results, strict=True):
            yield f"    {name} = _scalar_{result.element.name}({name})"
        values += results
        if len(values) > 1:
            yield f"    return _Returned({', '.join(values)})"
        elif values:
            yield f"    return {values[0]}"
