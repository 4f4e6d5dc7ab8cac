"""Reading with bounds: every number, count and string is checked before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from hvisa.assembler.leb128 import LebError, read_signed, read_unsigned
from hvisa.assembler.problems import problem
from hvisa.diagnostics import HvisaError, Source, Span
from hvisa.spec.limits import Limit


class Reader:
    """A place in the bytes `at` .. `end` of a file, whose section is called `section`."""

    __slots__ = ("at", "data", "end", "section", "source")

    def __init__(self, data: bytes, at: int, end: int, source: Source, section: str):
        self.data = data
        self.at = at
        self.end = end
        self.source = source
        self.section = section

    def span(self, at: int | None = None) -> Span:
        return Span(self.source, offset=self.at if at is None else at, section=self.section)

    def error(self, code: str, detail: str, at: int | None = None) -> HvisaError:
        return problem(code, detail, self.span(at))

    def fail(self, code: str, detail: str, at: int | None = None) -> NoReturn:
        raise self.error(code, detail, at)

    def limit(self, limit: Limit, found: int) -> None:
        """Refuse a number beyond a published limit."""
        if found > limit.value:
            raise HvisaError(limit.diagnostic(found, self.span()))

    # -- numbers -------------------------------------------------------------------------------

    def number(self) -> int:
        """An unsigned number."""
        at, data = self.at, self.data
        # One and two bytes are nearly all; what is wrong, or ends here, goes the long way.
        if at + 1 < self.end:
            low = data[at]
            if low < 128:
                self.at = at + 1
                return low
            high = data[at + 1]
            if 0 < high < 128:
                self.at = at + 2
                return low & 127 | high << 7
        try:
            value, self.at = read_unsigned(data, at, self.end)
        except LebError as error:
            self.fail("HV0821" if error.truncated else "HV0825", str(error), at)
        return value

    def signed(self) -> int:
        at = self.at
        try:
            value, self.at = read_signed(self.data, at, self.end)
        except LebError as error:
            self.fail("HV0821" if error.truncated else "HV0825", str(error), at)
        return value

    def below(self, bound: int, what: str, code: str = "HV0835") -> int:
        """An unsigned number less than `bound`."""
        at = self.at
        value = self.number()
        if value >= bound:
            self.fail(code, f"{what} {value}; there are {bound}", at)
        return value

    def count(self, what: str, least: int = 1) -> int:
        """A count of things that take at least `least` bytes each."""
        at = self.at
        value = self.number()
        if value * least > self.end - self.at:
            self.fail("HV0826", f"{value} {what}, {self.end - self.at} bytes left", at)
        return value

    # -- bytes ---------------------------------------------------------------------------------

    def byte(self) -> int:
        if self.at >= self.end:
            self.fail("HV0821", "a byte is missing")
        self.at += 1
        return self.data[self.at - 1]

    def take(self, size: int, what: str) -> bytes:
        """The next `size` bytes."""
        if size > self.end - self.at:
            self.fail("HV0821", f"{what} of {size} bytes, {self.end - self.at} bytes left")
        self.at += size
        return self.data[self.at - size:self.at]

    def text(self) -> str:
        """Length and UTF-8."""
        at = self.at
        raw = self.take(self.count("bytes of a string"), "a string")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self.fail("HV0831", "not UTF-8", at)

    def inner(self, size: int, section: str | None = None) -> Reader:
        """A reader of the next `size` bytes, which are skipped here."""
        at = self.at
        if size > self.end - at:
            self.fail("HV0821", f"{size} bytes are stated, {self.end - at} are left")
        self.at = at + size
        return Reader(self.data, at, self.at, self.source, section or self.section)

    def done(self, what: str) -> None:
        """Refuse bytes behind the last thing."""
        if self.at != self.end:
            self.fail("HV0827", f"{self.end - self.at} bytes after {what}")


class Strings:
    """A string table as read. `used` has a flag for each entry."""

    __slots__ = ("texts", "used")

    def __init__(self, reader: Reader | None):
        self.texts: list[str] = []
        if reader is not None:
            self._read(reader)
        self.used = bytearray(len(self.texts))

    def _read(self, reader: Reader) -> None:
        last: bytes | None = None
        for number in range(reader.count("strings")):
            at = reader.at
            text = reader.text()
            raw = text.encode()
            if last is not None and raw <= last:
                reader.fail("HV0828", f"string {number}", at)
            last = raw
            self.texts.append(text)

    def get(self, reader: Reader) -> str:
        """The string whose number stands next."""
        number = reader.below(len(self.texts), "string", "HV0830")
        self.used[number] = 1
        return self.texts[number]

    def optional(self, reader: Reader) -> str:
        """The string whose number plus one stands next; empty for 0."""
        at = reader.at
        number = reader.below(len(self.texts) + 1, "string", "HV0830")
        if not number:
            return ""
        self.used[number - 1] = 1
        if not self.texts[number - 1]:
            reader.fail("HV0839", "an empty string is written as 0", at)
        return self.texts[number - 1]

    def check_used(self, reader: Reader) -> None:
        check_used(self.used, "string", reader)


def check_used(used: bytearray, what: str, reader: Reader) -> None:
    """Refuse a table with an entry that nothing refers to."""
    number = used.find(0)
    if number >= 0:
        reader.fail("HV0829", f"{what} {number}")


def read_gaps(reader: Reader, what: str, least: int) -> Iterator[int]:
    """Rising numbers, each written as the gap to the one before."""
    following = 0
    for _ in range(reader.count(what, least)):
        following += reader.number() + 1
        yield following - 1


def check_below(reader: Reader, numbers: dict[int, Any], bound: int, what: str,
                at: int | None = None) -> None:
    """Refuse an annotation of something that is not there. `numbers` are in order."""
    last = next(reversed(numbers), -1)
    if last >= bound:
        reader.fail("HV0830", f"{what} {last}; there are {bound}", at)
