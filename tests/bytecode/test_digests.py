"""What changes a digest and what does not (semantics 25)."""

from __future__ import annotations

import re

import pytest

from hvisa.assembler.decoder import decode
from hvisa.assembler.digests import file_digest, module_digest, node_digest
from hvisa.assembler.encoder import encode
from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError

TEXT = """math 1

const @taps: buf<f32>[2] = [0.5, 0.25]
const @other: f32 = 1.0

func @scale(%x: f32, in %w: buf<f32>[%k]) -> (f32) {
  %t = load @taps[1]
  %y = mul %x, %t
  yield %y
}

func @unrelated(%x: f32) -> (f32) {
  %y = add %x, @other
  yield %y
}

leaf @blur(in %a: buf<f32>[%m + %n, %n], in %b: buf<f32>[%m], out %c: buf<f32>[%n]) grid(%i < %n) {
  %v = load.clamp %a[%i, %i - 1]
  %s = call @scale(%v, %b)
  store %s, %c[%i]
}

graph @main(in %a: buf<f32>[%m + %n, %n], in %b: buf<f32>[%m]) -> (buf<f32>[%n]) {
  %r = node @blur(%a, %b)
  yield %r
}
"""


def digest(text: str, name: str = "main") -> str:
    return node_digest(parse(text), name)


KEPT = {
    "values renamed": lambda t: re.sub(r"%(\w+)", lambda m: "%z" + m[1][::-1] + "_", t),
    "symbols in another order of names": lambda t: t.replace("%m", "%zz").replace("%n", "%aa"),
    "definitions renamed": lambda t: re.sub(r"@(\w+)", r"@new_\1", t),
    "private": lambda t: t.replace("leaf @blur", "private leaf @blur"),
    "hints": lambda t: t.replace("%i < %n) {", "%i < %n) with (hint place = \"gpu\") {").replace(
        "%i - 1]", "%i - 1] with (hint stream)"),
    "unrelated function changed": lambda t: t.replace("add %x, @other", "sub %x, @other"),
    "unrelated function removed": lambda t: re.sub(r"func @unrelated.*?\n}\n", "", t, flags=re.DOTALL),
    "unrelated constant": lambda t: t.replace("@other: f32 = 1.0", "@other: f32 = 2.0"),
    "constants reordered": lambda t: "const @before: i8 = 1\n" + t,
    "definitions reordered": lambda t: t.replace("func @unrelated", "leaf @new() {\n}\n\nfunc @unrelated"),
    "a feature": lambda t: 'feature "more"\n' + t,
    "module name and sections": lambda t: f'module "x"\n{t}\nsection "notes" safe "00"\n',
    "comments": lambda t: t.replace("  store", "  // stored here\n\n  store"),
}
CHANGED = {
    "an operation": lambda t: t.replace("mul %x, %t", "div %x, %t"),
    "fast": lambda t: t.replace("mul %x", "mul.fast(contract) %x"),
    "a constant's contents": lambda t: t.replace("0.25", "0.125"),
    "an index": lambda t: t.replace("@taps[1]", "@taps[0]"),
    "a displacement": lambda t: t.replace("%i - 1]", "%i - 2]"),
    "a bounds form": lambda t: t.replace("load.clamp", "load.zero"),
    "an operand": lambda t: t.replace("store %s, %c", "store %v, %c"),
    "a shape": lambda t: t.replace("in %a: buf<f32>[%m + %n, %n]", "in %a: buf<f32>[%m, %n]"),
    "an access mode": lambda t: t.replace("out %c", "out own checked %c"),
    "a layout": lambda t: t.replace("in %a", "in strided %a"),
    "the effect class": lambda t: t.replace("%i < %n) {", "%i < %n) inexact {"),
    "a licence": lambda t: t.replace("%i < %n) {", "%i < %n) with (licence precision = \"f16\") {"),
    "a requirement of an instruction": lambda t: t.replace(
        "%i - 1]", "%i - 1] with (requirement bound = 1)"),
    "implements": lambda t: t.replace("%i < %n) {", "%i < %n) implements \"blur@1\" {"),
    "the library": lambda t: t.replace("math 1", "math 2"),
    "the grid": lambda t: t.replace("grid(%i < %n)", "grid(%i < %n + 0*%m - 1)"),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_node_digest_is_kept(name: str) -> None:
    text = KEPT[name](TEXT)
    assert text != TEXT
    root = next(n for n in parse(text).definitions if n.endswith("main"))
    assert digest(text, root) == digest(TEXT)


@pytest.mark.parametrize("name", CHANGED)
def test_a_node_digest_changes(name: str) -> None:
    text = CHANGED[name](TEXT)
    assert text != TEXT
    assert digest(text) != digest(TEXT)
    assert module_digest(parse(text)) != module_digest(parse(TEXT))
    assert node_digest(parse(text), "unrelated") == digest(TEXT, "unrelated") or name == "the library"


def test_names_of_imports_and_externs_count() -> None:
    text = "extern func @clock() -> (f64)\n\nfunc @f() -> (f64) {\n  %t = call @clock()\n  yield %t\n}\n"
    assert digest(text.replace("clock", "timer"), "f") != digest(text, "f")
    text = text.replace("extern", 'import "time"')
    assert digest(text.replace('"time"', '"clocks"'), "f") != digest(text, "f")


def test_definitions_that_differ_only_in_name_have_one_digest() -> None:
    module = parse("func @a(%x: i32) -> (i32) {\n  yield %x\n}\n"
                   "func @b(%y: i32) -> (i32) {\n  yield %y\n}\n")
    assert node_digest(module, "a") == node_digest(module, "b")


def test_module_digest() -> None:
    module = parse(TEXT)
    found = module_digest(module)
    assert module_digest(decode(encode(module, strip_names=True))) == found
    assert module_digest(decode(encode(module, source_map=True))) == found
    assert module_digest(parse(KEPT["hints"](TEXT))) == found
    assert module_digest(parse(KEPT["module name and sections"](TEXT))) == found
    assert module_digest(parse(KEPT["values renamed"](TEXT))) == found
    assert module_digest(parse(KEPT["definitions renamed"](TEXT))) != found
    assert module_digest(parse(KEPT["a feature"](TEXT))) != found


def test_file_digest_is_of_every_byte() -> None:
    data = encode(parse(TEXT))
    assert file_digest(data) != file_digest(encode(parse(TEXT), strip_names=True))
    assert len(file_digest(data)) == 64


def test_a_cycle_of_calls_ends() -> None:
    text = "func @a() {\n  call @b()\n}\nfunc @b() {\n  call @a()\n}\n"
    assert digest(text, "a") == digest(text, "b")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(HvisaError) as error:
        digest(TEXT, "nothing")
    assert error.value.codes == ["HV0107"]
