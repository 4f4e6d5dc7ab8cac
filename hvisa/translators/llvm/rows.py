"""Lowering of the rows that only compute: one function each, found by mnemonic.

Each takes the lowering, the instruction and its operands as IR values, and gives the result. Rows that
touch memory, control or other instances are in `memory.py`, `control.py` and `group.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hvisa.graph.model import Instr
from hvisa.spec import types as ty
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.types import ScalarType, Type, VectorType
from hvisa.translators.llvm.emit import NARROW, element_type, llvm_type, splat, widened

if TYPE_CHECKING:
    from hvisa.translators.llvm.body import Body

Lower = Callable[["Body", Instr, list[str]], "str | tuple[str, ...]"]

# LLVM's names of our fast flags, in the order of FAST_FLAGS.
_FLAGS = ("nnan", "ninf", "nsz", "arcp", "contract", "reassoc", "afn")


def flags(mask: int) -> str:
    return "".join(f"{word} " for bit, word in enumerate(_FLAGS) if mask >> bit & 1)


def parts(type_: Type) -> tuple[ScalarType, int]:
    """Element type and lanes (0 for a scalar)."""
    if isinstance(type_, VectorType):
        return type_.element, type_.lanes
    assert isinstance(type_, ScalarType), type_
    return type_, 0


def float_op(body: Body, operands: list[str], element: ScalarType, lanes: int,
             emit: Callable[[str, list[str]], str]) -> str:
    """Run `emit(type, values)`; narrow floats go through f32 and are rounded once."""
    if element not in NARROW:
        return emit(widened(element_type(element), lanes), operands)
    wide = [body.floats.widen(v, element, lanes) for v in operands]
    return body.floats.narrow(emit(widened("float", lanes), wide), element, lanes)


def _arithmetic(for_int: str, for_float: str) -> Callable[[Body, Instr, list[str]], str]:
    def lower(body: Body, instr: Instr, v: list[str]) -> str:
        element, lanes = parts(instr.operands[0].type)
        if not element.is_float:
            return body.f.op(f"{for_int} {widened(element_type(element), lanes)} {v[0]}, {v[1]}")
        mask = flags(instr.fast)
        return float_op(body, v, element, lanes,
                        lambda t, w: body.f.op(f"{for_float} {mask}{t} {w[0]}, {w[1]}"))
    return lower


def _div(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    if element.is_float:
        return _arithmetic("", "fdiv")(body, instr, v)
    return divide(body, instr, v, element, lanes, "div")


def _rem(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    return divide(body, instr, v, element, lanes, "rem")


def divide(body: Body, instr: Instr, v: list[str], element: ScalarType, lanes: int,
           kind: str) -> str:
    """Integer quotient or remainder: traps on zero, the least number over -1 wraps."""
    f, t, i1 = body.f, widened(element_type(element), lanes), widened("i1", lanes)
    scalar = element_type(element)
    zero = f.op(f"icmp eq {t} {v[1]}, {splat('0', scalar, lanes)}")
    body.trap_if(body.any_lane(zero, lanes), "HV0901", instr)
    if element.kind == "unsigned":
        return f.op(f"u{kind} {t} {v[0]}, {v[1]}")
    minus = f.op(f"icmp eq {t} {v[1]}, {splat('-1', scalar, lanes)}")
    safe = f.op(f"select {i1} {minus}, {t} {splat('1', scalar, lanes)}, {t} {v[1]}")
    value = f.op(f"s{kind} {t} {v[0]}, {safe}")
    other = (f.op(f"sub {t} {splat('0', scalar, lanes)}, {v[0]}") if kind == "div"
             else splat("0", scalar, lanes))
    return f.op(f"select {i1} {minus}, {t} {other}, {t} {value}")


def _neg(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    t = widened(element_type(element), lanes)
    if element in NARROW:
        return body.f.op(f"xor {t} {v[0]}, {splat('-32768', 'i16', lanes)}")
    if element.is_float:
        return body.f.op(f"fneg {t} {v[0]}")
    return body.f.op(f"sub {t} {splat('0', element_type(element), lanes)}, {v[0]}")


def _abs(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    t = widened(element_type(element), lanes)
    if element in NARROW:
        return body.f.op(f"and {t} {v[0]}, {splat('32767', 'i16', lanes)}")
    if element.is_float:
        return body.floats.intrinsic("fabs", t, v)
    return body.floats.intrinsic("abs", t, v, "i1 false")


def extremum(body: Body, name: str, v: list[str], element: ScalarType, lanes: int) -> str:
    """min or max."""
    t = widened(element_type(element), lanes)
    if element.is_float:
        return float_op(body, v, element, lanes, lambda w, x: body.floats.intrinsic(
            "minimum" if name == "min" else "maximum", w, x))
    return body.floats.intrinsic(("s" if element.kind == "signed" else "u") + name, t, v)


def _extremum(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    return extremum(body, instr.row.mnemonic, v, element, lanes)


def _fma(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    return body.floats.fma(v[0], v[1], v[2], element, lanes, flags(instr.fast))


def _rounding(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    return float_op(body, v, element, lanes, lambda t, w: body.floats.intrinsic(
        instr.row.mnemonic, t, w, flags=flags(instr.fast)))


def _round(body: Body, instr: Instr, v: list[str]) -> str:
    """Halves away from zero, from the truncated value."""
    element, lanes = parts(instr.operands[0].type)

    def emit(t: str, w: list[str]) -> str:
        f = body.f
        scalar = "double" if element is ty.F64 else "float"
        whole = body.floats.intrinsic("trunc", t, w)
        rest = body.floats.intrinsic("fabs", t, [f.op(f"fsub {t} {w[0]}, {whole}")])
        half = f.op(f"fcmp oge {t} {rest}, {splat('0.5', scalar, lanes)}")
        one = body.floats.intrinsic("copysign", t, [splat("1.0", scalar, lanes), w[0]])
        away = f.op(f"fadd {t} {whole}, {one}")
        return f.op(f"select {widened('i1', lanes)} {half}, {t} {away}, {t} {whole}")
    return float_op(body, v, element, lanes, emit)


def _mul_high(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    f, t = body.f, widened(element_type(element), lanes)
    wide = widened(f"i{element.bits * 2}", lanes)
    extend = "sext" if element.kind == "signed" else "zext"
    product = f.op(f"mul {wide} {f.op(f'{extend} {t} {v[0]} to {wide}')}, "
                   f"{f.op(f'{extend} {t} {v[1]} to {wide}')}")
    amount = splat(str(element.bits), f"i{element.bits * 2}", lanes)
    return f.op(f"trunc {wide} {f.op(f'lshr {wide} {product}, {amount}')} to {t}")


def _signed_intrinsic(name: str) -> Lower:
    def lower(body: Body, instr: Instr, v: list[str]) -> str:
        element, lanes = parts(instr.operands[0].type)
        prefix = "s" if element.kind == "signed" else "u"
        return body.floats.intrinsic(f"{prefix}{name}.sat", widened(element_type(element), lanes), v)
    return lower


def _bitwise(body: Body, instr: Instr, v: list[str]) -> str:
    t = llvm_type(instr.operands[0].type)
    return body.f.op(f"{instr.row.mnemonic} {t} {v[0]}, {v[1]}")


def _not(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    ones = "true" if element is ty.I1 else "-1"
    return body.f.op(f"xor {llvm_type(instr.operands[0].type)} {v[0]}, "
                     f"{splat(ones, element_type(element), lanes)}")


def _shift(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    t = widened(element_type(element), lanes)
    amount = body.f.op(f"and {t} {v[1]}, "
                       f"{splat(str(element.bits - 1), element_type(element), lanes)}")
    name = "shl" if instr.row.mnemonic == "shl" else "ashr" if element.kind == "signed" else "lshr"
    return body.f.op(f"{name} {t} {v[0]}, {amount}")


def _funnel(body: Body, instr: Instr, v: list[str]) -> str:
    t = llvm_type(instr.operands[0].type)
    name = "fshl" if instr.row.mnemonic in ("rotl", "funnel_shl") else "fshr"
    return body.floats.intrinsic(name, t, [v[0], v[0], v[1]] if len(v) == 2 else v)


def _bit_intrinsic(name: str, extra: str = "") -> Lower:
    def lower(body: Body, instr: Instr, v: list[str]) -> str:
        element, _ = parts(instr.operands[0].type)
        if name == "bswap" and element.bits == 8:
            return v[0]
        return body.floats.intrinsic(name, llvm_type(instr.operands[0].type), v, extra)
    return lower


_PREDICATES = {"eq": ("oeq", "eq"), "ne": ("une", "ne"), "lt": ("olt", "lt"), "le": ("ole", "le"),
               "gt": ("ogt", "gt"), "ge": ("oge", "ge")}


def compare(body: Body, name: str, v: list[str], element: ScalarType, lanes: int) -> str:
    """A comparison by mnemonic."""
    ordered, word = _PREDICATES[name]
    if element.is_float:
        if element in NARROW:
            v = [body.floats.widen(x, element, lanes) for x in v]
        t = widened("double" if element is ty.F64 else "float", lanes)
        return body.f.op(f"fcmp {ordered} {t} {v[0]}, {v[1]}")
    sign = "" if word in ("eq", "ne") else "s" if element.kind == "signed" else "u"
    return body.f.op(f"icmp {sign}{word} {widened(element_type(element), lanes)} {v[0]}, {v[1]}")


def _compare(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    return compare(body, instr.row.mnemonic, v, element, lanes)


def is_nan(body: Body, x: str, element: ScalarType, lanes: int) -> str:
    if element in NARROW:
        x = body.floats.widen(x, element, lanes)
    t = widened("double" if element is ty.F64 else "float", lanes)
    return body.f.op(f"fcmp uno {t} {x}, {x}")


def _is_nan(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    return is_nan(body, v[0], element, lanes)


def canonical_bits(body: Body, x: str, element: ScalarType, lanes: int) -> str:
    """Bits of a float as an integer, NaN as the positive canonical one."""
    t, scalar = widened(f"i{element.bits}", lanes), f"i{element.bits}"
    bits = x if element in NARROW else body.f.op(
        f"bitcast {widened(element_type(element), lanes)} {x} to {t}")
    quiet = {ty.F16: 0x7E00, ty.BF16: 0x7FC0, ty.F32: 0x7FC00000, ty.F64: 0x7FF8000000000000}
    nan = is_nan(body, x, element, lanes)
    return body.f.op(f"select {widened('i1', lanes)} {nan}, {t} "
                     f"{splat(str(quiet[element]), scalar, lanes)}, {t} {bits}")


def _sign_bit(body: Body, instr: Instr, v: list[str]) -> str:
    element, lanes = parts(instr.operands[0].type)
    x = canonical_bits(body, v[0], element, lanes) if element.is_float else v[0]
    return body.f.op(f"icmp slt {widened(f'i{element.bits}', lanes)} {x}, "
                     f"{splat('0', f'i{element.bits}', lanes)}")


def _total_lt(body: Body, instr: Instr, v: list[str]) -> str:
    """Order keys: negative patterns flip all but the sign."""
    element, lanes = parts(instr.operands[0].type)
    f, t, scalar = body.f, widened(f"i{element.bits}", lanes), f"i{element.bits}"
    keys: list[str] = []
    for x in v:
        bits = canonical_bits(body, x, element, lanes)
        sign = f.op(f"ashr {t} {bits}, {splat(str(element.bits - 1), scalar, lanes)}")
        mask = f.op(f"lshr {t} {sign}, {splat('1', scalar, lanes)}")
        keys.append(f.op(f"xor {t} {bits}, {mask}"))
    return f.op(f"icmp slt {t} {keys[0]}, {keys[1]}")


def _select(body: Body, instr: Instr, v: list[str]) -> str:
    t = llvm_type(instr.results[0].type)
    condition = llvm_type(instr.operands[0].type)
    return body.f.op(f"select {condition} {v[0]}, {t} {v[1]}, {t} {v[2]}")


def _convert(body: Body, instr: Instr, v: list[str]) -> str:
    source, lanes = parts(instr.operands[0].type)
    target, _ = parts(instr.results[0].type)
    return convert(body, v[0], source, target, lanes)


def convert(body: Body, x: str, source: ScalarType, target: ScalarType, lanes: int) -> str:
    """One conversion, rounded once; to integers truncated and saturated."""
    f = body.f
    from_, to = widened(element_type(source), lanes), widened(element_type(target), lanes)
    if source is target or (from_ == to and not source.is_float and not target.is_float):
        return x
    if not source.is_float:
        if target.is_float:
            return body.floats.from_integer(x, source, target, lanes)
        if target is ty.I1:
            return f.op(f"icmp ne {from_} {x}, {splat('0', element_type(source), lanes)}")
        if source.bits >= target.bits:
            return f.op(f"trunc {from_} {x} to {to}")
        return f.op(f"{'sext' if source.kind == 'signed' else 'zext'} {from_} {x} to {to}")
    if source in NARROW:
        x, source, from_ = body.floats.widen(x, source, lanes), ty.F32, widened("float", lanes)
    if target.is_float:
        if source is ty.F64:
            return body.floats.from_double(x, target, lanes)
        if target is ty.F64:
            return f.op(f"fpext {from_} {x} to {to}")
        return x if target is ty.F32 else body.floats.narrow(x, target, lanes)
    if target is ty.I1:
        return f.op(f"fcmp une {from_} {x}, {splat('0.0', element_type(source), lanes)}")
    name = f"llvm.fpto{'s' if target.kind == 'signed' else 'u'}i.sat"
    full = f"{name}.{_mangled(to)}.{_mangled(from_)}"
    body.module.declare(full, f"{to} @{full}({from_})")
    return f.op(f"call {to} @{full}({from_} {x})")


def _mangled(text: str) -> str:
    names = {"float": "f32", "double": "f64"}
    if text.startswith("<"):
        lanes, _, element = text[1:-1].partition(" x ")
        return f"v{lanes}{names.get(element, element)}"
    return names.get(text, text)


def _bitcast(body: Body, instr: Instr, v: list[str]) -> str:
    source, lanes = parts(instr.operands[0].type)
    target, _ = parts(instr.results[0].type)
    bits = canonical_bits(body, v[0], source, lanes) if source.is_float else v[0]
    if target in NARROW or not target.is_float:
        return bits
    return body.f.op(f"bitcast {widened(f'i{source.bits}', lanes)} {bits} to "
                     f"{widened(element_type(target), lanes)}")


# -- vectors -----------------------------------------------------------------------------------------

def _pack(body: Body, instr: Instr, v: list[str]) -> str:
    t, element = llvm_type(instr.results[0].type), llvm_type(instr.operands[0].type)
    out = "poison"
    for lane, x in enumerate(v):
        out = body.f.op(f"insertelement {t} {out}, {element} {x}, i32 {lane}")
    return out


def _splat(body: Body, instr: Instr, v: list[str]) -> str:
    t, element = llvm_type(instr.results[0].type), llvm_type(instr.operands[0].type)
    first = body.f.op(f"insertelement {t} poison, {element} {v[0]}, i32 0")
    lanes = parts(instr.results[0].type)[1]
    return body.f.op(f"shufflevector {t} {first}, {t} poison, <{lanes} x i32> zeroinitializer")


def _extract(body: Body, instr: Instr, v: list[str]) -> str:
    return body.f.op(f"extractelement {llvm_type(instr.operands[0].type)} {v[0]}, "
                     f"i32 {instr.immediates[0]}")


def _insert(body: Body, instr: Instr, v: list[str]) -> str:
    return body.f.op(f"insertelement {llvm_type(instr.operands[0].type)} {v[0]}, "
                     f"{llvm_type(instr.operands[1].type)} {v[1]}, i32 {instr.immediates[0]}")


def _permute(body: Body, instr: Instr, v: list[str]) -> str:
    t, lanes = llvm_type(instr.operands[0].type), instr.immediates[0]
    mask = ", ".join(f"i32 {n}" for n in lanes)
    return body.f.op(f"shufflevector {t} {v[0]}, {t} poison, <{len(lanes)} x i32> <{mask}>")


def _fold_lanes(body: Body, instr: Instr, v: list[str]) -> str | tuple[str, ...]:
    element, lanes = parts(instr.operands[0].type)
    t = llvm_type(instr.operands[0].type)
    values = [body.f.op(f"extractelement {t} {v[0]}, i32 {n}") for n in range(lanes)]
    op = REDUCTIONS[instr.immediates[0]]
    if op.startswith("arg"):
        best, at = values[0], "0"
        for n, x in enumerate(values[1:], 1):
            take = better(body, op, x, best, element)
            best = body.f.op(f"select i1 {take}, {element_type(element)} {x}, "
                             f"{element_type(element)} {best}")
            at = body.f.op(f"select i1 {take}, i64 {n}, i64 {at}")
        return best, at
    half = 32
    while half:
        for lane in range(half):
            if lane + half < len(values):
                values[lane] = combine(body, op, values[lane], values[lane + half], element,
                                       instr.fast)
        values = values[:half]
        half //= 2
    return values[0]


def better(body: Body, op: str, x: str, best: str, element: ScalarType) -> str:
    """Whether x replaces the best so far: strictly better, or the first NaN."""
    less = compare(body, "lt" if op == "argmin" else "gt", [x, best], element, 0)
    if not element.is_float:
        return less
    nan = is_nan(body, x, element, 0)
    fine = body.f.op(f"xor i1 {is_nan(body, best, element, 0)}, true")
    return body.f.op(f"and i1 {fine}, {body.f.op(f'or i1 {nan}, {less}')}")


def combine(body: Body, op: str, a: str, b: str, element: ScalarType, fast: int = 0) -> str:
    """One step of a reduction in the element's type."""
    t = element_type(element)
    if op in ("min", "max"):
        return extremum(body, op, [a, b], element, 0)
    if op in ("add", "mul"):
        if not element.is_float:
            return body.f.op(f"{op} {t} {a}, {b}")
        return float_op(body, [a, b], element, 0,
                        lambda w, x: body.f.op(f"f{op} {flags(fast)}{w} {x[0]}, {x[1]}"))
    word = {"any": "or", "all": "and"}.get(op, op)
    return body.f.op(f"{word} {t} {a}, {b}")


LOWER: dict[str, Lower] = {
    "add": _arithmetic("add", "fadd"), "sub": _arithmetic("sub", "fsub"),
    "mul": _arithmetic("mul", "fmul"), "div": _div, "rem": _rem, "neg": _neg, "abs": _abs,
    "min": _extremum, "max": _extremum, "fma": _fma, "sqrt": _rounding, "floor": _rounding,
    "ceil": _rounding, "trunc": _rounding, "round": _round, "mul_high": _mul_high,
    "add_sat": _signed_intrinsic("add"), "sub_sat": _signed_intrinsic("sub"),
    "and": _bitwise, "or": _bitwise, "xor": _bitwise, "not": _not, "shl": _shift, "shr": _shift,
    "rotl": _funnel, "rotr": _funnel, "funnel_shl": _funnel, "funnel_shr": _funnel,
    "clz": _bit_intrinsic("ctlz", "i1 false"), "ctz": _bit_intrinsic("cttz", "i1 false"),
    "popcount": _bit_intrinsic("ctpop"), "bit_reverse": _bit_intrinsic("bitreverse"),
    "byte_swap": _bit_intrinsic("bswap"),
    **dict.fromkeys(_PREDICATES, _compare), "is_nan": _is_nan, "sign_bit": _sign_bit,
    "total_lt": _total_lt, "select": _select, "convert": _convert, "bitcast": _bitcast,
    "pack": _pack, "splat": _splat, "extract": _extract, "insert": _insert, "permute": _permute,
    "fold_lanes": _fold_lanes}
