"""Reductions: sums in their fixed order (semantics 11), what is free of order, the best and its place."""

from __future__ import annotations

from collections.abc import Callable

from hvisa.graph.model import Constant, Region
from hvisa.spec import numerics, types as ty
from hvisa.spec.definitions import Effect
from hvisa.spec.literals import parse_literal
from hvisa.spec.numerics import BLOCK, PARTIALS
from hvisa.spec.operations import ORDER_FREE
from hvisa.spec.types import ScalarType
from hvisa.translators.llvm.body import Body
from hvisa.translators.llvm.emit import constant_text, element_type
from hvisa.translators.llvm.loops import Loop, Strips, heavy, most
from hvisa.translators.llvm.rows import better, combine, compare, is_nan


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
    if heavy(body, region):
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
    body.stop_check(3 * BLOCK * most(body, region))
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
    body.stop_check(most(body, region))
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
    body.stop_check(BLOCK * most(body, region))
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
    if heavy(body, region):
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
