"""Bytes that mean a module but are not its one encoding, and bytes that mean nothing: each code."""

from __future__ import annotations

import struct
from collections.abc import Callable
from types import ModuleType

import pytest

from hvisa.assembler import layout
from hvisa.assembler.decoder import decode
from hvisa.assembler.encoder import encode
from hvisa.assembler.layout import MAGIC, Section
from hvisa.assembler.leb128 import signed, unsigned
from hvisa.assembler.parser import parse
from hvisa.assembler.problems import PROBLEMS
from hvisa.diagnostics import HvisaError
from hvisa.spec.table import ROWS

TEXT = """func @f(%a: i32, in %x: buf<f32>[%n]) -> (i32) {
  %b = add %a, 7
  %c = add %b, 9
  yield %c
}
"""
SEEN: set[str] = set()


@pytest.fixture(scope="module")
def parts(fuzzer: ModuleType) -> Callable[[str], tuple[bytes, dict[int, bytes]]]:
    def take(text: str) -> tuple[bytes, dict[int, bytes]]:
        head, sections = fuzzer.split(encode(parse(text), strip_names=True))
        return head, dict(sections)
    return take


def build(sections: dict[int, bytes] | list[tuple[int, bytes]],
          head: bytes = MAGIC + bytes(layout.VERSION)) -> bytes:
    found = sections.items() if isinstance(sections, dict) else sections
    return head + b"".join(unsigned(n) + unsigned(len(p)) + p for n, p in found)


def refused(data: bytes, code: str, words: str = "") -> HvisaError:
    """Check that decoding fails with a code and that the message holds `words`."""
    with pytest.raises(HvisaError) as error:
        decode(data, "a.hvbc")
    found = error.value
    assert found.codes == [code], str(found)
    assert words in str(found), str(found)
    span = found.diagnostics[0].span
    assert span is not None and span.offset >= 0 and span.section
    SEEN.add(code)
    return found


def body(*instructions: bytes, count: int | None = None) -> bytes:
    """A body of a function, with its size."""
    found = unsigned(len(instructions) if count is None else count) + b"\0" + b"".join(instructions)
    return unsigned(len(found)) + found


def op(mnemonic: str, *rest: int) -> bytes:
    return unsigned(ROWS[mnemonic].opcode) + bytes(rest)


def with_body(parts: Callable[[str], tuple[bytes, dict[int, bytes]]], *instructions: bytes,
              count: int | None = None, text: str = TEXT) -> bytes:
    sections = parts(text)[1]
    sections[Section.BODIES] = body(*instructions, count=count)
    return build(sections)


Parts = Callable[[str], tuple[bytes, dict[int, bytes]]]
YIELD_C = op("yield", 1, 2)
ADD_7 = op("add", 0, 4, 1)  # %a is two back, 7 is constant 0
ADD_9 = op("add", 0, 2, 3)


def test_the_parts_are_what_the_encoder_writes(parts: Parts) -> None:
    assert with_body(parts, ADD_7, ADD_9, YIELD_C) == encode(parse(TEXT), strip_names=True)


# -- framing -----------------------------------------------------------------------------------------

def test_no_bytecode() -> None:
    refused(b"", "HV0820", "empty")
    refused(b"leaf @f() {}", "HV0820", "hvisa asm")
    refused(MAGIC[:-1], "HV0820")


def test_cut_off_anywhere() -> None:
    data = encode(parse(TEXT))
    ends = {len(build({}))}
    at = len(MAGIC) + 2
    while at < len(data):
        at += 2 + data[at + 1]
        ends.add(at)
    for size in range(len(data)):
        if size not in ends:
            with pytest.raises(HvisaError):
                decode(data[:size])
    refused(MAGIC, "HV0821")


def test_versions() -> None:
    producer = [(32, b"\1\x08producer" + b"later 9.1")]
    for head in (b"\0\2", b"\1\0", b"\0\0", b"\2\1"):
        error = refused(build(producer, MAGIC + head), "HV0822", "`later 9.1`")
        assert f"{head[0]}.{head[1]}" in str(error) and "0.1" in str(error)
    refused(MAGIC + b"\0\2\x20", "HV0822", "unknown producer")


def test_unknown_required_feature(parts: Parts) -> None:
    module = parse('feature "quantum"\nsection "producer" "68"\n' + TEXT)
    error = refused(encode(module), "HV0823", "`quantum`")
    assert "written by `h`" in str(error) and "0.1" in str(error)


def test_sections_out_of_place(parts: Parts) -> None:
    sections = list(parts(TEXT)[1].items())
    refused(build(sections[::-1]), "HV0824")
    refused(build([sections[0], *sections]), "HV0824")
    refused(build([(9, b"x"), *sections]), "HV0824", "unknown section 9")
    refused(build([*sections, (33, b"x")]), "HV0824", "unknown section 33")
    refused(build([(32, b"\0\1a"), *sections]), "HV0824")
    refused(build([(1, b""), *sections[1:]]), "HV0824", "left out")
    refused(build([s for s in sections if s[0] != Section.BODIES]), "HV0824", "missing")
    hints = (32, b"\0\5hints\1\1a\1\0\1\0\0\1\0\0")
    names = (32, b"\0\5names\1\1a\1\0\0")
    decode(build([*sections, names, hints]))
    refused(build([*sections, hints, names]), "HV0824", "names")
    refused(build([*sections, names, names]), "HV0824", "names")
    refused(build([*sections, (32, b"\0\1z"), names]), "HV0824", "names")
    refused(build([*sections, (32, b"\1" + names[1][1:])]), "HV0824", "names")


def test_longer_numbers(parts: Parts) -> None:
    refused(MAGIC + b"\x80\x00\x01", "HV0825")
    refused(with_body(parts, op("add", 0, 4, 0x81, 0), ADD_9, YIELD_C), "HV0825")
    refused(with_body(parts, ADD_7, ADD_9, b"\xf5\0\1\2"), "HV0825")


def test_counts_beyond_the_bytes(parts: Parts) -> None:
    for section in parts(TEXT)[1]:
        sections = parts(TEXT)[1]
        sections[section] = unsigned(1 << 40) + sections[section]
        with pytest.raises(HvisaError):
            decode(build(sections))
    sections = parts(TEXT)[1]
    sections[Section.STRINGS] = unsigned(1 << 62)
    refused(build(sections), "HV0826")


def test_bytes_left_over(parts: Parts) -> None:
    for section in parts(TEXT)[1]:
        sections = parts(TEXT)[1]
        sections[section] += b"\0"
        with pytest.raises(HvisaError) as error:
            decode(build(sections))
        assert error.value.codes[0] in ("HV0827", "HV0821"), section
    refused(with_body(parts, ADD_7, ADD_9, YIELD_C, b"\0", count=3), "HV0827")


# -- tables ------------------------------------------------------------------------------------------

def test_tables_out_of_order(parts: Parts) -> None:
    sections = parts(TEXT)[1]
    strings = b"\2\1f\1f"
    refused(build({**sections, Section.STRINGS: strings}), "HV0828", "string 1")
    seven, nine = b"\3" + struct.pack("<i", 7), b"\3" + struct.pack("<i", 9)
    assert sections[Section.CONSTANTS] == b"\2" + seven + nine
    refused(build({**sections, Section.CONSTANTS: b"\2" + nine + seven}), "HV0828", "constant 1")
    refused(build({**sections, Section.CONSTANTS: b"\2" + seven + seven}), "HV0828", "constant 1")
    refused(build({**sections, Section.TYPES: b"\2\x0b\3"}), "HV0828", "type 1")
    refused(build({**sections, Section.TYPES: b"\3\3\x0b\x0b"}), "HV0828", "type 2")


def test_entries_without_use(parts: Parts) -> None:
    sections = parts(TEXT)[1]
    refused(build({**sections, Section.STRINGS: b"\2\1f\1g"}), "HV0829")
    refused(build({**sections, Section.CONSTANTS: sections[Section.CONSTANTS][:1].replace(
        b"\2", b"\3") + sections[Section.CONSTANTS][1:] + b"\3\xff\0\0\0"}), "HV0829")
    refused(build({Section.TYPES: b"\1\3"}), "HV0829")
    refused(build({Section.TYPES: b"\0"}), "HV0839")


def test_numbers_of_nothing(parts: Parts) -> None:
    refused(with_body(parts, op("add", 0, 4, 5), ADD_9, YIELD_C), "HV0836")
    refused(with_body(parts, op("call", 0, 1, 2), YIELD_C), "HV0830")
    refused(with_body(parts, op("print", 1, 0), YIELD_C), "HV0830")
    refused(with_body(parts, op("convert", 9, 2), YIELD_C), "HV0830")


def test_strings(parts: Parts) -> None:
    sections = parts(TEXT)[1]
    refused(build({**sections, Section.STRINGS: b"\1\1\xff"}), "HV0831", "UTF-8")
    refused(build({**sections, Section.STRINGS: b"\1\1 "}), "HV0831", "no name")
    refused(build([*sections.items(), (32, b"\0\1\xff")]), "HV0831")


@pytest.mark.parametrize(("entry", "words"), [
    (b"\x0e", "unknown code 14"), (b"\x1f", "unknown code 31"), (b"\x25", "unknown code 37"),
    (b"\x30\x18", "`i24` is reserved"), (b"\x31\x80\x01", "`u128` is reserved"),
    (b"\x30\x20", "a code of its own"), (b"\x31\x01", "a code of its own"),
    (b"\x30\x00", "1 to 128 bits"), (b"\x31\x81\x01", "1 to 128 bits"),
    (b"\x20\x00\x01", "2 to 64 lanes"), (b"\x20\x00\x41", "2 to 64 lanes"),
    (b"\x24\x00\x01\x04\x04", "a symbol")])
def test_types(entry: bytes, words: str) -> None:
    first = b"\2\3" if entry[0] >= 32 and entry[0] < 48 else b"\1"
    refused(build({Section.TYPES: first + entry}), "HV0832", words)


def test_types_of_types() -> None:
    for outer in (b"\x21\1\0", b"\x20\1\4", b"\x22\1\0"):
        refused(build({Section.TYPES: b"\3\3\x21\0\0" + outer}), "HV0832")
    refused(build({Section.TYPES: b"\3\3\x23\0\x23\1"}), "HV0832", "stream")


@pytest.mark.parametrize("dim", [
    b"\3", b"\2", b"\6\1\0", b"\6\1\1\0", b"\6\0\1\0", b"\6\2\1\3\4\4",
    b"\x0a\2\1\2\2\1\0", b"\x0a\2\1\0\3\1\0",
    b"\6\1\1\1\x10\x08", b"\6\1\1\1\1\4", b"\6\1\1\1\1\0", b"\6\1\1\3\1\4",
    b"\6\1\1\5\1\4", b"\6\1\1\5\2\x04\x08", b"\6\1\1\5\2\5\1", b"\6\1\1\x09\1\4",
    b"\6\2\2\2\0", b"\6\2\x09" + b"\0" * 9], ids=lambda d: d.hex())
def test_dimensions(dim: bytes) -> None:
    refused(build({Section.TYPES: b"\2\3\x21\0\1" + dim}), "HV0833")


def test_a_dimension_nested_without_end() -> None:
    dim = b"\6\1\1\1" * 5000 + b"\1\x0c"
    refused(build({Section.TYPES: b"\2\3\x21\0\1" + dim}), "HV0833", "deep")


def test_opcodes(parts: Parts) -> None:
    refused(with_body(parts, b"\x7f", YIELD_C), "HV0834", "opcode 127")
    refused(with_body(parts, unsigned(70000), YIELD_C), "HV0834", "opcode 70000")
    for row in ROWS.values():
        if row.reserved:
            refused(with_body(parts, unsigned(row.opcode), YIELD_C), "HV0834",
                    f"`{row.mnemonic}` is reserved")


# -- bodies ------------------------------------------------------------------------------------------

def test_flags_and_immediates(parts: Parts) -> None:
    refused(with_body(parts, op("add", 128, 1), YIELD_C), "HV0835", "fast mask")
    refused(with_body(parts, op("load", 3, 0, 2, 2, 2), YIELD_C), "HV0835", "choice")
    huge = unsigned(1 << 31)
    refused(with_body(parts, op("extent") + huge + b"\2", YIELD_C), "HV0835", "immediate")
    sections = parts(TEXT)[1]
    declared = sections[Section.DECLARATIONS]
    refused(build({**sections, Section.DECLARATIONS: declared[:1] + b"\7" + declared[2:]}), "HV0835")


def test_operands(parts: Parts) -> None:
    refused(with_body(parts, op("add", 0, 0, 1), YIELD_C), "HV0836")
    refused(with_body(parts, op("add", 0, 8, 1), YIELD_C), "HV0836")
    refused(with_body(parts, op("yield", 1, 0)), "HV0836")
    text = "func @f(%c: i1) {\n  if %c {\n    %d = not %c\n  }\n  %e = not %c\n}\n"
    data = bytearray(encode(parse(text), strip_names=True))
    last = data.rindex(unsigned(ROWS["not"].opcode) + b"\4")
    data[last + 1] = 2
    refused(bytes(data), "HV0836", "1 values back")


def test_regions(parts: Parts) -> None:
    refused(with_body(parts, op("check", 2)), "HV0837", "`check`")
    loop = op("while", 0)
    refused(with_body(parts, loop, op("yield", 0)), "HV0837", "not `check`")
    call = op("call", 0, 0, 4, 2)
    refused(with_body(parts, ADD_7, ADD_9, op("node", 0), YIELD_C), "HV0837", "of a func")
    with pytest.raises(HvisaError):
        decode(with_body(parts, ADD_7, ADD_9, call, YIELD_C))


def test_bits_beyond_the_type(parts: Parts) -> None:
    text = "const @c: buf<i1>[2] = [true, true]\nfunc @f() -> (i1) {\n  yield true\n}\n"
    sections = parts(text)[1]
    assert sections[Section.CONSTANTS] == b"\1\0\1"
    refused(build({**sections, Section.CONSTANTS: b"\1\0\2"}), "HV0838")
    data = sections[Section.DATA]
    refused(build({**sections, Section.DATA: data[:-1] + b"\2"}), "HV0838")


def test_what_could_be_left_out(parts: Parts) -> None:
    refused(build({Section.REQUIREMENTS: b"\0\0"}), "HV0839")
    refused(build({Section.DATA: b"\0"}), "HV0839")
    refused(build({Section.DECLARATIONS: b"\0"}), "HV0839")
    sections = list(parts(TEXT)[1].items())
    for name, contents in (("names", b"\0\0\0\0"), ("hints", b"\0\0"), ("source_map", b"\0\0"),
                           ("names", b"\0\0\0\1\0\0\0\0\0"), ("hints", b"\0\1\0\0\0")):
        data = b"\0" + unsigned(len(name)) + name.encode() + contents
        refused(build([*sections, (32, data)]), "HV0839")
    for value, default in ((0, "s0"), (1, "1")):
        table = b"\1" + unsigned(len(default)) + default.encode()
        data = b"\0\5names" + table + b"\0\0\1\0\0\1" + bytes((value, 0)) + b"\0\0"
        refused(build([*sections, (32, data)]), "HV0839", "the default")


def test_a_displacement_of_nothing(parts: Parts) -> None:
    text = "func @f(%i: index, in %x: buf<f32>[%n]) {\n  %v = load %x[%i + 1]\n}\n"
    found = encode(parse(text), strip_names=True)
    load = op("load", 0, 0, 3, 2, 4, 1)
    assert load in found
    refused(found.replace(load, load[:-1] + b"\0"), "HV0839", "no displacement")
    far = signed(-(1 << 31) - 1)
    longer = found.replace(load, load[:-1] + far)
    with pytest.raises(HvisaError):
        decode(longer)  # the sizes of body and section no longer fit


def test_a_written_type_of_the_init(parts: Parts) -> None:
    text = "func @f(%a: i32) {\n  %r = while (%x = %a) {\n    check true\n  } do {\n    yield %x\n  }\n}\n"
    found = encode(parse(text), strip_names=True)
    loop = op("while", 1, 2, 3)
    assert loop in found
    refused(found.replace(loop, loop[:-1] + b"\7"), "HV0839", "that of its init")
    refused(found.replace(loop, loop[:-1] + b"\0"), "HV0835", "constant")


def test_names_taken(parts: Parts) -> None:
    sections = list(parts(TEXT)[1].items())
    data = b"\0\5names" + b"\1\1z" + b"\0\0\1\0\0\2\3\0\0\0" + b"\0\0"
    refused(build([*sections, (32, data)]), "HV0840", "`%z`")
    two = "private func @a() {\n}\nprivate func @b() {\n}\n"
    sections = list(parts(two)[1].items())
    data = b"\0\5names" + b"\1\2d1" + b"\0\0\1\0\1\0\0\0"
    refused(build([*sections, (32, data)]), "HV0840", "`@d1`")


def test_stated_counts(parts: Parts) -> None:
    refused(with_body(parts, ADD_7, ADD_9, YIELD_C, count=2), "HV0841")
    refused(with_body(parts, ADD_7, ADD_9, YIELD_C, count=4), "HV0841")
    sections = parts(TEXT)[1]
    declared = sections[Section.DECLARATIONS]
    assert declared[:5] == b"\1\6\0\1\2"
    refused(build({**sections, Section.DECLARATIONS: declared[:3] + b"\2" + declared[4:]}), "HV0841")


def test_symbols(parts: Parts) -> None:
    sections = parts(TEXT)[1]
    types = sections[Section.TYPES]
    assert types.endswith(b"\x21\1\1\1")
    for number in (1, 2, 3):  # %a is no index, %x is a buffer, 3 does not exist
        refused(build({**sections, Section.TYPES: types[:-1] + unsigned(number << 2 | 1)}),
                "HV0842")


def test_shared_dimensions_written_out_many_times() -> None:
    """400 definitions of 35 bytes that use one type of some 3,000 parts."""
    monomials = sorted(bytes((2, 2 * a, 2 * b)) for a in range(12) for b in range(a, 12))[:60]
    dim = unsigned(len(monomials) << 2 | 2) + b"".join(b"\2" + m for m in monomials)
    types = b"\3\3\x0d\x21\0\x10" + dim * 16
    twelve_indices = b"\0\x0c" + b"\1\0" * 12
    declaration = b"\2" + twelve_indices + b"\1\2" + b"\0\0\0"
    count = 400
    refused(build({Section.TYPES: types,
                   Section.DECLARATIONS: unsigned(count) + declaration * count,
                   Section.BODIES: body(op("yield", 0)) * count}), "HV0843")


def test_every_code_has_a_test() -> None:
    assert PROBLEMS.keys() - SEEN <= {"HV0845"}
