"""LEB128 numbers, shortest form only: one number has one encoding.

Seven bits a byte, low ones first, the high bit set on all bytes but the last. Signed numbers are
those of two's complement, extended from bit 6 of the last byte. Numbers have at most 64 bits, so 10
bytes.
Source: the DWARF debugging format, version 4, section 7.6.
"""

from __future__ import annotations

MAX_BITS = 64
MAX_BYTES = 10

_ONE_BYTE = tuple(bytes((n,)) for n in range(128))


class LebError(ValueError):
    """The bytes are no number in shortest form. `truncated` tells that they ended too early."""

    def __init__(self, message: str, truncated: bool = False):
        super().__init__(message)
        self.truncated = truncated


def unsigned(value: int) -> bytes:
    """The encoding of a number from 0 to 2^64 - 1."""
    if 0 <= value < 16384:
        return _ONE_BYTE[value] if value < 128 else bytes((value & 127 | 128, value >> 7))
    if not 0 <= value < 1 << MAX_BITS:
        raise LebError(f"{value} does not fit an unsigned number of {MAX_BITS} bits")
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> bytes:
    """The encoding of a number from -2^63 to 2^63 - 1."""
    if not -(1 << MAX_BITS - 1) <= value < 1 << MAX_BITS - 1:
        raise LebError(f"{value} does not fit a signed number of {MAX_BITS} bits")
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value & 127)
    return bytes(out)


def read_unsigned(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The unsigned number at `at`, and the place after it. Raises LebError."""
    value = shift = 0
    for position in range(at, min(end, at + MAX_BYTES)):
        byte = data[position]
        value |= (byte & 127) << shift
        if byte < 128:
            if not byte and shift:
                raise LebError("a number ends in an empty byte; the shortest form is wanted")
            if value >> MAX_BITS:
                raise LebError(f"a number has more than {MAX_BITS} bits")
            return value, position + 1
        shift += 7
    raise _unfinished(at, end)


def read_signed(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The signed number at `at`, and the place after it. Raises LebError."""
    value = shift = 0
    last = 0
    for position in range(at, min(end, at + MAX_BYTES)):
        byte = data[position]
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            if shift > 7 and ((byte == 0 and not last & 64) or (byte == 127 and last & 64)):
                raise LebError("a number ends in an empty byte; the shortest form is wanted")
            if byte & 64:
                value -= 1 << shift
            if not -(1 << MAX_BITS - 1) <= value < 1 << MAX_BITS - 1:
                raise LebError(f"a number has more than {MAX_BITS} bits")
            return value, position + 1
        last = byte
    raise _unfinished(at, end)


def _unfinished(at: int, end: int) -> LebError:
    if end - at < MAX_BYTES:
        return LebError("the bytes end inside a number", truncated=True)
    return LebError(f"a number has more than {MAX_BYTES} bytes")


def zigzag(value: int) -> int:
    """0, -1, 1, -2, ... as 0, 1, 2, 3, ...: small numbers of either sign become small."""
    return value << 1 if value >= 0 else (-value << 1) - 1


def unzigzag(value: int) -> int:
    return -(value + 1 >> 1) if value & 1 else value >> 1
