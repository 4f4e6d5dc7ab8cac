"""Narrow floats, conversions and fma in IR: each rounds once (semantics 14 to 16).

LLVM would call library functions, round twice or flush subnormals in several of these, so they are
written out; all work on vectors as on scalars. `lanes` is 0 for scalars.
"""

from __future__ import annotations

from collections.abc import Callable

from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType
from hvisa.translators.llvm.emit import (
    NARROW,
    FunctionText,
    ModuleText,
    element_type,
    splat,
    widened,
)


class Floats:
    """Emits float work into one function; `has` tells whether the CPU has a feature."""

    def __init__(self, module: ModuleText, f: FunctionText, has: Callable[[str], bool]):
        self.module = module
        self.f = f
        self.has = has

    def intrinsic(self, name: str, type_text: str, arguments: list[str], extra: str = "",
                  flags: str = "") -> str:
        """Call an overloaded intrinsic `llvm.<name>` whose operands all have one type."""
        suffix = _suffix(type_text)
        full = f"llvm.{name}.{suffix}"
        parts = ", ".join([type_text] * len(arguments)) + (", i1" if extra else "")
        self.module.declare(full, f"{type_text} @{full}({parts})")
        shown = ", ".join(f"{type_text} {a}" for a in arguments) + (f", {extra}" if extra else "")
        return self.f.op(f"call {flags}{type_text} @{full}({shown})")

    # -- to and from f32 -----------------------------------------------------------------------

    def widen(self, x: str, element: ScalarType, lanes: int) -> str:
        """f16 or bf16 bits as f32, exactly."""
        i32, flt = widened("i32", lanes), widened("float", lanes)
        if element is ty.BF16:
            wide = self.f.op(f"zext {widened('i16', lanes)} {x} to {i32}")
            high = self.f.op(f"shl {i32} {wide}, {splat('16', 'i32', lanes)}")
            return self.f.op(f"bitcast {i32} {high} to {flt}")
        if self.has("f16c"):
            half = self.f.op(f"bitcast {widened('i16', lanes)} {x} to {widened('half', lanes)}")
            return self.f.op(f"fpext {widened('half', lanes)} {half} to {flt}")
        return self._half_to_float(x, lanes)

    def narrow(self, x: str, element: ScalarType, lanes: int) -> str:
        """f32 rounded once to f16 or bf16 bits."""
        if element is ty.BF16:
            return self._float_to_bf16(x, lanes)
        if self.has("f16c"):
            half = self.f.op(f"fptrunc {widened('float', lanes)} {x} to {widened('half', lanes)}")
            return self.f.op(f"bitcast {widened('half', lanes)} {half} to {widened('i16', lanes)}")
        return self._float_to_half(x, lanes)

    def _float_to_bf16(self, x: str, lanes: int) -> str:
        f, i32, flt = self.f, widened("i32", lanes), widened("float", lanes)
        c = lambda n: splat(str(n), "i32", lanes)  # noqa: E731
        bits = f.op(f"bitcast {flt} {x} to {i32}")
        top = f.op(f"lshr {i32} {bits}, {c(16)}")
        odd = f.op(f"and {i32} {top}, {c(1)}")
        bias = f.op(f"add {i32} {odd}, {c(0x7FFF)}")
        rounded = f.op(f"lshr {i32} {f.op(f'add {i32} {bits}, {bias}')}, {c(16)}")
        quiet = f.op(f"or {i32} {top}, {c(0x40)}")
        nan = f.op(f"fcmp uno {flt} {x}, {x}")
        out = f.op(f"select {widened('i1', lanes)} {nan}, {i32} {quiet}, {i32} {rounded}")
        return f.op(f"trunc {i32} {out} to {widened('i16', lanes)}")

    def _half_to_float(self, x: str, lanes: int) -> str:
        """Without F16C: scale the bits by a float multiplication, which is exact."""
        f, i32, flt = self.f, widened("i32", lanes), widened("float", lanes)
        c = lambda n: splat(str(n), "i32", lanes)  # noqa: E731
        wide = f.op(f"zext {widened('i16', lanes)} {x} to {i32}")
        body = f.op(f"shl {i32} {f.op(f'and {i32} {wide}, {c(0x7FFF)}')}, {c(13)}")
        sign = f.op(f"shl {i32} {f.op(f'and {i32} {wide}, {c(0x8000)}')}, {c(16)}")
        small = f.op(f"bitcast {i32} {body} to {flt}")
        scale = splat("0x46F0000000000000", "float", lanes)  # 2^112
        scaled = f.op(f"bitcast {flt} {f.op(f'fmul {flt} {small}, {scale}')} to {i32}")
        special = f.op(f"icmp uge {i32} {body}, {c(0x0F800000)}")
        infinite = f.op(f"or {i32} {body}, {c(0x7F800000)}")
        out = f.op(f"select {widened('i1', lanes)} {special}, {i32} {infinite}, {i32} {scaled}")
        return f.op(f"bitcast {i32} {f.op(f'or {i32} {out}, {sign}')} to {flt}")

    def _float_to_half(self, x: str, lanes: int) -> str:
        """Without F16C. Source: the usual magic-number rounding, done on the absolute value."""
        f, i32, flt, i1 = (self.f, widened("i32", lanes), widened("float", lanes),
                           widened("i1", lanes))
        c = lambda n: splat(str(n), "i32", lanes)  # noqa: E731
        bits = f.op(f"bitcast {flt} {x} to {i32}")
        sign = f.op(f"lshr {i32} {f.op(f'and {i32} {bits}, {c(-0x80000000)}')}, {c(16)}")
        size = f.op(f"and {i32} {bits}, {c(0x7FFFFFFF)}")
        # Subnormal results: adding 0.5 lines the significand up and rounds it.
        plus = f.op(f"fadd {flt} {f.op(f'bitcast {i32} {size} to {flt}')}, "
                    f"{splat('0x3FE0000000000000', 'float', lanes)}")
        low = f.op(f"sub {i32} {f.op(f'bitcast {flt} {plus} to {i32}')}, {c(0x3F000000)}")
        odd = f.op(f"and {i32} {f.op(f'lshr {i32} {size}, {c(13)}')}, {c(1)}")
        base = f.op(f"add {i32} {size}, {c(((15 - 127) << 23) + 0xFFF)}")
        high = f.op(f"lshr {i32} {f.op(f'add {i32} {base}, {odd}')}, {c(13)}")
        tiny = f.op(f"icmp ult {i32} {size}, {c(113 << 23)}")
        out = f.op(f"select {i1} {tiny}, {i32} {low}, {i32} {high}")
        over = f.op(f"icmp uge {i32} {size}, {c(143 << 23)}")
        out = f.op(f"select {i1} {over}, {i32} {c(0x7C00)}, {i32} {out}")
        payload = self._nan_payload(size, i32, c)
        nan = f.op(f"icmp ugt {i32} {size}, {c(0x7F800000)}")
        out = f.op(f"select {i1} {nan}, {i32} {payload}, {i32} {out}")
        return f.op(f"trunc {i32} {f.op(f'or {i32} {out}, {sign}')} to {widened('i16', lanes)}")

    def _nan_payload(self, size: str, i32: str, c: Callable[[int], str]) -> str:
        shifted = self.f.op(f"lshr {i32} {size}, {c(13)}")
        kept = self.f.op(f"and {i32} {shifted}, {c(0x3FF)}")
        return self.f.op(f"or {i32} {kept}, {c(0x7E00)}")

    # -- rounding to odd -----------------------------------------------------------------------

    def odd_float(self, x: str, lanes: int) -> str:
        """f64 to f32, rounded to odd: one more rounding to a narrow type is then exact."""
        f, dbl, flt, i32, i1 = (self.f, widened("double", lanes), widened("float", lanes),
                                widened("i32", lanes), widened("i1", lanes))
        near = f.op(f"fptrunc {dbl} {x} to {flt}")
        back = f.op(f"fpext {flt} {near} to {dbl}")
        inexact = f.op(f"fcmp one {dbl} {back}, {x}")
        away = f.op(f"fcmp olt {dbl} {self.intrinsic('fabs', dbl, [back])}, "
                    f"{self.intrinsic('fabs', dbl, [x])}")
        return self._to_odd(near, inexact, away, flt, i32, i1, lanes, "i32")

    def _to_odd(self, near: str, inexact: str, away: str, flt: str, itype: str, i1: str, lanes: int,
                scalar: str) -> str:
        f = self.f
        one, zero = splat("1", scalar, lanes), splat("0", scalar, lanes)
        bits = f.op(f"bitcast {flt} {near} to {itype}")
        even = f.op(f"icmp eq {itype} {f.op(f'and {itype} {bits}, {one}')}, {zero}")
        move = f.op(f"and {i1} {inexact}, {even}")
        up = f.op(f"add {itype} {bits}, {one}")
        down = f.op(f"sub {itype} {bits}, {one}")
        moved = f.op(f"select {i1} {away}, {itype} {up}, {itype} {down}")
        out = f.op(f"select {i1} {move}, {itype} {moved}, {itype} {bits}")
        return f.op(f"bitcast {itype} {out} to {flt}")

    def _odd_sum(self, p: str, c: str, lanes: int) -> str:
        """p + c in f64 rounded to odd; TwoSum gives the sign of the error."""
        f, dbl, i1 = self.f, widened("double", lanes), widened("i1", lanes)
        zero = splat("0.0", "double", lanes)
        s = f.op(f"fadd {dbl} {p}, {c}")
        shadow = f.op(f"fsub {dbl} {s}, {p}")
        left = f.op(f"fsub {dbl} {p}, {f.op(f'fsub {dbl} {s}, {shadow}')}")
        error = f.op(f"fadd {dbl} {left}, {f.op(f'fsub {dbl} {c}, {shadow}')}")
        # `one` is false for NaN, which an infinite sum makes of the error.
        inexact = f.op(f"fcmp one {dbl} {error}, {zero}")
        up = f.op(f"fcmp ogt {dbl} {error}, {zero}")
        positive = f.op(f"fcmp ogt {dbl} {s}, {zero}")
        away = f.op(f"icmp eq {i1} {up}, {positive}")
        return self._to_odd(s, inexact, away, dbl, widened("i64", lanes), i1, lanes, "i64")

    def from_double(self, x: str, element: ScalarType, lanes: int) -> str:
        """f64 rounded once to any float type."""
        if element is ty.F64:
            return x
        if element is ty.F32:
            return self.f.op(f"fptrunc {widened('double', lanes)} {x} to {widened('float', lanes)}")
        return self.narrow(self.odd_float(x, lanes), element, lanes)

    # -- operations ----------------------------------------------------------------------------

    def fma(self, a: str, b: str, c: str, element: ScalarType, lanes: int, flags: str) -> str:
        """a*b + c rounded once."""
        f = self.f
        if element in (ty.F32, ty.F64) and self.has("fma"):
            return self.intrinsic("fma", widened(element_type(element), lanes), [a, b, c],
                                  flags=flags)
        assert element is not ty.F64, "declined: f64 fma without the feature"
        dbl = widened("double", lanes)
        wide = [f.op(f"fpext {widened('float', lanes)} "
                     f"{self.widen(v, element, lanes) if element in NARROW else v} to {dbl}")
                for v in (a, b, c)]
        total = self._odd_sum(f.op(f"fmul {dbl} {wide[0]}, {wide[1]}"), wide[2], lanes)
        return self.from_double(total, element, lanes)

    def from_integer(self, x: str, source: ScalarType, target: ScalarType, lanes: int) -> str:
        """An integer or i1 rounded once to a float type."""
        f, itype = self.f, widened(element_type(source), lanes)
        op = "sitofp" if source.kind == "signed" else "uitofp"
        if target not in NARROW:
            return f.op(f"{op} {itype} {x} to {widened(element_type(target), lanes)}")
        if target is ty.BF16 and source.bits == 32:
            dbl = f.op(f"{op} {itype} {x} to {widened('double', lanes)}")
            return self.from_double(dbl, target, lanes)
        if target is ty.BF16 and source.bits == 64:
            return self._wide_to_bf16(x, source, lanes)
        # Up to 16 bits exact in f32; wider ones that f32 rounds overflow f16 anyway.
        single = f.op(f"{op} {itype} {x} to {widened('float', lanes)}")
        return self.narrow(single, target, lanes)

    def _wide_to_bf16(self, x: str, source: ScalarType, lanes: int) -> str:
        """64 bits to bf16: the upper half with a sticky bit is exact in f64."""
        f, i64, i1, dbl = (self.f, widened("i64", lanes), widened("i1", lanes),
                           widened("double", lanes))
        c = lambda n: splat(str(n), "i64", lanes)  # noqa: E731
        size = x
        if source.kind == "signed":
            size = self.intrinsic("abs", i64, [x], "i1 false")
        low = f.op(f"and {i64} {size}, {c(0xFFFFFFFF)}")
        some = f.op(f"icmp ne {i64} {low}, {c(0)}")
        sticky = f.op(f"zext {i1} {some} to {i64}")
        high = f.op(f"lshr {i64} {size}, {c(32)}")
        large = f.op(f"icmp ne {i64} {high}, {c(0)}")
        tail = f.op(f"select {i1} {large}, {i64} {sticky}, {i64} {low}")
        scaled = f.op(f"fmul {dbl} {f.op(f'uitofp {i64} {high} to {dbl}')}, "
                      f"{splat('0x41F0000000000000', 'double', lanes)}")
        total = self._odd_sum(scaled, f.op(f"uitofp {i64} {tail} to {dbl}"), lanes)
        if source.kind == "signed":
            negative = f.op(f"icmp slt {i64} {x}, {c(0)}")
            total = f.op(f"select {i1} {negative}, {dbl} {f.op(f'fneg {dbl} {total}')}, "
                         f"{dbl} {total}")
        return self.from_double(total, ty.BF16, lanes)


def _suffix(type_text: str) -> str:
    names = {"float": "f32", "double": "f64", "half": "f16"}
    if type_text.startswith("<"):
        lanes, _, element = type_text[1:-1].partition(" x ")
        return f"v{lanes}{names.get(element, element)}"
    return names.get(type_text, type_text)
