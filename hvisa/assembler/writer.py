"""Bytes with holes: tables are sorted when all entries are known, then holes get their numbers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

from hvisa.assembler.leb128 import signed, unsigned


class Numbering(Protocol):
    """What a hole asks for its number, once the tables are settled."""

    index: dict[Any, int]


class Table:
    """A sorted table of byte strings. Each key that is referred to gets an entry."""

    def __init__(self) -> None:
        self.keys: set[bytes] = set()
        self.index: dict[bytes, int] = {}

    def settle(self) -> list[bytes]:
        """Number the keys; the entries in order."""
        entries = sorted(self.keys)
        self.index = {key: n for n, key in enumerate(entries)}
        return entries

    def use(self, key: bytes) -> bytes:
        self.keys.add(key)
        return key


class Writer:
    """Growing bytes. `refer` leaves a hole for `scale * number + bias` of a table's entry."""

    __slots__ = ("holes", "out")

    def __init__(self) -> None:
        self.out = bytearray()
        self.holes: list[tuple[int, Numbering, Hashable, int, int]] = []

    def number(self, value: int) -> None:
        if 0 <= value < 128:
            self.out.append(value)
        else:
            self.out += unsigned(value)

    def signed(self, value: int) -> None:
        self.out += signed(value)

    def refer(self, table: Numbering, key: Hashable, scale: int = 1, bias: int = 0) -> None:
        self.holes.append((len(self.out), table, key, scale, bias))

    def string(self, strings: Table, text: bytes) -> None:
        """The number of a string."""
        self.refer(strings, strings.use(text))

    def optional_string(self, strings: Table, text: bytes) -> None:
        """One more than the number of a string; 0 for the empty one."""
        if text:
            self.refer(strings, strings.use(text), 1, 1)
        else:
            self.out.append(0)

    def finish(self) -> bytes:
        """All bytes, holes filled."""
        if not self.holes:
            return bytes(self.out)
        done, source, last = bytearray(), self.out, 0
        for at, table, key, scale, bias in self.holes:
            done += source[last:at]
            last = at
            value = table.index[key] * scale + bias
            if value < 128:
                done.append(value)
            elif value < 16384:
                done.append(value & 127 | 128)
                done.append(value >> 7)
            else:
                done += unsigned(value)
        done += source[last:]
        return bytes(done)


def string_table(strings: Table) -> bytes:
    """A table of strings: count, then length and UTF-8 of each. Settles the table."""
    entries = strings.settle()
    out = bytearray(unsigned(len(entries)))
    for entry in entries:
        out += unsigned(len(entry))
        out += entry
    return bytes(out)
