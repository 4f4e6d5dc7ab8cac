"""Numbers in text: exact both ways, every NaN bit included.

Finite floats print as the shortest decimal that rounds back to the same bits in their own type; a NaN
prints as `nan` (the positive canonical quiet one) or `nan(0x...)` with all its bits, minus included.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType

# (exponent bits, stored significand bits)
FLOAT_LAYOUT: dict[ScalarType, tuple[int, int]] = {
    ty.F16: (5, 10), ty.BF16: (8, 7), ty.F32: (8, 23), ty.F64: (11, 52)}

_HEX_FLOAT = re.compile(r"0[xX]([0-9a-fA-F]+)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d+)")
MAX_LITERAL = 1100  # characters; the longest exact binary64 decimal needs fewer


class LiteralError(ValueError):
    """The text is not a number of the type."""


def parse_literal(text: str, type_: ScalarType) -> int:
    """Bits, as an unsigned integer of the type's width."""
    if len(text) > MAX_LITERAL:
        raise LiteralError(f"a number has at most {MAX_LITERAL} characters")
    if type_ is ty.I1:
        found = {"true": 1, "false": 0, "1": 1, "0": 0}.get(text)
        if found is None:
            raise LiteralError(f"`{text}` is not an i1; write `true` or `false`")
        return found
    if not type_.is_float:
        return _parse_integer(text, type_)
    try:
        return _parse_float(text, type_)
    except LiteralError:
        raise
    except ValueError:
        raise LiteralError(f"`{text}` is not a number") from None


def _parse_integer(text: str, type_: ScalarType) -> int:
    try:
        value = int(text, 0) if not re.fullmatch(r"-?0\d+", text) else int(text)
    except ValueError:
        raise LiteralError(f"`{text}` is not a whole number; {type_} is an integer type") from None
    if not type_.minimum <= value <= type_.maximum:
        raise LiteralError(f"`{text}` does not fit {type_}, which holds {type_.minimum} to "
                           f"{type_.maximum}")
    return value & ((1 << type_.bits) - 1)


def _parse_float(text: str, type_: ScalarType) -> int:
    exponent_bits, stored = FLOAT_LAYOUT[type_]
    sign = 1 << (type_.bits - 1) if text.startswith("-") else 0
    body = text.lstrip("-")
    infinity = ((1 << exponent_bits) - 1) << stored
    if body == "inf":
        return sign | infinity
    if body == "nan":
        return sign | infinity | 1 << (stored - 1)
    if body.startswith("nan("):
        bits = int(body[4:-1], 16)
        if sign or bits >> type_.bits or bits & infinity != infinity or not bits & ((1 << stored) - 1):
            raise LiteralError(f"`{text}` is not the bit pattern of a NaN of {type_}")
        return bits
    if body in ("true", "false"):
        raise LiteralError(f"`{text}` is a truth value; {type_} is a float type")
    return sign | _round(_exact(body), exponent_bits, stored)


def _exact(body: str) -> Fraction:
    match = _HEX_FLOAT.fullmatch(body)
    if match:
        whole, part, power = match[1], match[2] or "", int(match[3])
        if abs(power) > 5000:
            raise LiteralError(f"`{body}`: the exponent is out of range")
        return Fraction(int(whole + part, 16)) * Fraction(2) ** (power - 4 * len(part))
    if body[:2] in ("0x", "0X"):
        return Fraction(int(body, 16))
    mantissa, _, power_text = body.lower().partition("e")
    if power_text and abs(int(power_text)) > 5000:
        # Far beyond every type: keep the arithmetic small, the rounding is the same.
        return Fraction(0) if int(power_text) < 0 or not Fraction(mantissa) else Fraction(10) ** 5000
    return Fraction(body)


def _round(value: Fraction, exponent_bits: int, stored: int) -> int:
    """The nearest float, ties to even, without sign."""
    if value == 0:
        return 0
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < Fraction(2) ** exponent:
        exponent -= 1
    unit = max(exponent, 1 - bias) - stored
    scaled = value / Fraction(2) ** unit
    significand = round(scaled)  # Python rounds a Fraction's half to even
    if unit + stored == 1 - bias and significand < 1 << stored:
        return significand
    if significand == 1 << (stored + 1):
        significand >>= 1
        unit += 1
    biased = unit + stored + bias
    if biased >= (1 << exponent_bits) - 1:
        return ((1 << exponent_bits) - 1) << stored
    return biased << stored | (significand - (1 << stored))


def float_value(bits: int, type_: ScalarType) -> float:
    """The number, exactly; NaN for every NaN."""
    exponent_bits, stored = FLOAT_LAYOUT[type_]
    sign = -1.0 if bits >> (type_.bits - 1) else 1.0
    biased = bits >> stored & ((1 << exponent_bits) - 1)
    part = bits & ((1 << stored) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if biased == (1 << exponent_bits) - 1:
        return math.nan if part else sign * math.inf
    if biased == 0:
        return sign * math.ldexp(part, 1 - bias - stored)
    return sign * math.ldexp(part | 1 << stored, biased - bias - stored)


def integer_value(bits: int, type_: ScalarType) -> int:
    """The number of an integer or i1 pattern."""
    return bits - (1 << type_.bits) if type_.kind == "signed" and bits >> (type_.bits - 1) else bits


def format_literal(bits: int, type_: ScalarType) -> str:
    """The canonical text of a pattern."""
    if type_ is ty.I1:
        return "true" if bits else "false"
    if not type_.is_float:
        return str(integer_value(bits, type_))
    value = float_value(bits, type_)
    if math.isnan(value):
        canonical = _parse_float("nan", type_)
        return "nan" if bits == canonical else f"nan({bits:#0{type_.bits // 4 + 2}x})"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value) if type_ is ty.F64 else _shortest(value, bits, type_)
    return text if any(c in text for c in ".en") else text + ".0"


def _shortest(value: float, bits: int, type_: ScalarType) -> str:
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if _parse_float(text, type_) == bits:
            return repr(float(text))
    return repr(value)
