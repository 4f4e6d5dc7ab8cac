"""What plain instructions compute, worked out a second time: Python integers and exact fractions.

Nothing here shares code with the rows' semantics. A float is its class, sign and exact value; each
operation works on exact values and rounds once, to nearest even, when it is encoded.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

# name -> (exponent bits, stored significand bits)
FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64,
          "u8": 8, "u16": 16, "u32": 32, "u64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}


class Float(NamedTuple):
    """`kind` is nan, inf or finite; `value` the exact magnitude, signed by `negative`."""

    kind: str
    negative: bool = False
    value: Fraction = Fraction(0)

    @property
    def signed(self) -> Fraction:
        return -self.value if self.negative else self.value

    @property
    def zero(self) -> bool:
        return self.kind == "finite" and self.value == 0


NAN = Float("nan")


def finite(value: Fraction, negative_zero: bool = False) -> Float:
    return Float("finite", value < 0 or (value == 0 and negative_zero), abs(value))


def decode(bits: int, name: str) -> Any:
    """The number of a pattern: bool, int or Float."""
    if name == "i1":
        return bool(bits)
    if name not in FORMATS:
        width = WIDTHS[name]
        return bits - (1 << width) if name[0] == "i" and bits >> (width - 1) else bits
    exponent_bits, stored = FORMATS[name]
    negative = bool(bits >> (exponent_bits + stored))
    biased = bits >> stored & (2 ** exponent_bits - 1)
    part = bits & (2 ** stored - 1)
    bias = 2 ** (exponent_bits - 1) - 1
    if biased == 2 ** exponent_bits - 1:
        return NAN if part else Float("inf", negative)
    significand = part + (2 ** stored if biased else 0)
    value = Fraction(significand) * Fraction(2) ** (max(biased, 1) - bias - stored)
    return Float("finite", negative, value)


def encode(value: Any, name: str) -> int:
    """The pattern of a number; integers wrap, floats round to nearest even."""
    if name not in FORMATS:
        return int(value) & ((1 << WIDTHS[name]) - 1)
    exponent_bits, stored = FORMATS[name]
    top = (2 ** exponent_bits - 1) << stored
    if value.kind == "nan":
        return top | 1 << (stored - 1)
    sign = int(value.negative) << (exponent_bits + stored)
    if value.kind == "inf":
        return sign | top
    least = 2 - 2 ** (exponent_bits - 1) - stored  # exponent of the least subnormal
    unit = max(_floor_log2(value.value) - stored, least) if value.value else least
    count = round(value.value / Fraction(2) ** unit)  # of a Fraction: half to even
    # Counting units up from the least subnormal, patterns follow each other without a gap.
    pattern = count if unit == least else ((unit - least) << stored) + count
    return sign | min(pattern, top)


def _floor_log2(value: Fraction) -> int:
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


# -- floats ----------------------------------------------------------------------------------------

def f_neg(a: Float) -> Float:
    return a if a.kind == "nan" else a._replace(negative=not a.negative)


def f_add(a: Float, b: Float) -> Float:
    if NAN in (a, b):
        return NAN
    if a.kind == "inf" or b.kind == "inf":
        if a.kind == b.kind and a.negative != b.negative:
            return NAN
        return a if a.kind == "inf" else b
    return finite(a.signed + b.signed, a.negative and b.negative)


def f_mul(a: Float, b: Float) -> Float:
    if NAN in (a, b) or ({a.kind, b.kind} == {"inf", "finite"} and (a.zero or b.zero)):
        return NAN
    negative = a.negative != b.negative
    if "inf" in (a.kind, b.kind):
        return Float("inf", negative)
    return Float("finite", negative, a.value * b.value)


def f_div(a: Float, b: Float) -> Float:
    negative = a.negative != b.negative
    if NAN in (a, b) or a.kind == b.kind == "inf" or (a.zero and b.zero):
        return NAN
    if a.kind == "inf" or b.zero:
        return Float("inf", negative)
    return Float("finite", negative, Fraction(0) if b.kind == "inf" else a.value / b.value)


def f_sqrt(a: Float) -> Float:
    """With 140 bits and a sticky one, so that the one rounding sees what it must."""
    if a.kind == "nan" or a.zero:
        return a
    if a.negative:
        return NAN
    if a.kind == "inf":
        return a
    shift = 140 - _floor_log2(a.value) // 2
    scaled = a.value * Fraction(4) ** shift
    whole = isqrt(scaled.numerator // scaled.denominator)
    inexact = Fraction(whole) ** 2 != scaled
    return finite((Fraction(whole) + (Fraction(1, 2) if inexact else 0)) / Fraction(2) ** shift)


def f_integral(how: Callable[[Fraction], int]) -> Callable[[Float], Float]:
    def act(a: Float) -> Float:
        return finite(Fraction(how(a.signed)), a.negative) if a.kind == "finite" else a
    return act


def _half_away(x: Fraction) -> int:
    size = (2 * abs(x) + 1) // 2
    return int(-size if x < 0 else size)


def _below(a: Float, b: Float) -> bool:
    """a < b of numbers, infinities included."""
    def key(x: Float) -> tuple[int, Fraction]:
        if x.kind == "inf":
            return (-1 if x.negative else 1, Fraction(0))
        return (0, x.signed)
    return key(a) < key(b)


def f_min(a: Float, b: Float) -> Float:
    if NAN in (a, b):
        return NAN
    if a.zero and b.zero:
        return a if a.negative else b
    return b if _below(b, a) else a


def f_max(a: Float, b: Float) -> Float:
    if NAN in (a, b):
        return NAN
    if a.zero and b.zero:
        return b if a.negative else a
    return a if _below(b, a) else b


def _total_lt(a: Float, b: Float) -> bool:
    if a.kind == "nan" or b.kind == "nan":
        return b.kind == "nan" and a.kind != "nan"
    return (a.negative and not b.negative) if a.zero and b.zero else _below(a, b)


def _compare(act: Callable[[Any, Any], bool]) -> Callable[[Float, Float], bool]:
    return lambda a, b: NAN not in (a, b) and act(a, b)


FLOAT: dict[str, Callable[..., Any]] = {
    "add": f_add, "sub": lambda a, b: f_add(a, f_neg(b)), "mul": f_mul, "div": f_div,
    "neg": f_neg, "abs": lambda a: a._replace(negative=False), "min": f_min, "max": f_max,
    "fma": lambda a, b, c: f_add(f_mul(a, b), c), "sqrt": f_sqrt,
    "floor": f_integral(lambda x: x.numerator // x.denominator),
    "ceil": f_integral(lambda x: -(-x.numerator // x.denominator)),
    "trunc": f_integral(int), "round": f_integral(_half_away),
    "eq": _compare(lambda a, b: not _below(a, b) and not _below(b, a)),
    "ne": lambda a, b: NAN in (a, b) or _below(a, b) or _below(b, a),
    "lt": _compare(_below), "le": _compare(lambda a, b: not _below(b, a)),
    "gt": _compare(lambda a, b: _below(b, a)), "ge": _compare(lambda a, b: not _below(a, b)),
    "is_nan": lambda a: a.kind == "nan", "sign_bit": lambda a: a.negative, "total_lt": _total_lt}


# -- integers --------------------------------------------------------------------------------------

def _quotient(a: int, b: int) -> int:
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


def _within(value: int, name: str) -> int:
    width = WIDTHS[name]
    low, high = (0, 2 ** width - 1) if name[0] == "u" else (-2 ** (width - 1), 2 ** (width - 1) - 1)
    return max(low, min(high, value))


def _text(value: int, width: int) -> str:
    """The bits as a string, the highest first."""
    return format(value & (1 << width) - 1, f"0{width}b")


def _funnel(high: int, low: int, amount: int, width: int, left: bool) -> int:
    both = _text(high, width) + _text(low, width)
    by = amount % width
    return int(both[by:by + width] if left else both[width - by:2 * width - by], 2)


def integer(mnemonic: str, name: str) -> Callable[..., Any]:
    """An integer operation; the caller wraps the result."""
    w = WIDTHS[name]
    return {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
        "div": _quotient, "rem": lambda a, b: a - _quotient(a, b) * b, "neg": lambda a: -a,
        "abs": abs, "min": min, "max": max, "mul_high": lambda a, b: (a * b) >> w,
        "add_sat": lambda a, b: _within(a + b, name), "sub_sat": lambda a, b: _within(a - b, name),
        "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
        "not": lambda a: -1 - a if name != "i1" else not a,
        "shl": lambda a, b: a << (b % w), "shr": lambda a, b: a >> (b % w),
        "rotl": lambda a, b: _funnel(a, a, b, w, True),
        "rotr": lambda a, b: _funnel(a, a, b, w, False),
        "funnel_shl": lambda a, b, c: _funnel(a, b, c, w, True),
        "funnel_shr": lambda a, b, c: _funnel(a, b, c, w, False),
        "clz": lambda a: (_text(a, w) + "1").index("1"),
        "ctz": lambda a: (_text(a, w)[::-1] + "1").index("1"),
        "popcount": lambda a: _text(a, w).count("1"),
        "bit_reverse": lambda a: int(_text(a, w)[::-1], 2),
        "byte_swap": lambda a: int.from_bytes((a & (1 << w) - 1).to_bytes(w // 8, "little"), "big"),
        "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
        "sign_bit": lambda a: a < 0}[mnemonic]


def convert(a: Any, source: str, target: str) -> Any:
    """Before the one wrap or rounding of `encode`."""
    if target == "i1":
        return not a.zero if source in FORMATS else bool(a)
    if target in FORMATS:
        return a if source in FORMATS else finite(Fraction(int(a)))
    if source not in FORMATS:
        return int(a)
    if a.kind == "nan":
        return 0
    if a.kind == "inf":
        return _within(-10 ** 30 if a.negative else 10 ** 30, target)
    return _within(int(a.signed), target)


def bitcast(a: Any, source: str, target: str) -> Any:
    return decode(encode(a, source), target)


# -- lanes -----------------------------------------------------------------------------------------

def fold(operator: str, lanes: list[Any], name: str) -> list[Any]:
    """The order of `reduce` for up to 64 lanes, each step rounded to the type."""
    if operator.startswith("arg"):
        return _best(operator, lanes, name)
    parts: dict[int, Any] = dict(enumerate(lanes))
    half = 32
    while half:
        for position in range(half):
            if position in parts and position + half in parts:
                joined = scalar(_FOLDS.get(operator, operator), name)(parts[position],
                                                                      parts[position + half])
                parts[position] = decode(encode(joined, name), name)
        half //= 2
    return [parts[0]]


_FOLDS = {"any": "or", "all": "and"}


def _best(operator: str, lanes: list[Any], name: str) -> list[Any]:
    below = _below if name in FORMATS else (lambda a, b: a < b)
    best = 0
    for position, lane in enumerate(lanes):
        if name in FORMATS and lane.kind == "nan":
            return [lane, position]
        pair = (lane, lanes[best]) if operator == "argmin" else (lanes[best], lane)
        if below(*pair):
            best = position
    return [lanes[best], best]


def scalar(mnemonic: str, name: str) -> Callable[..., Any]:
    """An operation on single numbers of one type."""
    if mnemonic == "select":
        return lambda condition, a, b: a if condition else b
    return FLOAT[mnemonic] if name in FORMATS else integer(mnemonic, name)
