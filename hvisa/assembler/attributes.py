"""Attributes in bytecode: a list sorted by kind, name, value and unit, without repeats.

Licences and requirements stand in the semantic sections, hints in their own optional one.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence

from hvisa.assembler.layout import ATTRIBUTE_VALUES
from hvisa.assembler.leb128 import LebError, signed
from hvisa.assembler.problems import unencodable
from hvisa.assembler.reader import Reader, Strings
from hvisa.assembler.writer import Table, Writer
from hvisa.diagnostics import Span
from hvisa.graph.model import Attribute
from hvisa.spec.operations import ATTRIBUTE_KINDS

HINT = ATTRIBUTE_KINDS.index("hint")
FALSE, TRUE, INTEGER, FLOAT, STRING = range(len(ATTRIBUTE_VALUES))
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NAN = struct.pack("<Q", 0x7FF8 << 48)

# Kind, name, code of the value, its bytes, unit: what attributes are sorted by.
Key = tuple[int, bytes, int, bytes, bytes]


def attribute_key(attribute: Attribute) -> Key:
    """The parts of an attribute as bytes."""
    value = attribute.value
    if isinstance(value, bool):
        code, raw = (TRUE if value else FALSE), b""
    elif isinstance(value, int):
        code, raw = INTEGER, signed(value)
    elif isinstance(value, float):
        # The text form has one NaN.
        code, raw = FLOAT, struct.pack("<d", value) if value == value else _NAN
    else:
        code, raw = STRING, value.encode()
    return attribute.kind, attribute.name.encode(), code, raw, attribute.unit.encode()


def write_attributes(writer: Writer, strings: Table, attributes: Sequence[Attribute],
                     span: Span | None, hints: bool = False) -> None:
    """The hints, or all but the hints, of a list of attributes."""
    try:
        keys = sorted(attribute_key(a) for a in attributes if (a.kind == HINT) == hints)
    except LebError as error:
        raise unencodable(f"an attribute: {error}", span) from None
    if len(set(keys)) != len(keys):
        raise unencodable("an attribute is written twice", span)
    writer.number(len(keys))
    for kind, name, code, raw, unit in keys:
        writer.number(kind)
        writer.string(strings, name)
        writer.number(code)
        if code == STRING:
            writer.string(strings, raw)
        else:
            writer.out += raw
        writer.optional_string(strings, unit)


Listed = Iterable[tuple[int, Sequence[Attribute]]]


def write_listed(writer: Writer, strings: Table, listed: Listed, hints: bool = False) -> None:
    """Attributes of instructions: for each that has some, the gap to the one before, and they."""
    kept = [(n, a) for n, a in listed if any((x.kind == HINT) == hints for x in a)]
    writer.number(len(kept))
    following = 0
    for number, attributes in kept:
        writer.number(number - following)
        following = number + 1
        write_attributes(writer, strings, attributes, None, hints)


def read_listed(reader: Reader, strings: Strings,
                hints: bool = False) -> dict[int, tuple[Attribute, ...]]:
    """Attributes by the number of their instruction, rising."""
    found: dict[int, tuple[Attribute, ...]] = {}
    following = 0
    for _ in range(reader.count("instructions", 6)):
        at = reader.at
        number = following + reader.number()
        following = number + 1
        found[number] = read_attributes(reader, strings, hints)
        if not found[number]:
            reader.fail("HV0839", "an instruction without attributes is not listed", at)
    return found


def read_attributes(reader: Reader, strings: Strings, hints: bool = False) -> tuple[Attribute, ...]:
    """A list of attributes; all must be hints, or none."""
    out: list[Attribute] = []
    last: Key | None = None
    for _ in range(reader.count("attributes", 4)):
        at = reader.at
        kind = reader.below(len(ATTRIBUTE_KINDS), "attribute kind")
        if (kind == HINT) != hints:
            reader.fail("HV0835", f"a {ATTRIBUTE_KINDS[kind]} does not stand in this section", at)
        name = strings.get(reader)
        value = _read_value(reader, strings)
        found = Attribute(kind, name, value, strings.optional(reader))
        for word in (name, found.unit) if found.unit else (name,):
            if not _WORD.fullmatch(word):
                reader.fail("HV0831", f"{word!r} is no word", at)
        key = attribute_key(found)
        if last is not None and key <= last:
            reader.fail("HV0828", f"attribute `{name}`", at)
        last = key
        out.append(found)
    return tuple(out)


def _read_value(reader: Reader, strings: Strings) -> bool | int | float | str:
    code = reader.below(len(ATTRIBUTE_VALUES), "attribute value")
    if code == INTEGER:
        return reader.signed()
    if code == STRING:
        return strings.get(reader)
    if code != FLOAT:
        return code == TRUE
    at = reader.at
    raw = reader.take(8, "a float")
    value: float = struct.unpack("<d", raw)[0]
    if value != value and raw != _NAN:
        reader.fail("HV0838", "an attribute has one NaN", at)
    return value
