from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from hvisa.assembler.leb128 import (
    LebError,
    read_signed,
    read_unsigned,
    signed,
    unsigned,
    unzigzag,
    zigzag,
)


@given(st.integers(0, (1 << 64) - 1))
def test_unsigned_round_trip(value: int) -> None:
    data = unsigned(value)
    assert len(data) == max(1, (value.bit_length() + 6) // 7)
    assert read_unsigned(data + b"x", 0, len(data) + 1) == (value, len(data))


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_signed_round_trip(value: int) -> None:
    data = signed(value)
    assert read_signed(b"x" + data, 1, len(data) + 1) == (value, len(data) + 1)
    assert unzigzag(zigzag(value)) == value


@given(st.binary(max_size=12))
def test_what_is_read_is_the_only_encoding(data: bytes) -> None:
    for read, write in ((read_unsigned, unsigned), (read_signed, signed)):
        try:
            value, end = read(data, 0, len(data))
        except LebError:
            continue
        assert write(value) == data[:end]


@pytest.mark.parametrize("data", [b"\x80\x00", b"\xff\x80\x00", b"\x80" * 10 + b"\x01",
                                  b"\xff" * 9 + b"\x02"])
def test_longer_forms_are_refused(data: bytes) -> None:
    with pytest.raises(LebError) as error:
        read_unsigned(data, 0, len(data))
    assert not error.value.truncated


@pytest.mark.parametrize("data", [b"\xff\x7f", b"\x80\x00", b"\xbf\x7f\x7f"[:2] + b"\x7f"])
def test_longer_signed_forms_are_refused(data: bytes) -> None:
    if data == b"\xbf\x7f\x7f":
        assert read_signed(data, 0, 3)[1] == 2
        return
    with pytest.raises(LebError):
        read_signed(data, 0, len(data))


def test_cut_off_numbers_say_so() -> None:
    for read in (read_unsigned, read_signed):
        with pytest.raises(LebError) as error:
            read(b"\x80\x80", 0, 2)
        assert error.value.truncated


def test_numbers_beyond_64_bits_are_not_written() -> None:
    for value in (-1, 1 << 64):
        with pytest.raises(LebError):
            unsigned(value)
    for value in (-(1 << 63) - 1, 1 << 63):
        with pytest.raises(LebError):
            signed(value)
