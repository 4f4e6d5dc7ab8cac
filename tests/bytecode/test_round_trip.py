"""Text to bytes and back: names, bits, attributes, optional sections, places."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hvisa.assembler.decoder import decode
from hvisa.assembler.encoder import encode
from hvisa.assembler.parser import parse
from hvisa.assembler.printer import print_module
from hvisa.diagnostics import HvisaError
from hvisa.graph.model import (
    Attribute,
    Constant,
    DimValue,
    Function,
    Instr,
    LeafNode,
    Literal,
    Module,
    Port,
    Region,
    Value,
    instructions,
)
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.literals import format_literal
from hvisa.spec.table import ROWS

LEAF = """leaf @f(in %x: buf<f32>[%n], %k: index, out %y: buf<f32>[%n]) grid(%i < %n) {{
{body}
}}
"""


def round_trip(module: Module, **options: bool) -> Module:
    """The module after a trip through bytes, which must be stable."""
    data = encode(module, **options)
    found = decode(data)
    assert encode(found) == data
    return found


def same(text: str) -> Module:
    """Check that a text survives bytes, and that its bytes survive text; the decoded module."""
    module = parse(text)
    found = round_trip(module)
    printed = print_module(module)
    assert print_module(found) == printed
    assert encode(parse(printed)) == encode(module)
    return found


def leaf(body: str) -> str:
    return LEAF.format(body=body)


def test_assemble_disassemble_assemble_gives_the_same_bytes() -> None:
    # Neither comments nor lay-out nor the order of attributes are part of a module.
    text = """
    // a comment
    leaf @f(in %x: buf<f32>[%n] , out %y: buf<f32>[%n])   grid(%i < %n)
         with (hint unroll = 4, requirement accuracy = 1e-3, licence knob = 2) {
      %v = load   %x[ %i+1-1 ]   ;   store %v, %y[%i]
    }
    """
    data = encode(parse(text))
    assert encode(parse(print_module(decode(data)))) == data


@given(st.sampled_from([t for t in ty.SCALARS if t is not ty.I1]), st.data())
@settings(max_examples=60, deadline=None)
def test_every_bit_of_a_number_is_kept(type_: ty.ScalarType, data: st.DataObject) -> None:
    special = [0, 1, (1 << type_.bits) - 1, 1 << type_.bits - 1]
    if type_.is_float:
        quiet = {ty.F16: 0x7E00, ty.BF16: 0x7FC0, ty.F32: 0x7FC00000, ty.F64: 0x7FF8 << 48}[type_]
        special += [quiet, quiet | 5, quiet | 1 << type_.bits - 1, (quiet << 1 & ~quiet) | quiet - 3]
    bits = data.draw(st.sampled_from(special) | st.integers(0, (1 << type_.bits) - 1))
    literal = format_literal(bits, type_)
    found = same(f"const @c: {type_} = {literal}\nfunc @f(%a: {type_}) -> ({type_}) {{\n"
                 f"  yield {literal}\n}}\n")
    constant = found.definitions["f"].body.body[0].operands[0]  # type: ignore[union-attr]
    assert constant == Constant(type_, bits)
    raw = found.constants["c"].data
    assert int(raw.reshape(1).view(f"uint{type_.bits}")[0]) == bits


def test_names_are_kept_exactly() -> None:
    text = """module "naïve \\"module\\""

private const @table: buf<u8>[2] = [1, 2]

private func @helper(%7: i32, %x.y: i32) -> (%sum: i32, i32) {
  %1 = add %7, %x.y
  %1.0 = sub %1, %7
  yield %1, %1.0
}

graph @g(in %a: buf<i32>[%rows, %cols]) -> () {
}
"""
    module = parse(text.replace(" -> () ", " "))
    found = same(print_module(module))
    assert found.name == 'naïve "module"'
    helper = found.definitions["helper"]
    assert helper.result_names == ["sum", None]
    assert list(found.definitions["g"].symbols) == ["rows", "cols"]


def test_stripping_leaves_no_private_name() -> None:
    text = """module "secret"
private const @secret_table: buf<u8>[2] = [1, 2]
private func @secret_helper(%secret_a: i32) -> (%secret_result: i32) {
  yield %secret_a
}
func @public(%secret_b: i32, in %secret_x: buf<f32>[%secret_n]) -> (i32) {
  %secret_c = call @secret_helper(%secret_b)
  %secret_v = load @secret_table[0]
  yield %secret_c
}
"""
    data = encode(parse(text), strip_names=True)
    assert b"secret" not in data and b"public" in data
    found = decode(data)
    assert list(found.definitions) == ["d0", "public"]
    assert list(found.constants) == ["c0"]
    assert list(found.definitions["public"].symbols) == ["s0"]
    assert encode(found) == data == encode(found, strip_names=True)


def test_default_names_are_not_written() -> None:
    stripped = decode(encode(parse(leaf("  %v = load %x[%i]\n  store %v, %y[%k]")), strip_names=True))
    assert b"names" not in encode(stripped)
    assert b"names" not in encode(parse(print_module(stripped)))


def test_a_default_name_avoids_public_ones() -> None:
    module = parse("private func @d1() {\n}\nfunc @d0() {\n}\n")
    found = decode(encode(module, strip_names=True))
    assert list(found.definitions) == ["d0.0", "d0"]


def test_attributes_and_hints() -> None:
    values = "hint a, hint b = false, hint c = -5, hint d = 1e22 ms, licence e = \"x\\x01\", " \
             "requirement f = nan, requirement g = -inf Hz, licence a = 1"
    found = same(leaf(f"  barrier with ({values})").replace(
        ") {", f") with ({values}) {{", 1))
    leaf_ = found.definitions["f"]
    assert leaf_.body is not None
    for attributes in (leaf_.attributes, leaf_.body.body[0].attributes):
        assert [(a.kind, a.name) for a in attributes] == [
            (0, "a"), (0, "b"), (0, "c"), (0, "d"), (1, "a"), (1, "e"), (2, "f"), (2, "g")]
    assert leaf_.attributes[3].value == 1e22 and leaf_.attributes[3].unit == "ms"
    assert struct.pack("<d", leaf_.attributes[6].value) == struct.pack("<Q", 0x7FF8 << 48)


def test_hints_stand_apart() -> None:
    plain = encode(parse(leaf("  barrier")))
    hinted = encode(parse(leaf("  barrier with (hint place = \"here\")")))
    assert hinted.startswith(plain[:plain.index(b"names") - 4])
    assert b"place" in hinted and b"place" not in plain


def test_unknown_sections_are_kept_in_order() -> None:
    sections = [("z", False, b"\0\xff"), ("a", True, b""), ("z", True, b"hvisa"),
                ("producer", True, b"someone else 2.0")]
    module = parse(leaf("  barrier"))
    module.sections = list(sections)
    assert round_trip(module).sections == sections
    assert same(print_module(module)).sections == sections


def test_a_section_may_not_take_a_name_of_ours() -> None:
    module = parse(leaf("  barrier"))
    module.sections = [("names", False, b"")]
    with pytest.raises(HvisaError) as error:
        encode(module)
    assert error.value.codes == ["HV0845"]


def test_source_map_restores_places() -> None:
    text = leaf("  %v = load %x[%i]\n\n\n  if true {\n    store %v, %y[%k]\n  }")
    module = parse(text, "place.hvasm")
    assert b"place.hvasm" not in encode(module)
    data = encode(module, source_map=True)
    found = decode(data)
    for old, new in zip(instructions(module.definitions["f"].body or Region()),
                        instructions(found.definitions["f"].body or Region()), strict=True):
        assert old.span is not None and new.span is not None
        assert (str(new.span), new.span.column) == (str(old.span), old.span.column)
    # What was decoded with places keeps them, unless told not to.
    assert encode(found) == data
    assert encode(found, source_map=False) == encode(module)


def test_several_files_in_one_source_map() -> None:
    first, second = parse("func @a() {\n  barrier\n}", "a.hvasm"), parse(
        "\n\nfunc @b() {\n  barrier\n  barrier\n}", "b.hvasm")
    body = first.definitions["a"].body
    other = second.definitions["b"].body
    assert body is not None and other is not None
    body.body[:1] = [other.body[0], body.body[0], other.body[1]]
    body.body[2].span = None
    data = encode(first, source_map=True)
    found = decode(data)
    assert encode(found) == data
    spans = [i.span for i in instructions(found.definitions["a"].body or Region())]
    assert [str(s) for s in spans] == ["b.hvasm:4:3", "a.hvasm:2:3", "None", "a.hvasm:2:3"]


def test_contents_of_constants() -> None:
    found = same("const @a: buf<i1>[2, 2] = [true, false, true, true]\n"
                 "const @b: buf<f64>[] = [0.1]\nconst @c: buf<i16>[0, 5] = []\n"
                 "public const @d: bf16 = nan(0xffff)\n")
    assert found.constants["a"].data.tolist() == [[True, False], [True, True]]
    assert found.constants["b"].data.shape == () and found.constants["c"].data.shape == (0, 5)
    assert found.constants["d"].public and int(found.constants["d"].data.view("uint16")) == 0xFFFF


def test_a_module_built_by_hand_is_put_in_its_one_form() -> None:
    """Operands that the text can write in another way come out as the text writes them."""
    module = parse(leaf("  %v = load %x[%i]\n  %w = add %k, 1"))
    body = module.definitions["f"].body
    assert body is not None
    load, add, *_ = body.body
    load.operands[1] = DimValue(dims.symbol("k") + 3)
    load.offsets = (-1,)
    add.operands[0] = DimValue(dims.symbol("k"))
    add.operands[1] = DimValue(dims.constant(7))
    assert encode(module) == encode(parse(leaf("  %v = load %x[%k + 2]\n  %w = add %k, 7")))


def test_a_missing_terminator_is_written() -> None:
    module = parse("func @f() {\n  barrier\n}")
    wanted = encode(module)
    body = module.definitions["f"].body
    assert body is not None and body.body.pop().row is ROWS["yield"]
    assert encode(module) == wanted


def _function(*instrs: Instr) -> Module:
    module = Module()
    function = module.definitions["f"] = Function("f")
    function.body = Region([], [*instrs, Instr(ROWS["yield"], [], [])])
    return module


def test_unnamed_values_get_names() -> None:
    result = Value(None, ty.I32)
    module = _function(Instr(ROWS["add"], [Constant(ty.I32, 1), Constant(ty.I32, 2)], [result]))
    assert print_module(round_trip(module)) == "func @f() {\n  %0 = add i32 1, 2\n}\n"


BROKEN = {
    "undefined operand": lambda: _function(Instr(ROWS["neg"], [Value("x", ty.I32)],
                                                 [Value("y", ty.I32)])),
    "literal": lambda: _function(Instr(ROWS["neg"], [Literal("1")], [Value("y", ty.I32)])),
    "operands": lambda: _function(Instr(ROWS["neg"], [], [Value("y", ty.I32)])),
    "immediates": lambda: _function(Instr(ROWS["print"], [], [])),
    "reserved": lambda: _function(Instr(ROWS["mma"], [], [])),
    "callee": lambda: _function(Instr(ROWS["call"], [], [])),
    "early end": lambda: _function(Instr(ROWS["yield"], [], [])),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_module_is_refused(name: str) -> None:
    with pytest.raises(HvisaError) as error:
        encode(BROKEN[name]())
    assert error.value.codes == ["HV0845"]


def test_names_that_text_can_not_hold_are_refused() -> None:
    for name in ("a b", "", "ä", "1\n"):
        module = Module()
        node = module.definitions["f"] = LeafNode("f")
        node.ports.append(Port(Value(name, ty.I32)))
        node.body = Region([], [Instr(ROWS["yield"], [], [])])
        with pytest.raises(HvisaError):
            encode(module)


def test_two_values_of_one_name_are_refused_in_one_scope_only() -> None:
    same("func @f(%c: i1) {\n  if %c {\n    %x = not %c\n  } else {\n    %x = not %c\n  }\n"
         "  %x = not %c\n}\n")
    module = parse("func @f(%c: i1) {\n  %x = not %c\n  %y = not %c\n}")
    body = module.definitions["f"].body
    assert body is not None
    body.body[1].results[0].name = "x"
    with pytest.raises(HvisaError):
        encode(module)


def test_an_attribute_twice_is_refused() -> None:
    module = parse(leaf("  barrier"))
    module.definitions["f"].attributes = (Attribute(1, "a", 1), Attribute(1, "a", 1))
    with pytest.raises(HvisaError):
        encode(module)


# -- generated ---------------------------------------------------------------------------------------

SYMBOLS = ("m", "n", "k")


def dimensions() -> st.SearchStrategy[dims.Dim]:
    leaves = st.integers(-70, 70).map(dims.constant) | st.sampled_from(SYMBOLS).map(dims.symbol)

    def grow(inner: st.SearchStrategy[dims.Dim]) -> st.SearchStrategy[dims.Dim]:
        pairs = st.tuples(inner, inner)
        divisor = st.integers(1, 9).map(dims.constant) | st.sampled_from(SYMBOLS).map(dims.symbol)
        return st.one_of(
            pairs.map(lambda p: p[0] + p[1]), pairs.map(lambda p: p[0] - p[1]),
            pairs.map(lambda p: p[0] * p[1]), pairs.map(lambda p: dims.minimum(*p)),
            pairs.map(lambda p: dims.maximum(*p)),
            st.tuples(inner, divisor).map(lambda p: dims.floordiv(*p)),
            st.tuples(inner, divisor).map(lambda p: dims.mod(*p)))
    return st.recursive(leaves, grow, max_leaves=8)


@given(st.lists(dimensions(), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_any_dimension(found: list[dims.Dim]) -> None:
    shape = ", ".join(map(str, found))
    header = ", ".join(f"%{s}: index" for s in SYMBOLS)
    result = same(f"graph @g({header}) {{\n  %z = zeros buf<f32>[{shape}]\n"
                  f"  %s = slice %z[{', '.join(f'{d} :+ 1' for d in found)}]\n}}\n")
    body = result.definitions["g"].body
    assert body is not None
    type_ = body.body[0].type_argument
    assert isinstance(type_, ty.BufferType) and list(type_.shape) == found


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_straight_code(data: st.DataObject) -> None:
    """Random arithmetic on two types, with regions around parts of it."""
    lines: list[str] = []
    scope = [(0, ["a"])]
    for number in range(data.draw(st.integers(1, 25))):
        known = [name for _, names in scope for name in names]
        operand = st.sampled_from([f"%{n}" for n in known]) | st.integers(-99, 99).map(str)
        choice = data.draw(st.integers(0, 9))
        pad = "  " * len(scope)
        if choice == 0 and len(scope) < 4:
            lines.append(f"{pad}for %k{number} in 0 .. 3 {{")
            scope.append((number, []))
        elif choice == 1 and len(scope) > 1:
            scope.pop()
            lines.append("  " * len(scope) + "}")
        else:
            op = data.draw(st.sampled_from(("add", "sub", "mul", "and", "shl", "max")))
            lines.append(f"{pad}%v{number} = {op} %{data.draw(st.sampled_from(known))}, "
                         f"{data.draw(operand)}")
            scope[-1][1].append(f"v{number}")
    while len(scope) > 1:
        scope.pop()
        lines.append("  " * len(scope) + "}")
    same("func @f(%a: i64) {\n" + "\n".join(lines) + "\n}\n")


def test_big_endian_and_strided_contents() -> None:
    module = parse("const @c: buf<i32>[2, 2] = [1, 2, 3, 4]")
    wanted = encode(module)
    constant = module.constants["c"]
    constant.data = constant.data.astype(">i4").T.copy().T
    assert encode(module) == wanted
    constant.data = np.zeros((2, 3), np.int32)
    with pytest.raises(HvisaError):
        encode(module)
