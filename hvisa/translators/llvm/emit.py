"""Writing LLVM IR as text: functions, blocks, types of values.

IR is written as text because that is several times faster than building it through an object model,
and easy to read in `hvisa explain --ir`. f16 and bf16 values are held as their bits in `i16`, so that
nothing but arithmetic can change them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from hvisa.graph.model import Constant
from hvisa.spec import types as ty
from hvisa.spec.literals import float_value, integer_value
from hvisa.spec.types import ScalarType, Type, VectorType

NARROW = (ty.F16, ty.BF16)


def element_type(element: ScalarType) -> str:
    """LLVM type of a scalar value."""
    if element in NARROW:
        return "i16"
    if element.is_float:
        return "float" if element is ty.F32 else "double"
    return f"i{element.bits}"


def llvm_type(type_: Type) -> str:
    """LLVM type of a scalar or vector value."""
    if isinstance(type_, VectorType):
        return f"<{type_.lanes} x {element_type(type_.element)}>"
    assert isinstance(type_, ScalarType), type_
    return element_type(type_)


def memory_type(element: ScalarType) -> str:
    """LLVM type of an element in a buffer; an i1 takes a byte."""
    return "i8" if element is ty.I1 else element_type(element)


def widened(text: str, lanes: int) -> str:
    """A scalar LLVM type in as many lanes (0: scalar)."""
    return f"<{lanes} x {text}>" if lanes else text


def splat(constant: str, type_text: str, lanes: int) -> str:
    """A constant in every lane; plain for scalars."""
    if not lanes:
        return constant
    return "<" + ", ".join([f"{type_text} {constant}"] * lanes) + ">"


def float_text(value_bits: int, element: ScalarType) -> str:
    """A float literal: LLVM writes f32 as the bits of the same number in f64."""
    if element is ty.F64:
        return f"0x{value_bits:016X}"
    number = float_value(value_bits, element)
    if number != number:
        # Keep the payload: the f64 pattern with the f32 payload on top.
        sign = value_bits >> 31
        return f"0x{sign << 63 | 0x7FF << 52 | (value_bits & 0x7FFFFF) << 29:016X}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


def constant_text(constant: Constant) -> str:
    """A scalar constant of the IR."""
    element = constant.type
    if element in NARROW:
        return str(constant.bits)
    if element.is_float:
        return float_text(constant.bits, element)
    if element is ty.I1:
        return "true" if constant.bits else "false"
    return str(integer_value(constant.bits, element))


class FunctionText:
    """One function under construction. Values are strings such as `%t3` or constants."""

    def __init__(self, header: str):
        self.header = header
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.count = 0
        self.block = "entry"

    def tmp(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def label(self, hint: str) -> str:
        self.count += 1
        return f"{hint}{self.count}"

    def op(self, text: str) -> str:
        """Append an instruction with a result; the result's name."""
        name = self.tmp()
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def start(self, label: str) -> None:
        """Begin a block; the one before must have ended."""
        self.lines.append(f"{label}:")
        self.block = label

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str, likely: bool | None = None) -> None:
        weight = "" if likely is None else ", !prof !0" if likely else ", !prof !1"
        self.do(f"br i1 {condition}, label %{yes}, label %{no}{weight}")

    def alloca(self, type_text: str, align: int = 8) -> str:
        """Room in the frame, made once on entry."""
        name = self.tmp()
        self.allocas.append(f"  {name} = alloca {type_text}, align {align}")
        return name

    def phi(self, type_text: str, pairs: Iterable[tuple[str, str]]) -> str:
        inner = ", ".join(f"[ {v}, %{b} ]" for v, b in pairs)
        return self.op(f"phi {type_text} {inner}")

    def call(self, result: str, name: str, arguments: Iterable[str]) -> str:
        return self.op(f"call {result} @{name}({', '.join(arguments)})")

    def text(self) -> str:
        return "\n".join([f"{self.header} {{", "entry:", *self.allocas, *self.lines, "}", ""])


class ModuleText:
    """A whole IR module: functions in order, each helper and intrinsic declared once."""

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.globals: list[str] = []
        self.declared: dict[str, str] = {}

    def declare(self, name: str, text: str) -> str:
        """Declare an intrinsic; its name."""
        self.declared.setdefault(name, f"declare {text}")
        return name

    def add(self, function: FunctionText) -> None:
        self.functions.append(function.text())

    def text(self, triple: str) -> str:
        return "\n".join([f'target triple = "{triple}"', "", *self.globals, "", *self.functions,
                          *self.declared.values(), "",
                          '!0 = !{!"branch_weights", i32 1048576, i32 1}',
                          '!1 = !{!"branch_weights", i32 1, i32 1048576}', ""])
