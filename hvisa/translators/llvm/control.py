"""Lowering of structured control, `reduce` in its fixed order, calls, assertions and prints."""

from __future__ import annotations

from collections.abc import Callable

from hvisa.graph.model import Constant, Function, Instr, Region
from hvisa.spec import numerics, types as ty
from hvisa.spec.definitions import Effect
from hvisa.spec.literals import parse_literal
from hvisa.spec.numerics import BLOCK, PARTIALS
from hvisa.spec.operations import ORDER_FREE, REDUCTIONS
from hvisa.spec.types import ScalarType
from hvisa.translators.llvm.body import Body
from hvisa.translators.llvm.emit import NARROW, constant_text, element_type, llvm_type
from hvisa.translators.llvm.rows import better, combine, compare, convert, is_nan
from hvisa.translators.llvm.work import BETWEEN_POLLS, SHORT


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


class Loop:
    """A loop being written: phis of the header are completed when the latch is known."""

    def __init__(self, body: Body, carried: list[tuple[str, str]]):
        """`carried` has (type, initial value); the header is open afterwards."""
        self.body, f = body, body.f
        self.header, self.exit = f.label("loop"), f.label("done")
        self.start = f.block
        f.jump(self.header)
        f.start(self.header)
        self.types = [t for t, _ in carried]
        self.inits = [v for _, v in carried]
        self.names = [f.tmp() for _ in carried]
        self.at = len(f.lines)
        f.lines += [""] * len(carried)

    def leave_unless(self, condition: str) -> None:
        """Go on into the body where the condition holds, else to the exit."""
        inside = self.body.f.label("body")
        self.body.f.branch(condition, inside, self.exit)
        self.body.f.start(inside)

    def close(self, values: list[str]) -> None:
        """End the body with the next values and continue after the loop."""
        f = self.body.f
        latch = f.block
        f.jump(self.header)
        for n, (name, type_) in enumerate(zip(self.names, self.types, strict=True)):
            f.lines[self.at + n] = (f"  {name} = phi {type_} [ {self.inits[n]}, %{self.start} ], "
                                    f"[ {values[n]}, %{latch} ]")
        f.start(self.exit)


def _heavy(body: Body, region: Region | None) -> bool:
    """Whether a round may run long enough for a stop check to be cheap."""
    return _most(body, region) > SHORT


def _most(body: Body, region: Region | None) -> int:
    """The most instructions of a round; those around it are a few more."""
    return 8 + (0 if region is None else body.lowering.work.most(region.body))


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
    heavy = not few and _heavy(body, instr.regions[0])
    strips = None if few or heavy else Strips(body, t, rounds, inits, instr.regions[0])
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
    if heavy:
        body.poll()
    loop.close([f.op(f"add nuw {t} {count}, 1"), *values])
    if strips is not None:
        carried = strips.close([count, *carried])
    for result, name in zip(instr.results, carried, strict=True):
        body.define(result, name)


class Strips:
    """A long loop of short rounds in strips, with a poll between two, so that the loop itself stays
    simple enough to be made into vectors."""

    def __init__(self, body: Body, type_text: str, rounds: str, inits: list[tuple[str, str]],
                 region: Region | None):
        self.body = body
        self.rounds = rounds
        self.type_text = type_text
        self.types = [t for t, _ in inits]
        self.outer = Loop(body, [(type_text, "0"), *inits])
        f = body.f
        count = self.outer.names[0]
        self.outer.leave_unless(f.op(f"icmp ult {type_text} {count}, {rounds}"))
        most = BETWEEN_POLLS // _most(body, region)
        size = min(max(most, 1), (1 << (int(type_text[1:]) - 1)) - 1)
        left = f.op(f"sub {type_text} {rounds}, {count}")
        strip = body.floats.intrinsic("umin", type_text, [left, str(size)])
        self.limit = f.op(f"add {type_text} {count}, {strip}")

    def start(self) -> list[tuple[str, str]]:
        """Types and values that the loop over one strip starts with."""
        return list(zip([self.type_text, *self.types], self.outer.names, strict=True))

    def close(self, values: list[str]) -> list[str]:
        """End a strip with the values that its loop left; the carried values after the last one."""
        f = self.body.f
        more, next_ = f.label("more"), f.label("strip")
        f.branch(f.op(f"icmp ult {self.type_text} {values[0]}, {self.rounds}"), more, next_)
        f.start(more)
        self.body.poll()
        f.jump(next_)
        f.start(next_)
        self.outer.close(values)
        return self.outer.names[1:]


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


def identity_text(op: str, element: ScalarType) -> str:
    value = numerics.identity(op, element)
    text = str(value).lower() if element is ty.I1 else str(value)
    bits = parse_literal(text, element)
    return constant_text(Constant(element, bits))


def fold(body: Body, op: str, total: str, at: Callable[[str], str], element: ScalarType, fast: int,
         region: Region | None = None) -> str:
    """Join `at(0) .. at(total - 1)`; the identity if there are none."""
    if op in ORDER_FREE or not element.is_float:
        return _fold_free(body, op, total, at, element, fast, region)
    return _fold_ordered(body, op, total, at, element, fast, region)


def _fold_free(body: Body, op: str, total: str, at: Callable[[str], str], element: ScalarType,
               fast: int, region: Region | None) -> str:
    f, text = body.f, element_type(element)
    strips = Strips(body, "i64", total, [(text, identity_text(op, element))], region)
    loop = Loop(body, strips.start())
    index, so_far = loop.names
    loop.leave_unless(f.op(f"icmp ult i64 {index}, {strips.limit}"))
    value = combine(body, op, so_far, at(index), element, fast)
    if _heavy(body, region):
        body.poll()
    loop.close([f.op(f"add nuw nsw i64 {index}, 1"), value])
    return strips.close([index, so_far])[0]


def fold_arg(body: Body, op: str, total: str, at: Callable[[str], str], element: ScalarType,
             region: Region | None = None) -> tuple[str, str]:
    """Best element and its position; identity and -1 if there are none. The best of a block is found as
    `min` and `max` are, and its place is looked for only if it is better: vectors can do both."""
    f, text = body.f, element_type(element)
    if region is not None and not _plain(region):
        return _one_by_one(body, op, total, at, element, region)
    loop = Loop(body, [("i64", "0"), (text, identity_text(op, element)), ("i64", "-1")])
    base, best, position = loop.names
    loop.leave_unless(f.op(f"icmp slt i64 {base}, {total}"))
    rest = f.op(f"sub nsw i64 {total}, {base}")
    end = f.op(f"add nsw i64 {base}, {body.floats.intrinsic('smin', 'i64', [rest, str(BLOCK)])}")
    inside = Loop(body, [("i64", base), (text, identity_text(op[3:], element))])
    index, so_far = inside.names
    inside.leave_unless(f.op(f"icmp slt i64 {index}, {end}"))
    inside.close([f.op(f"add nuw nsw i64 {index}, 1"),
                  combine(body, op[3:], so_far, at(index), element)])
    found = f.op(f"or i1 {f.op(f'icmp eq i64 {base}, 0')}, {better(body, op, so_far, best, element)}")
    search, next_, start = f.label("search"), f.label("next"), f.block
    f.branch(found, search, next_)
    f.start(search)
    place = _place_of(body, so_far, base, end, at, element)
    new, last = at(place), f.block
    f.jump(next_)
    f.start(next_)
    best2 = f.phi(text, [(best, start), (new, last)])
    position2 = f.phi("i64", [(position, start), (place, last)])
    body.stop_check(3 * BLOCK * _most(body, region))
    loop.close([end, best2, position2])
    return best, position


def _place_of(body: Body, wanted: str, base: str, end: str, at: Callable[[str], str],
              element: ScalarType) -> str:
    """The first position of an element: of a NaN that of any, of a zero that of either."""
    f = body.f
    nan = is_nan(body, wanted, element, 0) if element.is_float else "false"
    loop = Loop(body, [("i64", base), ("i64", end)])
    index, place = loop.names
    loop.leave_unless(f.op(f"icmp slt i64 {index}, {end}"))
    value = at(index)
    same = compare(body, "eq", [value, wanted], element, 0)
    if element.is_float:
        same = f.op(f"or i1 {same}, {f.op(f'and i1 {nan}, {is_nan(body, value, element, 0)}')}")
    candidate = f.op(f"select i1 {same}, i64 {index}, i64 {end}")
    loop.close([f.op(f"add nuw nsw i64 {index}, 1"),
                body.floats.intrinsic("umin", "i64", [candidate, place])])
    return place


def _plain(region: Region) -> bool:
    """Whether a region may be run twice: it is short, nothing in it is seen outside, and it gives the same
    again, which approximations don't in another loop."""
    return not any(i.regions or i.callee is not None or i.fast or i.row.effect is Effect.PRINT
                   for i in region.body)


def _one_by_one(body: Body, op: str, total: str, at: Callable[[str], str], element: ScalarType,
                region: Region) -> tuple[str, str]:
    """The best element and its position, each element evaluated once."""
    f, text = body.f, element_type(element)
    loop = Loop(body, [("i64", "0"), (text, identity_text(op, element)), ("i64", "-1")])
    index, best, position = loop.names
    loop.leave_unless(f.op(f"icmp slt i64 {index}, {total}"))
    value = at(index)
    first = f.op(f"icmp eq i64 {index}, 0")
    take = f.op(f"or i1 {first}, {better(body, op, value, best, element)}")
    best2 = f.op(f"select i1 {take}, {text} {value}, {text} {best}")
    position2 = f.op(f"select i1 {take}, i64 {index}, i64 {position}")
    body.stop_check(_most(body, region))
    loop.close([f.op(f"add nuw nsw i64 {index}, 1"), best2, position2])
    return best, position


def _fold_ordered(body: Body, op: str, total: str, at: Callable[[str], str], element: ScalarType,
                  fast: int, region: Region | None) -> str:
    """Blocks of 4096 with 64 partial results, joined pairwise like the carries of a counter."""
    f, text = body.f, element_type(element)
    partials = f.alloca(f"[{PARTIALS} x {text}]", 64)
    levels = f.alloca(f"[64 x {text}]", 64)
    loop = Loop(body, [("i64", "0")])
    block = loop.names[0]
    base = f.op(f"mul nuw nsw i64 {block}, {BLOCK}")
    loop.leave_unless(f.op(f"icmp slt i64 {base}, {total}"))
    rest = f.op(f"sub nsw i64 {total}, {base}")
    size = body.floats.intrinsic("smin", "i64", [rest, str(BLOCK)])
    result = _fold_block(body, op, base, size, at, element, fast, partials, region)
    _push(body, op, levels, block, result, element, fast)
    body.stop_check(BLOCK * _most(body, region))
    loop.close([f.op(f"add nuw nsw i64 {block}, 1")])
    return _drain(body, op, levels, block, element, fast)


def _fold_block(body: Body, op: str, base: str, size: str, at: Callable[[str], str],
                element: ScalarType, fast: int, partials: str, region: Region | None) -> str:
    f, text = body.f, element_type(element)
    rows = Loop(body, [("i64", "0")])
    start = rows.names[0]
    rows.leave_unless(f.op(f"icmp slt i64 {start}, {size}"))
    left = f.op(f"sub nsw i64 {size}, {start}")
    width = body.floats.intrinsic("smin", "i64", [left, str(PARTIALS)])
    first = f.op(f"icmp eq i64 {start}, 0")
    lanes = Loop(body, [("i64", "0")])
    lane = lanes.names[0]
    lanes.leave_unless(f.op(f"icmp slt i64 {lane}, {width}"))
    position = f.op(f"add nuw nsw i64 {base}, {f.op(f'add nuw nsw i64 {start}, {lane}')}")
    value = at(position)
    slot = f.op(f"getelementptr inbounds {text}, ptr {partials}, i64 {lane}")
    old = f.op(f"load {text}, ptr {slot}")
    joined = combine(body, op, old, value, element, fast)
    kept = f.op(f"select i1 {first}, {text} {value}, {text} {joined}")
    f.do(f"store {text} {kept}, ptr {slot}")
    if _heavy(body, region):
        body.poll()
    lanes.close([f.op(f"add nuw nsw i64 {lane}, 1")])
    rows.close([f.op(f"add nuw nsw i64 {start}, {PARTIALS}")])
    used = body.floats.intrinsic("smin", "i64", [size, str(PARTIALS)])
    halves = Loop(body, [("i64", str(PARTIALS // 2))])
    half = halves.names[0]
    halves.leave_unless(f.op(f"icmp sgt i64 {half}, 0"))
    pairs = Loop(body, [("i64", "0")])
    lane = pairs.names[0]
    partner = f.op(f"add nuw nsw i64 {lane}, {half}")
    here = f.op(f"icmp slt i64 {lane}, {half}")
    pairs.leave_unless(f.op(f"and i1 {here}, {f.op(f'icmp slt i64 {partner}, {used}')}"))
    slot = f.op(f"getelementptr inbounds {text}, ptr {partials}, i64 {lane}")
    other = f.op(f"getelementptr inbounds {text}, ptr {partials}, i64 {partner}")
    value = combine(body, op, f.op(f"load {text}, ptr {slot}"), f.op(f"load {text}, ptr {other}"),
                    element, fast)
    f.do(f"store {text} {value}, ptr {slot}")
    pairs.close([f.op(f"add nuw nsw i64 {lane}, 1")])
    halves.close([f.op(f"lshr i64 {half}, 1")])
    return f.op(f"load {text}, ptr {partials}")


def _push(body: Body, op: str, levels: str, block: str, result: str, element: ScalarType,
          fast: int) -> None:
    """Join a block result with the finished ones: as many levels as `block` has trailing ones."""
    f, text = body.f, element_type(element)
    loop = Loop(body, [("i64", "0"), (text, result), ("i64", block)])
    level, value, bits = loop.names
    odd = f.op(f"trunc i64 {bits} to i1")
    loop.leave_unless(odd)
    slot = f.op(f"getelementptr inbounds {text}, ptr {levels}, i64 {level}")
    joined = combine(body, op, f.op(f"load {text}, ptr {slot}"), value, element, fast)
    loop.close([f.op(f"add nuw nsw i64 {level}, 1"), joined, f.op(f"lshr i64 {bits}, 1")])
    slot = f.op(f"getelementptr inbounds {text}, ptr {levels}, i64 {level}")
    f.do(f"store {text} {value}, ptr {slot}")


def _drain(body: Body, op: str, levels: str, blocks: str, element: ScalarType, fast: int) -> str:
    """Join what the levels still hold, the latest last; the identity if there were no blocks."""
    f, text = body.f, element_type(element)
    loop = Loop(body, [("i64", "0"), (text, identity_text(op, element)), ("i64", blocks),
                       ("i1", "false")])
    level, value, bits, some = loop.names
    loop.leave_unless(f.op(f"icmp ne i64 {bits}, 0"))
    odd = f.op(f"trunc i64 {bits} to i1")
    slot = f.op(f"getelementptr inbounds {text}, ptr {levels}, i64 {level}")
    held = f.op(f"load {text}, ptr {slot}")
    joined = combine(body, op, held, value, element, fast)
    taken = f.op(f"select i1 {some}, {text} {joined}, {text} {held}")
    value2 = f.op(f"select i1 {odd}, {text} {taken}, {text} {value}")
    some2 = f.op(f"or i1 {some}, {odd}")
    loop.close([f.op(f"add nuw nsw i64 {level}, 1"), value2, f.op(f"lshr i64 {bits}, 1"), some2])
    return value


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
