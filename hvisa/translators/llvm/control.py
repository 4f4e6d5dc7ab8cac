"""Lowering of structured control, calls, assertions and prints."""

from __future__ import annotations

from hvisa.graph.model import Function, Instr
from hvisa.spec import types as ty
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.types import ScalarType
from hvisa.translators.llvm.body import Body
from hvisa.translators.llvm.emit import NARROW, element_type, llvm_type
from hvisa.translators.llvm.folds import fold, fold_arg
from hvisa.translators.llvm.loops import Loop, Strips, heavy
from hvisa.translators.llvm.rows import combine, convert
from hvisa.translators.llvm.work import BETWEEN_POLLS


def if_(body: Body, instr: Instr) -> None:
    f = body.f
    yes, no, done = f.label("then"), f.label("else"), f.label("endif")
    f.branch(body.value(instr.operands[0]), yes, no)
    ends: list[tuple[list[str], str]] = []
    for label, region in zip((yes, no), instr.regions, strict=True):
        f.start(label)
        values = body.region(region)
        ends.append((values, f.block))
        f.jump(done)
    f.start(done)
    for n, result in enumerate(instr.results):
        body.define(result, f.phi(llvm_type(result.type), [(v[n], block) for v, block in ends]))


def trip_count(body: Body, instr: Instr, low: str, high: str, step: str, type_: ScalarType) -> str:
    """Rounds of a `for`, as an unsigned number of the counter's width; traps on a bad step."""
    f, t = body.f, element_type(type_)
    sign = "s" if type_.kind == "signed" else "u"
    if not step.isdigit() or step == "0":
        bad = f.op(f"icmp {'slt' if sign == 's' else 'ult'} {t} {step}, 1")
        body.trap_if(bad, "HV0904", instr)
    some = f.op(f"icmp {sign}lt {t} {low}, {high}")
    room = f.op(f"sub {t} {high}, {low}")
    rounds = _rounds(body, room, step, t)
    return f.op(f"select i1 {some}, {t} {rounds}, {t} 0")


def _rounds(body: Body, room: str, step: str, t: str) -> str:
    if step == "1":
        return room
    less = body.f.op(f"sub {t} {room}, 1")
    return body.f.op(f"add {t} {body.f.op(f'udiv {t} {less}, {step}')}, 1")


def for_(body: Body, instr: Instr) -> None:
    f = body.f
    type_ = instr.operands[0].type
    assert isinstance(type_, ScalarType)
    t = element_type(type_)
    low, high, step = (body.value(o) for o in instr.operands[:3])
    rounds = trip_count(body, instr, low, high, step, type_)
    counter, *parameters = instr.regions[0].parameters
    inits = [(llvm_type(v.type), body.value(o))
             for v, o in zip(parameters, instr.operands[3:], strict=True)]
    few = body.lowering.work.most([instr]) <= BETWEEN_POLLS
    polled = not few and heavy(body, instr.regions[0])
    strips = None if few or polled else Strips(body, t, rounds, inits, instr.regions[0])
    if strips is not None:
        loop = Loop(body, strips.start())
    else:
        loop = Loop(body, [(t, "0"), *inits])
    count, *carried = loop.names
    for value, name in zip(parameters, carried, strict=True):
        body.define(value, name)
    loop.leave_unless(f.op(f"icmp ult {t} {count}, {strips.limit if strips else rounds}"))
    scaled = count if step == "1" else f.op(f"mul {t} {count}, {step}")
    body.define(counter, scaled if low == "0" else f.op(f"add {t} {low}, {scaled}"))
    values = body.region(instr.regions[0])
    if polled:
        body.poll()
    loop.close([f.op(f"add nuw {t} {count}, 1"), *values])
    if strips is not None:
        carried = strips.close([count, *carried])
    for result, name in zip(instr.results, carried, strict=True):
        body.define(result, name)


def while_(body: Body, instr: Instr) -> None:
    parameters = instr.regions[0].parameters
    loop = Loop(body, [(llvm_type(v.type), body.value(o))
                       for v, o in zip(parameters, instr.operands, strict=True)])
    for value, name in zip(parameters, loop.names, strict=True):
        body.define(value, name)
    loop.leave_unless(body.region(instr.regions[0])[0])
    values = body.region(instr.regions[1])
    body.stop_check(sum(body.lowering.work.most(r.body) for r in instr.regions))
    loop.close(values)
    for result, name in zip(instr.results, loop.names, strict=True):
        body.define(result, name)


# -- reduce ------------------------------------------------------------------------------------------

def reduce_(body: Body, instr: Instr) -> None:
    """Element function and count, then the fold of the operator's kind."""
    f = body.f
    op = REDUCTIONS[instr.immediates[0]]
    element = instr.type_argument
    assert isinstance(element, ScalarType)
    count = len(instr.operands) // 2
    bounds = [body.value(o) for o in instr.operands[:2 * count]]
    lows, sizes = bounds[0::2], list[str]()
    for low, high in zip(lows, bounds[1::2], strict=True):
        # Rounds of an axis; a range that runs backwards is empty.
        some = f.op(f"icmp slt i64 {low}, {high}")
        sizes.append(f.op(f"select i1 {some}, i64 {f.op(f'sub i64 {high}, {low}')}, i64 0"))
    total = sizes[0] if count == 1 else _many(body, sizes)

    def at(index: str) -> str:
        """The element at a linear position."""
        rest = index
        for axis in range(count - 1, -1, -1):
            part = rest
            if axis:
                part = f.op(f"urem i64 {rest}, {sizes[axis]}")
                rest = f.op(f"udiv i64 {rest}, {sizes[axis]}")
            low = lows[axis]
            body.define(instr.regions[0].parameters[axis],
                        part if low == "0" else f.op(f"add i64 {low}, {part}"))
        return body.region(instr.regions[0])[0]
    accumulator = ty.F32 if element in NARROW and op in ("add", "mul") else element

    def wide(index: str) -> str:
        return convert(body, at(index), element, accumulator, 0)
    if op.startswith("arg"):
        best, position = fold_arg(body, op, total, at, element, instr.regions[0])
        body.define(instr.results[0], best)
        body.define(instr.results[1], position)
        return
    result = fold(body, op, total, wide, accumulator, instr.fast, instr.regions[0])
    if len(instr.operands) % 2:
        init = convert(body, body.value(instr.operands[-1]), element, accumulator, 0)
        joined = combine(body, op, init, result, accumulator, instr.fast)
        empty = f.op(f"icmp eq i64 {total}, 0")
        text = element_type(accumulator)
        result = f.op(f"select i1 {empty}, {text} {init}, {text} {joined}")
    body.define(instr.results[0], convert(body, result, accumulator, element, 0))


def _many(body: Body, sizes: list[str]) -> str:
    """The product of sizes; beyond 2^62, more rounds than anyone waits for."""
    f, total, flags, empty = body.f, sizes[0], list[str](), list[str]()
    for size in sizes:
        empty.append(f.op(f"icmp eq i64 {size}, 0"))
    for size in sizes[1:]:
        total, over = body.overflowing("umul", total, size)
        flags.append(over)
    over = body.any_of([*flags, f.op(f"icmp ugt i64 {total}, {1 << 62}")])
    total = f.op(f"select i1 {over}, i64 {1 << 62}, i64 {total}")
    return f.op(f"select i1 {body.any_of(empty)}, i64 0, i64 {total}")


# -- calls, assertions, prints -----------------------------------------------------------------------

def call(body: Body, instr: Instr) -> None:
    callee = body.lowering.module.definitions[instr.callee or ""]
    assert isinstance(callee, Function)
    if callee.external:
        _external(body, instr, callee)
        return
    name = body.lowering.function(callee, [body.buffer(o).layout for p, o in
                                           zip(callee.ports, instr.operands, strict=True)
                                           if isinstance(p.type, ty.BufferType)])
    arguments = ["ptr %ctx", f"i64 {body.instance}"]
    for port, operand in zip(callee.ports, instr.operands, strict=True):
        if isinstance(port.type, ty.BufferType):
            buffer = body.buffer(operand)
            arguments.append(f"ptr {buffer.pointer}")
            arguments += [f"i64 {v}" for v in [*buffer.extents, *buffer.strides]]
        else:
            arguments.append(body.typed(operand))
    types = [llvm_type(r.type) for r in instr.results]
    whole = "{ " + ", ".join([*types, "i32"]) + " }"
    found = body.f.call(whole, name, arguments)
    body.check_status(body.f.op(f"extractvalue {whole} {found}, {len(types)}"))
    for n, result in enumerate(instr.results):
        body.define(result, body.f.op(f"extractvalue {whole} {found}, {n}"))


def _cells(body: Body, operands: list[str], types: list[ty.Type]) -> str:
    """Values in 8-byte cells, one a lane, as host callbacks read them."""
    f = body.f
    room = sum(max(1, ty.lanes_of(t)) for t in types)
    cells = f.alloca(f"[{max(1, room)} x i64]")
    at = 0
    for value, type_ in zip(operands, types, strict=True):
        lanes = ty.lanes_of(type_)
        element = ty.element_of(type_)
        assert element is not None
        for lane in range(max(1, lanes)):
            x = value if not lanes else f.op(f"extractelement {llvm_type(type_)} {value}, i32 {lane}")
            slot = f.op(f"getelementptr inbounds i64, ptr {cells}, i64 {at}")
            f.do(f"store i64 {to_cell(body, x, element)}, ptr {slot}")
            at += 1
    return cells


def to_cell(body: Body, value: str, element: ScalarType) -> str:
    """The bits of a scalar in an i64."""
    f, text = body.f, element_type(element)
    if text in ("float", "double"):
        value = f.op(f"bitcast {text} {value} to i{element.bits}")
    return value if element.bits == 64 else f.op(f"zext i{element.bits} {value} to i64")


def from_cell(body: Body, cell: str, element: ScalarType) -> str:
    """A scalar from the low bits of an i64."""
    f, text = body.f, element_type(element)
    raw = cell if element.bits == 64 else f.op(f"trunc i64 {cell} to i{element.bits}")
    return f.op(f"bitcast i{element.bits} {raw} to {text}") if text in ("float", "double") else raw


def _external(body: Body, instr: Instr, callee: Function) -> None:
    f = body.f
    cells = _cells(body, [body.value(o) for o in instr.operands], [o.type for o in instr.operands])
    results = f.alloca(f"[{max(1, len(instr.results))} x i64]")
    table = f.op(f"load ptr, ptr {body.lowering.field(f, 'externs')}")
    number = body.lowering.extern(callee.name)
    entry = f.op(f"load ptr, ptr {f.op(f'getelementptr inbounds ptr, ptr {table}, i64 {number}')}")
    status = f.op(f"call i32 {entry}(ptr %ctx, ptr {cells}, ptr {results})")
    body.trap_if(f.op(f"icmp ne i32 {status}, 0"), "HV0908", instr)
    for n, result in enumerate(instr.results):
        assert isinstance(result.type, ScalarType)
        cell = f.op(f"load i64, ptr {f.op(f'getelementptr inbounds i64, ptr {results}, i64 {n}')}")
        body.define(result, from_cell(body, cell, result.type))


def assert_(body: Body, instr: Instr) -> None:
    bad = body.f.op(f"xor i1 {body.value(instr.operands[0])}, true")
    body.trap_if(bad, "HV0903", instr)


def print_(body: Body, instr: Instr) -> None:
    f = body.f
    cells = _cells(body, [body.value(o) for o in instr.operands], [o.type for o in instr.operands])
    site = body.lowering.site("print", body.path, instr)
    sink = f.op(f"load ptr, ptr {body.lowering.field(f, 'print')}")
    write, done = f.label("print"), f.label("printed")
    f.branch(f.op(f"icmp ne ptr {sink}, null"), write, done)
    f.start(write)
    f.do(f"call void {sink}(ptr %ctx, i32 {site}, ptr {cells})")
    f.jump(done)
    f.start(done)


SPECIAL = {"if": if_, "for": for_, "while": while_, "reduce": reduce_, "call": call,
           "assert": assert_, "print": print_}
