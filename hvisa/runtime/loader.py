"""Places relocatable x86-64 objects in memory, so that translated code runs without LLVM.

One mapping holds a whole object: code, then constants, then variables, each group on its own pages.
It is written while it is only readable and writable; then code becomes executable and constants
read-only, so no page is ever writable and executable. Objects have to be self-contained: there is
no way to name a function of the host. Unwinding tables, debug data and constructors are not used.

HVISA_PERF_MAP=1 tells Linux `perf` the names of the loaded functions.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import sys
import weakref
from typing import Any, NamedTuple

from hvisa.diagnostics import fail
from hvisa.translators import elf
from hvisa.translators.elf import ObjectFile, Section, parse_object, refuse

PAGE = 4096
# Far below what a 32-bit displacement reaches.
LARGEST_IMAGE = 1 << 28
CODE, CONSTANT, VARIABLE = range(3)

_READ, _READ_WRITE, _READ_EXECUTE = 1, 3, 5
_PRIVATE_ANONYMOUS = 0x22


class LoadedObject:
    """Code in memory. Its addresses are valid for as long as this object is kept."""

    __slots__ = ("__weakref__", "_region", "name", "size_bytes", "symbols")

    def __init__(self, name: str, region: _Region, symbols: dict[str, int]):
        self.name = name
        self.symbols = symbols
        self.size_bytes = region.size
        self._region = region

    def address(self, symbol: str) -> int:
        """Where a symbol that the object exports lies; HV1108 if it exports none of that name."""
        found = self.symbols.get(symbol)
        if found is None:
            refuse(self.name, f"it has no symbol `{symbol}`")
        return found

    def __repr__(self) -> str:
        return f"LoadedObject({self.name!r}, {self.size_bytes} bytes, {len(self.symbols)} symbols)"


def load_object(data: bytes, name: str) -> LoadedObject:
    """The object file `data` placed in memory, ready to be called.

    `name` appears in messages. Raises HV1108 for an object that is damaged, uses an undefined
    symbol or an unknown relocation, and HV1109 on a system that can't run it.
    """
    require_host()
    object_file = parse_object(data, name)
    undefined = object_file.undefined_symbols
    if undefined:
        refuse(name, "it uses what it does not define: " + ", ".join(f"`{s}`" for s in undefined))
    layout = _lay_out(object_file)
    region = _Region(layout.size, name)
    addresses = _addresses(object_file, layout, region.base)
    image = _link(object_file, layout, region.base, addresses)
    region.fill(bytes(image), layout, name)
    symbols: dict[str, int] = {}
    for number, symbol in enumerate(object_file.symbols):
        if not symbol.is_local:
            symbols[object_file.symbol_name(symbol)] = _found(object_file, addresses, number)
    if os.environ.get("HVISA_PERF_MAP") == "1":
        _write_perf_map(object_file, symbols)
    return LoadedObject(name, region, symbols)


def require_host() -> None:
    """Raises HV1109 unless this process can run Linux x86-64 code."""
    if sys.platform != "linux" or sys.maxsize < 1 << 32 or os.uname().machine != "x86_64":
        raise fail("HV1109", f"native code is made for Linux on x86-64, and this is {sys.platform}",
                   help="run the program on the device `reference`")


class _Layout(NamedTuple):
    """Offsets from the start of the image, by section and (for the GOT) by symbol number."""

    sections: dict[int, int]
    got: dict[int, int]
    # The pages of each group, as (start, end).
    groups: tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
    # What lies beyond is zero from the start.
    stored: int
    size: int


def _group(section: Section, name: str) -> int | None:
    """Which pages a section belongs on; None if it isn't needed to run."""
    if (not section.flags & elf.ALLOC or section.kind == elf.UNWIND
            or section.name.startswith((".eh_frame", ".note"))):
        return None
    if (section.kind not in (elf.PROGBITS, elf.NOBITS)
            or section.name.startswith((".ctors", ".dtors"))
            or section.flags & (elf.TLS | elf.COMPRESSED)):
        refuse(name, f"section `{section.name}` is of a kind that only a full linker can place")
    if section.alignment > PAGE or section.alignment & (section.alignment - 1):
        refuse(name, f"section `{section.name}` asks for an alignment of {section.alignment}")
    writable = section.flags & elf.WRITE and not section.name.startswith(".data.rel.ro")
    if section.flags & elf.EXECUTE and section.flags & elf.WRITE:
        refuse(name, f"section `{section.name}` is writable and executable")
    if section.kind == elf.NOBITS and not writable:
        refuse(name, f"section `{section.name}` is constant and has no contents")
    if section.flags & elf.EXECUTE:
        return CODE
    return VARIABLE if writable else CONSTANT


def _lay_out(object_file: ObjectFile) -> _Layout:
    grouped: tuple[list[int], list[int], list[int]] = ([], [], [])
    for number, section in enumerate(object_file.sections):
        group = _group(section, object_file.name)
        if group is not None:
            grouped[group].append(number)
    # Variables without contents come last: they need no bytes in the image.
    grouped[VARIABLE].sort(key=lambda n: object_file.sections[n].kind == elf.NOBITS)
    needed = {n for numbers in grouped for n in numbers}
    got: dict[int, int] = {}
    sections: dict[int, int] = {}
    groups: list[tuple[int, int]] = []
    end = stored = 0
    for group, numbers in enumerate(grouped):
        start = end = _align(end, PAGE)
        for number in numbers:
            section = object_file.sections[number]
            sections[number] = _align(end, section.alignment or 1)
            end = sections[number] + section.size
            if end > LARGEST_IMAGE:
                refuse(object_file.name, f"it needs more than {LARGEST_IMAGE} bytes of memory")
            if section.kind != elf.NOBITS:
                stored = end
        if group == CONSTANT:
            for symbol in _got_symbols(object_file, needed):
                got[symbol] = end = _align(end, 8)
                stored = end = end + 8
        groups.append((start, _align(end, PAGE)))
    size = max(groups[VARIABLE][1], PAGE)
    return _Layout(sections, got, (groups[0], groups[1], groups[2]), stored, size)


def _align(offset: int, alignment: int) -> int:
    return (offset + alignment - 1) & -alignment


# Relocation types. The GOT forms may be relaxed by a linker; an entry is always right.
_NONE, _64, _PC32, _PLT32, _32, _32S, _PC64 = 0, 1, 2, 4, 10, 11, 24
_GOT_RELATIVE = frozenset((9, 41, 42))
_RELATIVE = frozenset((_PC32, _PLT32, _PC64)) | _GOT_RELATIVE
# How the result is stored; what does not fit is an error, never cut off. Whole addresses may wrap.
_STORED = {_64: struct.Struct("<Q"), _PC64: struct.Struct("<Q"), _32: struct.Struct("<I"),
           **dict.fromkeys((_PC32, _PLT32, _32S, *_GOT_RELATIVE), struct.Struct("<i"))}


def _got_symbols(object_file: ObjectFile, needed: set[int]) -> list[int]:
    return sorted({symbol for number in needed
                   for _, kind, symbol, _ in object_file.relocations.get(number, ())
                   if kind in _GOT_RELATIVE})


def _addresses(object_file: ObjectFile, layout: _Layout, base: int) -> list[int | None]:
    """Where each symbol will lie; None for those in parts that are not loaded."""
    starts = {number: base + at for number, at in layout.sections.items()}
    starts[elf.ABSOLUTE] = 0
    return [None if (start := starts.get(symbol.section)) is None else start + symbol.value
            for symbol in object_file.symbols]


def _found(object_file: ObjectFile, addresses: list[int | None], number: int) -> int:
    address = addresses[number]
    if address is None:
        name = object_file.symbol_name(object_file.symbols[number])
        refuse(object_file.name, f"symbol `{name}` is in a part that is not loaded")
    return address


def _link(object_file: ObjectFile, layout: _Layout, base: int,
          addresses: list[int | None]) -> bytearray:
    """The bytes of the image as they must lie at `base`."""
    image = bytearray(layout.stored)
    for number, at in layout.sections.items():
        section = object_file.sections[number]
        if section.kind != elf.NOBITS:
            image[at:at + section.size] = object_file.data[section.offset:
                                                           section.offset + section.size]
    for symbol, at in layout.got.items():
        address = _found(object_file, addresses, symbol)
        image[at:at + 8] = address.to_bytes(8, "little")
    for number in object_file.relocations.keys() & layout.sections.keys():
        _relocate(object_file, layout, base, addresses, image, number)
    return image


def _relocate(object_file: ObjectFile, layout: _Layout, base: int, addresses: list[int | None],
              image: bytearray, number: int) -> None:
    """Applies the relocations of one section."""
    section = object_file.sections[number]
    start = layout.sections[number]
    size = section.size if section.kind != elf.NOBITS else 0
    for offset, kind, symbol, addend in object_file.relocations[number]:
        stored = _STORED.get(kind)
        if stored is None:
            if kind == _NONE:
                continue
            refuse(object_file.name,
                   f"relocation type {kind} in section `{section.name}` is unknown")
        if offset > size - stored.size:
            refuse(object_file.name, f"a relocation lies outside its section `{section.name}`")
        value = addend + (base + layout.got[symbol] if kind in _GOT_RELATIVE else
                          addresses[symbol] or _found(object_file, addresses, symbol))
        if kind in _RELATIVE:
            value -= base + start + offset
        if stored.size == 8:
            value &= (1 << 64) - 1
        try:
            stored.pack_into(image, start + offset, value)
        except struct.error:
            refuse(object_file.name, f"relocation type {kind} in section `{section.name}` "
                                     f"reaches too far: {value:#x}")


class _Region:
    """Pages of this process, given back when the region is dropped."""

    __slots__ = ("__weakref__", "base", "size")

    def __init__(self, size: int, name: str):
        libc = _libc()
        base = libc.mmap(None, size, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0)
        if base in (None, ctypes.c_void_p(-1).value):
            raise fail("HV1108", f"no memory for the {size} bytes of code of `{name}`: "
                       f"{os.strerror(ctypes.get_errno())}",
                       help="drop programs that are no longer needed")
        self.base = base
        self.size = size
        # Threads may still run this code while the process ends: it is not unmapped then.
        weakref.finalize(self, libc.munmap, base, size).atexit = False

    def fill(self, image: bytes, layout: _Layout, name: str) -> None:
        """Writes the image and gives each group of pages its final access."""
        ctypes.memmove(self.base, image, len(image))
        for group, access in ((CODE, _READ_EXECUTE), (CONSTANT, _READ)):
            start, end = layout.groups[group]
            if start < end and _libc().mprotect(self.base + start, end - start, access):
                raise fail("HV1109", f"the system does not let `{name}` become "
                           f"{'code' if group == CODE else 'constant'}: "
                           f"{os.strerror(ctypes.get_errno())}",
                           help="run the program on the device `reference`")


@functools.cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                          ctypes.c_int, ctypes.c_long)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    return libc


def _write_perf_map(object_file: ObjectFile, symbols: dict[str, int]) -> None:
    functions = {object_file.symbol_name(s): s.size for s in object_file.symbols
                 if not s.is_local and s.kind == elf.FUNCTION}
    lines = [f"{symbols[name]:x} {size:x} {' '.join(name.split())}\n"
             for name, size in functions.items()]
    # The place is public and its name guessable, so a link set there by another is not followed.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    try:
        handle = os.open(f"/tmp/perf-{os.getpid()}.map", flags, 0o600)
    except OSError as error:
        import logging
        logging.getLogger("hvisa.loader").warning("perf map not written: %s", error)
        return
    with open(handle, "a", encoding="utf-8") as file:
        file.writelines(lines)
