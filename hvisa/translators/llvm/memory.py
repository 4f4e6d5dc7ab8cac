"""Lowering of memory accesses: bounds forms, vectors, atomics, private arrays, checked ownership."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.graph.model import Instr
from hvisa.spec import types as ty
from hvisa.spec.operations import ATOMICS, LOAD_BOUNDS, STORE_BOUNDS, UPDATES
from hvisa.spec.types import ScalarType, Type, VectorType
from hvisa.translators.llvm.body import Body, Buffer
from hvisa.translators.llvm.emit import element_type, llvm_type, memory_type
from hvisa.translators.llvm.rows import canonical_bits, combine

if TYPE_CHECKING:
    from collections.abc import Callable


def indices(body: Body, instr: Instr, at: int, saturate: bool = False) -> list[str]:
    """The index values of the access whose buffer is operand `at`, displacements added.

    The sum may wrap only far outside every extent, where it stays out of bounds; `saturate` keeps its
    sign as well, which clamping needs.
    """
    values = [body.value(o) for o in instr.operands[at + 1:]]
    if not instr.offsets:
        return values
    out: list[str] = []
    for value, offset in zip(values, instr.offsets, strict=True):
        if offset and saturate:
            out.append(body.floats.intrinsic("sadd.sat", "i64", [value, str(offset)]))
        else:
            out.append(body.f.op(f"add i64 {value}, {offset}") if offset else value)
    return out


def inside(body: Body, buffer: Buffer, index: list[str], lanes: int) -> str:
    """Whether an index (and the lanes after it) lies within the extents."""
    f, checks = body.f, list[str]()
    for axis, (value, extent) in enumerate(zip(index, buffer.extents, strict=True)):
        if lanes and axis == len(index) - 1:
            room = f.op(f"sub i64 {extent}, {lanes - 1}")
            low = f.op(f"icmp sge i64 {value}, 0")
            checks.append(f.op(f"and i1 {low}, {f.op(f'icmp slt i64 {value}, {room}')}"))
        else:
            checks.append(f.op(f"icmp ult i64 {value}, {extent}"))
    out = checks[0] if checks else "true"
    for check in checks[1:]:
        out = f.op(f"and i1 {out}, {check}")
    return out


def linear(body: Body, buffer: Buffer, index: list[str]) -> str:
    """Position of an element, in elements."""
    total = "0"
    for value, stride in zip(index, buffer.strides, strict=True):
        part = value if stride == "1" else body.f.op(f"mul nsw i64 {value}, {stride}")
        total = part if total == "0" else body.f.op(f"add nsw i64 {total}, {part}")
    return total


def pointer_at(body: Body, buffer: Buffer, index: list[str]) -> str:
    return body.f.op(f"getelementptr inbounds {memory_type(buffer.element)}, ptr {buffer.pointer}, "
                     f"i64 {linear(body, buffer, index)}")


def check_inside(body: Body, instr: Instr, buffer: Buffer, index: list[str], lanes: int) -> None:
    if not body.lowering.options.bounds_checks:
        return
    ok = inside(body, buffer, index, lanes)
    if ok != "true":
        first = index[0] if index else "0"
        last = index[-1] if index else "0"
        body.trap_if(body.f.op(f"xor i1 {ok}, true"), "HV0902", instr, first, last)


def own(body: Body, instr: Instr, buffer: Buffer, index: list[str]) -> None:
    """`own checked`: the first instance that touches an element owns it; another one traps."""
    if buffer.owner is None:
        return
    take(body, instr, buffer.owner, linear(body, buffer, index))


def take(body: Body, instr: Instr, table: str, at: str) -> None:
    """Make this instance the owner of element `at`; trap if another one is."""
    f = body.f
    slot = f.op(f"getelementptr inbounds i64, ptr {table}, i64 {at}")
    mine = f.op(f"add i64 {body.instance}, 1")
    pair = f.op(f"cmpxchg ptr {slot}, i64 0, i64 {mine} monotonic monotonic")
    old = f.op(f"extractvalue {{ i64, i1 }} {pair}, 0")
    other = f.op(f"and i1 {f.op(f'icmp ne i64 {old}, 0')}, {f.op(f'icmp ne i64 {old}, {mine}')}")
    body.trap_if(other, "HV0906", instr, f.op(f"sub i64 {old}, 1"), at)


def _load_at(body: Body, instr: Instr, buffer: Buffer, index: list[str], type_: Type) -> str:
    for lane in range(ty.lanes_of(type_) if buffer.owner else 0):
        own(body, instr, buffer, [*index[:-1], body.f.op(f"add i64 {index[-1]}, {lane}")])
    if not ty.lanes_of(type_):
        own(body, instr, buffer, index)
    return read(body, buffer, pointer_at(body, buffer, index), type_)


def read(body: Body, buffer: Buffer, pointer: str, type_: Type) -> str:
    if isinstance(type_, VectorType) and buffer.layout == "strided":
        return gather(body, buffer, pointer, type_)
    return body.load_cell(type_, pointer)


def gather(body: Body, buffer: Buffer, pointer: str, type_: VectorType) -> str:
    """A vector along a strided last dimension, lane by lane."""
    out, scalar = "poison", llvm_type(type_.element)
    for lane in range(type_.lanes):
        step = body.f.op(f"mul nsw i64 {buffer.strides[-1]}, {lane}")
        at = body.cell(type_.element, pointer, step)
        value = body.load_cell(type_.element, at)
        out = body.f.op(f"insertelement {llvm_type(type_)} {out}, {scalar} {value}, i32 {lane}")
    return out


def guarded(body: Body, ok: str, type_: str, then: Callable[[], str], other: str) -> str:
    """`then()` where ok holds, else a constant; as a branch, so that nothing is read outside."""
    f = body.f
    yes, done, start = f.label("inside"), f.label("joined"), f.block
    f.branch(ok, yes, done)
    f.start(yes)
    value = then()
    end = f.block
    f.jump(done)
    f.start(done)
    return f.phi(type_, [(value, end), (other, start)])


def zero_of(type_: Type) -> str:
    if isinstance(type_, VectorType):
        return "zeroinitializer"
    assert isinstance(type_, ScalarType)
    text = element_type(type_)
    return "false" if type_ is ty.I1 else "0.0" if text in ("float", "double") else "0"


def clamped(body: Body, buffer: Buffer, index: list[str]) -> list[str]:
    out: list[str] = []
    for value, extent in zip(index, buffer.extents, strict=True):
        last = body.f.op(f"sub i64 {extent}, 1")
        high = body.floats.intrinsic("smin", "i64", [value, last])
        out.append(body.floats.intrinsic("smax", "i64", [high, "0"]))
    return out


def load(body: Body, instr: Instr) -> None:
    buffer, type_ = body.buffer(instr.operands[0]), instr.results[0].type
    bounds = LOAD_BOUNDS[instr.immediates[0]]
    lanes = ty.lanes_of(type_)
    index = indices(body, instr, 0, bounds == "clamp")
    if bounds == "trap":
        check_inside(body, instr, buffer, index, lanes)
        value = _load_at(body, instr, buffer, index, type_)
    elif lanes:
        value = _load_lanes(body, instr, buffer, index, type_, bounds)
    else:
        value = _load_scalar(body, instr, buffer, index, type_, bounds)
    body.define(instr.results[0], value)


def _load_scalar(body: Body, instr: Instr, buffer: Buffer, index: list[str], type_: Type,
                 bounds: str) -> str:
    if bounds == "zero":
        ok = inside(body, buffer, index, 0)
    else:
        index = clamped(body, buffer, index)
        ok = nonempty(body, buffer)
    if ok == "true":
        return _load_at(body, instr, buffer, index, type_)
    return guarded(body, ok, llvm_type(type_),
                   lambda: _load_at(body, instr, buffer, index, type_), zero_of(type_))


def nonempty(body: Body, buffer: Buffer) -> str:
    out = "true"
    for extent in buffer.extents:
        some = body.f.op(f"icmp sgt i64 {extent}, 0")
        out = some if out == "true" else body.f.op(f"and i1 {out}, {some}")
    return out


def _load_lanes(body: Body, instr: Instr, buffer: Buffer, index: list[str], type_: Type,
                bounds: str) -> str:
    assert isinstance(type_, VectorType)
    out = "poison"
    for lane in range(type_.lanes):
        last = index[-1]
        if lane and bounds == "clamp":
            last = body.floats.intrinsic("sadd.sat", "i64", [last, str(lane)])
        elif lane:
            last = body.f.op(f"add i64 {last}, {lane}")
        at = [*index[:-1], last]
        value = _load_scalar(body, instr, buffer, at, type_.element, bounds)
        out = body.f.op(f"insertelement {llvm_type(type_)} {out}, {llvm_type(type_.element)} "
                        f"{value}, i32 {lane}")
    return out


def store(body: Body, instr: Instr) -> None:
    value, type_ = body.value(instr.operands[0]), instr.operands[0].type
    buffer, index = body.buffer(instr.operands[1]), indices(body, instr, 1)
    lanes = ty.lanes_of(type_)
    if STORE_BOUNDS[instr.immediates[0]] == "trap":
        check_inside(body, instr, buffer, index, lanes)
        if lanes and (buffer.layout == "strided" or buffer.owner):
            _store_lanes(body, instr, buffer, index, value, type_, False)
        else:
            _store_at(body, instr, buffer, index, value, type_)
    elif lanes:
        _store_lanes(body, instr, buffer, index, value, type_, True)
    else:
        _store_inside(body, instr, buffer, index, value, type_)


def _store_at(body: Body, instr: Instr, buffer: Buffer, index: list[str], value: str,
              type_: Type) -> None:
    own(body, instr, buffer, index)
    body.store_cell(type_, value, pointer_at(body, buffer, index))


def _store_inside(body: Body, instr: Instr, buffer: Buffer, index: list[str], value: str,
                  type_: Type) -> None:
    ok = inside(body, buffer, index, 0)
    when(body, ok, lambda: _store_at(body, instr, buffer, index, value, type_))


def when(body: Body, ok: str, then: Callable[[], None]) -> None:
    if ok == "true":
        then()
        return
    yes, done = body.f.label("inside"), body.f.label("joined")
    body.f.branch(ok, yes, done)
    body.f.start(yes)
    then()
    body.f.jump(done)
    body.f.start(done)


def _store_lanes(body: Body, instr: Instr, buffer: Buffer, index: list[str], value: str, type_: Type,
                 check: bool) -> None:
    assert isinstance(type_, VectorType)
    for lane in range(type_.lanes):
        at = [*index[:-1], body.f.op(f"add i64 {index[-1]}, {lane}")]
        part = body.f.op(f"extractelement {llvm_type(type_)} {value}, i32 {lane}")
        (_store_inside if check else _store_at)(body, instr, buffer, at, part, type_.element)


# -- atomics -----------------------------------------------------------------------------------------

def update(body: Body, instr: Instr) -> None:
    op, bounds = UPDATES[instr.immediates[0]], STORE_BOUNDS[instr.immediates[1]]
    buffer, index = body.buffer(instr.operands[1]), indices(body, instr, 1)
    value = body.value(instr.operands[0])

    def run() -> None:
        own(body, instr, buffer, index)
        join(body, buffer, pointer_at(body, buffer, index), op, value)
    if bounds == "trap":
        check_inside(body, instr, buffer, index, 0)
        run()
    else:
        when(body, inside(body, buffer, index, 0), run)


def atomic(body: Body, instr: Instr) -> None:
    buffer, index = body.buffer(instr.operands[1]), indices(body, instr, 1)
    check_inside(body, instr, buffer, index, 0)
    own(body, instr, buffer, index)
    old = join(body, buffer, pointer_at(body, buffer, index), ATOMICS[instr.immediates[0]],
               body.value(instr.operands[0]))
    body.define(instr.results[0], old)


_RMW = {"add": "add", "and": "and", "or": "or", "xor": "xor", "exchange": "xchg"}


def join(body: Body, buffer: Buffer, pointer: str, op: str, value: str) -> str:
    """Join a value into a cell as one step; the old value."""
    element, f = buffer.element, body.f
    if buffer.exclusive or not body.lowering.options.threads:
        old = body.load_cell(element, pointer)
        new = value if op == "exchange" else combine(body, op, old, value, element)
        body.store_cell(element, new, pointer)
        return old
    text = memory_type(element)
    if element is ty.I1:
        wide = f.op(f"zext i1 {value} to i8")
        return f.op(f"trunc i8 {f.op(f'atomicrmw xchg ptr {pointer}, i8 {wide} monotonic')} to i1")
    if op == "exchange" or not element.is_float:
        name = _RMW.get(op) or ("" if element.kind == "signed" else "u") + op
        return f.op(f"atomicrmw {name} ptr {pointer}, {text} {value} monotonic")
    if op == "add" and text in ("float", "double"):
        return f.op(f"atomicrmw fadd ptr {pointer}, {text} {value} monotonic")
    return _exchange_loop(body, element, pointer, op, value)


def _exchange_loop(body: Body, element: ScalarType, pointer: str, op: str, value: str) -> str:
    """Compare and exchange until nobody came between."""
    f, bits, text = body.f, f"i{element.bits}", element_type(element)
    first = f.op(f"load atomic {bits}, ptr {pointer} monotonic, align {element.size_bytes}")
    again, done, start = f.label("again"), f.label("exchanged"), f.block
    f.jump(again)
    f.start(again)
    name = f.tmp()
    at = len(f.lines)
    f.lines.append("")
    old = name if text == bits else f.op(f"bitcast {bits} {name} to {text}")
    new = combine(body, op, old, value, element)
    raw = new if text == bits else f.op(f"bitcast {text} {new} to {bits}")
    pair = f.op(f"cmpxchg ptr {pointer}, {bits} {name}, {bits} {raw} monotonic monotonic")
    seen = f.op(f"extractvalue {{ {bits}, i1 }} {pair}, 0")
    won = f.op(f"extractvalue {{ {bits}, i1 }} {pair}, 1")
    f.lines[at] = f"  {name} = phi {bits} [ {first}, %{start} ], [ {seen}, %{f.block} ]"
    f.branch(won, done, again)
    f.start(done)
    return old


def compare_exchange(body: Body, instr: Instr) -> None:
    buffer, index = body.buffer(instr.operands[2]), indices(body, instr, 2)
    check_inside(body, instr, buffer, index, 0)
    own(body, instr, buffer, index)
    element, f = buffer.element, body.f
    text, bits = element_type(element), f"i{element.size_bytes * 8}"
    raw: list[str] = []
    for operand in instr.operands[:2]:
        value = body.value(operand)
        raw.append(value if text == bits else f.op(
            f"{'zext' if element is ty.I1 else 'bitcast'} {text} {value} to {bits}"))
    pointer = pointer_at(body, buffer, index)
    if element.is_float:
        old = _exchange_float(body, element, pointer, raw)
    else:
        pair = f.op(f"cmpxchg ptr {pointer}, {bits} {raw[0]}, {bits} {raw[1]} monotonic monotonic")
        old = f.op(f"extractvalue {{ {bits}, i1 }} {pair}, 0")
    if text != bits:
        old = f.op(f"{'trunc' if element is ty.I1 else 'bitcast'} {bits} {old} to {text}")
    body.define(instr.results[0], old)


def _exchange_float(body: Body, element: ScalarType, pointer: str, raw: list[str]) -> str:
    """Compare and exchange of bits, all NaNs being one value (semantics 13); the old bits."""
    f, bits, text = body.f, f"i{element.bits}", element_type(element)

    def canonical(value: str) -> str:
        number = value if text == bits else f.op(f"bitcast {bits} {value} to {text}")
        return canonical_bits(body, number, element, 0)
    wanted = canonical(raw[0])
    first = f.op(f"load atomic {bits}, ptr {pointer} monotonic, align {element.size_bytes}")
    again, swap, done, start = f.label("again"), f.label("swap"), f.label("exchanged"), f.block
    f.jump(again)
    f.start(again)
    old, at = f.tmp(), len(f.lines)
    f.lines.append("")
    equal = f.op(f"icmp eq {bits} {canonical(old)}, {wanted}")
    seen_at = f.block
    f.branch(equal, swap, done)
    f.start(swap)
    pair = f.op(f"cmpxchg ptr {pointer}, {bits} {old}, {bits} {raw[1]} monotonic monotonic")
    seen = f.op(f"extractvalue {{ {bits}, i1 }} {pair}, 0")
    won = f.op(f"extractvalue {{ {bits}, i1 }} {pair}, 1")
    f.lines[at] = f"  {old} = phi {bits} [ {first}, %{start} ], [ {seen}, %{f.block} ]"
    swapped_at = f.block
    f.branch(won, done, again)
    f.start(done)
    return f.phi(bits, [(old, seen_at), (old, swapped_at)])


def extent(body: Body, instr: Instr) -> None:
    body.define(instr.results[0], body.buffer(instr.operands[0]).extents[instr.immediates[0]])


def set_extent(body: Body, instr: Instr) -> None:
    buffer, count = body.buffer(instr.operands[0]), body.value(instr.operands[1])
    bad = body.f.op(f"icmp ugt i64 {count}, {buffer.extents[0]}")
    body.trap_if(bad, "HV0905", instr, count, buffer.extents[0])
    assert buffer.count is not None
    body.f.do(f"store i64 {count}, ptr {buffer.count}")


def local(body: Body, instr: Instr) -> None:
    type_ = instr.type_argument
    assert isinstance(type_, ty.BufferType)
    extents = [d.constant or 0 for d in type_.shape]
    count = 1
    for value in extents:
        count *= value
    size = count * type_.element.size_bytes
    pointer = body.f.alloca(f"[{max(1, size)} x i8]", 64)
    body.lowering.zero(body, pointer, str(size))
    texts = [str(e) for e in extents]
    body.buffers[instr.results[0]] = Buffer(type_.element, pointer, texts,
                                            body.dense_strides(texts), written=True, exclusive=True)


SPECIAL = {"load": load, "store": store, "update": update, "atomic": atomic,
           "compare_exchange": compare_exchange, "extent": extent, "set_extent": set_extent,
           "local": local}
