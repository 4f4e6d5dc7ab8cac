"""Relocatable ELF64 x86-64 objects as plain data.

Shared by the translators that make such objects and the loader that places them in memory. Only
what a compiler emits for one position-independent module is understood; everything else is refused
with HV1108. No field of the bytes is believed before it was checked, so damaged input of any kind
ends in `HvisaError`. LLVM is not needed here.

Source: System V ABI, chapter 4 (object files), and its AMD64 supplement, section 4.4 (relocations).
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple, NoReturn

from hvisa.diagnostics import fail

HEADER = struct.Struct("<4s5B7xHHIQQQIHHHHHH")
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
SYMBOL_ENTRY = struct.Struct("<IBBHQQ")
RELA_ENTRY = struct.Struct("<QIIq")

# Section types and flags.
PROGBITS, SYMTAB, STRTAB, RELA, NOBITS, REL = 1, 2, 3, 4, 8, 9
UNWIND = 0x70000001
CREL = 0x40000014
WRITE, ALLOC, EXECUTE, TLS, COMPRESSED = 0x1, 0x2, 0x4, 0x400, 0x800

# Symbol bindings, types and reserved section numbers.
LOCAL = 0
FUNCTION, SECTION_SYMBOL, FILE_SYMBOL, TLS_SYMBOL, INDIRECT = 2, 3, 4, 6, 10
UNDEFINED, ABSOLUTE = 0, 0xFFF1
FIRST_RESERVED = 0xFF00

# Names are looked up by scanning for their end: a bound keeps damaged tables from costing
# quadratic time.
LONGEST_NAME = 4096


class Section(NamedTuple):
    """A section; `offset` is where its bytes start in the file, `kind` tells what `info` means."""

    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


class Symbol(NamedTuple):
    """A symbol; `value` is relative to section number `section`, or absolute for `ABSOLUTE`."""

    name_offset: int
    info: int
    visibility: int
    section: int
    value: int
    size: int

    @property
    def is_local(self) -> bool:
        return self.info >> 4 == LOCAL

    @property
    def kind(self) -> int:
        return self.info & 15


class ObjectFile(NamedTuple):
    """A parsed object.

    `relocations` maps a section's number to what patches it: offset in that section, type, number
    of a symbol, and what is added to its address. Both are plain tuples, as there are many.
    """

    name: str
    data: bytes
    sections: tuple[Section, ...]
    symbols: list[Symbol]
    symbol_names: bytes
    relocations: dict[int, list[tuple[int, int, int, int]]]

    def symbol_name(self, symbol: Symbol) -> str:
        return _text(self.symbol_names, symbol.name_offset, self.name)

    @property
    def undefined_symbols(self) -> list[str]:
        """Names that the object uses and does not define, sorted. Number 0 is the null symbol."""
        return sorted({self.symbol_name(s) for s in self.symbols[1:] if s.section == UNDEFINED})


def refuse(name: str, reason: str) -> NoReturn:
    """Raises HV1108 for the object called `name`."""
    raise fail("HV1108", f"the object code of `{name}` can't be loaded: {reason}",
               help="it is damaged or not made for this loader; translate the program again")


def parse_object(data: bytes, name: str) -> ObjectFile:
    """The object in `data`, every field checked against the size of the data; HV1108 otherwise.

    `name` appears in messages only.
    """
    sections = _sections(data, name)
    symbol_tables = [n for n, s in enumerate(sections) if s.kind == SYMTAB]
    if len(symbol_tables) > 1:
        refuse(name, "it has more than one symbol table")
    relocations: dict[int, list[tuple[int, int, int, int]]] = {}
    parsed = ObjectFile(name, data, sections, [], b"", relocations)
    if symbol_tables:
        parsed = _with_symbols(parsed, sections[symbol_tables[0]])
    count = len(parsed.symbols)
    for section in sections:
        if section.kind in (REL, CREL):
            refuse(name, f"section `{section.name}` holds relocations of an unknown form")
        if section.kind != RELA:
            continue
        if section.link not in symbol_tables or not 0 < section.info < len(sections):
            refuse(name, f"section `{section.name}` points at a section that does not exist")
        entries = _entries(data, section, RELA_ENTRY, name)
        if any(entry[2] >= count for entry in entries):
            refuse(name, f"section `{section.name}` uses a symbol that does not exist")
        relocations.setdefault(section.info, []).extend(entries)
    return parsed


def _sections(data: bytes, name: str) -> tuple[Section, ...]:
    if len(data) < HEADER.size:
        refuse(name, f"{len(data)} bytes are too few for an ELF header")
    (magic, bits, order, version, _, _, kind, machine, _, _, _, table, _, _, _, _, entry_size,
     count, names_at) = HEADER.unpack_from(data)
    if magic != b"\x7fELF" or (bits, order, version) != (2, 1, 1):
        refuse(name, "it is not a little-endian ELF64 file")
    if (kind, machine) != (1, 62):
        refuse(name, f"it is of type {kind} for machine {machine}, not relocatable x86-64")
    if entry_size != SECTION_HEADER.size or not 0 < count < FIRST_RESERVED:
        refuse(name, f"{count} section headers of {entry_size} bytes are not supported")
    if table > len(data) or count * SECTION_HEADER.size > len(data) - table:
        refuse(name, "its section headers reach past its end")
    raw = [SECTION_HEADER.unpack_from(data, table + n * SECTION_HEADER.size)
           for n in range(count)]
    for _, kind, _, _, offset, size, *_ in raw:
        if kind not in (0, NOBITS) and (offset > len(data) or size > len(data) - offset):
            refuse(name, "a section reaches past its end")
    if names_at >= count or raw[names_at][1] != STRTAB:
        refuse(name, "it has no section names")
    names = data[raw[names_at][4]:raw[names_at][4] + raw[names_at][5]]
    return tuple(Section(_text(names, at, name), kind, flags, offset, size, link, info, alignment)
                 for at, kind, flags, _, offset, size, link, info, alignment, _ in raw)


def _with_symbols(parsed: ObjectFile, table: Section) -> ObjectFile:
    sections, name = parsed.sections, parsed.name
    if table.link >= len(sections) or sections[table.link].kind != STRTAB:
        refuse(name, "its symbol table has no names")
    strings = sections[table.link]
    symbols = [Symbol._make(entry)
               for entry in _entries(parsed.data, table, SYMBOL_ENTRY, name)]
    names = parsed.data[strings.offset:strings.offset + strings.size]
    parsed = parsed._replace(symbols=symbols, symbol_names=names)
    sizes = [section.size for section in sections]
    for symbol in symbols:
        _, info, _, section, value, _ = symbol
        if section != ABSOLUTE and section >= len(sizes):
            refuse(name, f"symbol `{parsed.symbol_name(symbol)}` is in section {section}, "
                         "which does not exist")
        if 0 < section < len(sizes) and value > sizes[section]:
            refuse(name, f"symbol `{parsed.symbol_name(symbol)}` lies outside its section")
        if info & 15 in (TLS_SYMBOL, INDIRECT):
            refuse(name, f"symbol `{parsed.symbol_name(symbol)}` is of kind {info & 15}, "
                         "which only a full linker can place")
    return parsed


def _entries(data: bytes, section: Section, entry: struct.Struct, name: str) -> list[Any]:
    if section.size % entry.size:
        refuse(name, f"section `{section.name}` ends in the middle of an entry")
    return list(entry.iter_unpack(data[section.offset:section.offset + section.size]))


def _text(table: bytes, at: int, name: str) -> str:
    end = table.find(b"\0", at, at + LONGEST_NAME)
    if end < 0:
        refuse(name, "a name has no end")
    return table[at:end].decode("utf-8", "backslashreplace")
