"""Leaves without barriers: a range function over linear instance numbers, and its launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hvisa.graph.model import Definition, LeafNode, NodeDetail
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.types import Type
from hvisa.translators.llvm.body import Body
from hvisa.translators.llvm.emit import FunctionText
from hvisa.translators.llvm.loops import Loop
from hvisa.translators.llvm.parameters import (
    Parameter,
    bind_ports,
    parameter_list,
    parameter_names,
    result_parameters,
)

if TYPE_CHECKING:
    from hvisa.translators.llvm.lowering import Lowering

GRID_MOST = 1 << 48  # instances
PLACE = f"range(i64 0, {GRID_MOST + 1})"


def write_leaf(lowering: Lowering, leaf: LeafNode, parameters: Sequence[Parameter],
               name: str) -> None:
    """Add the range function and `name`, its launch."""
    header = [p for n, (port, how) in enumerate(zip(leaf.ports, parameters, strict=True))
              for p in parameter_list(port, n, how)] + result_parameters(leaf)
    range_name = name.replace("launch.", "range.")
    f = FunctionText(f"define internal i32 @{range_name}(ptr %ctx, "
                     + "".join(f"{p}, " for p in header) + f"i64 {PLACE} %begin, i64 {PLACE} %end)")
    body = Body(lowering, f, leaf.name)
    bind_ports(body, leaf, parameters)
    over_instances(body, leaf, "%begin", "%end", lambda: _instance(body, leaf, parameters))
    f.do("ret i32 0")
    lowering.text.add(f)
    arguments = [a for n, (port, how) in enumerate(zip(leaf.ports, parameters, strict=True))
                 for a in parameter_names(port, n, how)]
    arguments += [f"ptr %r{n}" for n in range(len(leaf.results))]
    write_launch(lowering, name, header, arguments, range_name, leaf.name,
                 lambda b: bind_ports(b, leaf, parameters), leaf.grid, lowering.work.likely(leaf))


def _instance(body: Body, leaf: LeafNode, parameters: Sequence[Parameter]) -> None:
    """One instance: per-instance arguments, the body, per-instance results."""
    for number, (port, how) in enumerate(zip(leaf.ports, parameters, strict=True)):
        if how.each:
            body.define(port.value, load_each(body, port.type, f"%p{number}", body.instance))
    assert leaf.body is not None
    values = body.region(leaf.body)
    for number, (type_, value) in enumerate(zip(leaf.results, values, strict=True)):
        store_each(body, type_, value, f"%r{number}", body.instance)


def load_each(body: Body, type_: Type, pointer: str, instance: str) -> str:
    element = ty.element_of(type_)
    assert element is not None
    return body.load_cell(type_, body.cell(element, pointer, instance, ty.lanes_of(type_)))


def store_each(body: Body, type_: Type, value: str, pointer: str, instance: str) -> None:
    element = ty.element_of(type_)
    assert element is not None
    body.store_cell(type_, value, body.cell(element, pointer, instance, ty.lanes_of(type_)))


def over_instances(body: Body, leaf: Definition | NodeDetail, begin: str, end: str,
                   run: Callable[[], None]) -> None:
    """Loop over linear instances [begin, end): runs along the last axis, so that ids are simple."""
    f = body.f
    rank = len(leaf.grid)
    if rank == 0:
        empty = f.op(f"icmp uge i64 {begin}, {end}")
        skip, go = f.label("none"), f.label("single")
        f.branch(empty, skip, go)
        f.start(go)
        body.instance = "0"
        run()
        f.jump(skip)
        f.start(skip)
        return
    if rank == 1:
        _run(body, leaf, begin, end, "0", [], run)
        return
    extents = [body.dim(d) for d in leaf.grid]
    outer = Loop(body, [("i64", begin)])
    position = outer.names[0]
    outer.leave_unless(f.op(f"icmp slt i64 {position}, {end}"))
    column = f.op(f"urem i64 {position}, {extents[-1]}")
    row = f.op(f"udiv i64 {position}, {extents[-1]}")
    ids = [row]
    if rank == 3:
        ids = [f.op(f"udiv i64 {row}, {extents[1]}"), f.op(f"urem i64 {row}, {extents[1]}")]
    room = f.op(f"sub nsw i64 {extents[-1]}, {column}")
    left = f.op(f"sub nsw i64 {end}, {position}")
    length = body.floats.intrinsic("smin", "i64", [room, left])
    base = f.op(f"sub nsw i64 {position}, {column}")
    for value, extent in zip(ids, extents, strict=False):
        _assume(body, f"icmp ult i64 {value}, {extent}")
    _run(body, leaf, column, f.op(f"add nsw i64 {column}, {length}"), base, ids, run)
    outer.close([f.op(f"add nsw i64 {position}, {length}")])


def _assume(body: Body, test: str) -> None:
    """What the division of instance numbers hides from LLVM: bounds tests fold by it."""
    body.module.declare("llvm.assume", "void @llvm.assume(i1)")
    body.f.do(f"call void @llvm.assume(i1 {body.f.op(test)})")


def _run(body: Body, leaf: Definition | NodeDetail, begin: str, end: str, base: str, ids: list[str],
         run: Callable[[], None]) -> None:
    f = body.f
    for value, text in zip(leaf.ids, ids, strict=False):
        body.define(value, text)
    loop = Loop(body, [("i64", begin)])
    index = loop.names[0]
    loop.leave_unless(f.op(f"icmp slt i64 {index}, {end}"))
    body.define(leaf.ids[-1], index)
    body.instance = index if base == "0" else f.op(f"add nsw i64 {base}, {index}")
    run()
    loop.close([f.op(f"add nuw nsw i64 {index}, 1")])


# What threads of a team share, before the arguments of the range function.
_CLOSURE = {"context": "ptr", "total": "i64", "chunk": "i64", "next": "i64", "started": "i64",
            "done": "i64", "status": "i32"}
_SLOT = {name: number for number, name in enumerate(_CLOSURE)}


# -- launches ----------------------------------------------------------------------------------------

def write_launch(lowering: Lowering, name: str, header: Sequence[str], arguments: Sequence[str],
                 range_name: str, path: str, bind: Callable[[Body], None], grid: Sequence[Dim],
                 weight: int) -> None:
    """Add `i32 name(context, i1 parallel, header)`: the grid's size, then the range function over it,
    in chunks, on the calling thread or on the team."""
    f = FunctionText(f"define internal i32 @{name}(ptr %ctx, i1 %parallel"
                     + "".join(f", {p}" for p in header) + ")")
    body = Body(lowering, f, path)
    bind(body)
    total = grid_total(body, path, grid)
    if not lowering.options.threads:
        run_chunks(body, range_name, arguments, total, weight)
        lowering.text.add(f)
        return
    room = f.op(f"icmp sgt i64 {total}, {max(1, lowering.options.serial_work // weight)}")
    together, alone = f.label("team"), f.label("alone")
    f.branch(f.op(f"and i1 %parallel, {room}"), together, alone)
    f.start(together)
    run_team(lowering, body, name, range_name, arguments, total, weight, alone)
    f.start(alone)
    run_chunks(body, range_name, arguments, total, weight)
    lowering.text.add(f)


def grid_total(body: Body, path: str, grid: Sequence[Dim]) -> str:
    """Number of instances; leaves with HV1005 for a negative or excessive grid."""
    f = body.f
    total = "1"
    for dim in grid:
        extent = body.dim(dim)
        body.trap_if(f.op(f"icmp ugt i64 {extent}, {GRID_MOST}"), "HV1005", body.header(), extent, "0")
        if total == "1":
            total = extent
            continue
        total, over = body.overflowing("umul", total, extent)
        large = f.op(f"icmp ugt i64 {total}, {GRID_MOST}")
        body.trap_if(f.op(f"or i1 {over}, {large}"), "HV1005", body.header(), extent, "1")
    return total


def run_chunks(body: Body, range_name: str, arguments: Sequence[str], total: str,
               weight: int) -> None:
    """The whole range on this thread; pieces of some milliseconds, a stop check between them."""
    f = body.f
    piece = max(64, min(1 << 40, (1 << 24) // weight))
    loop = Loop(body, [("i64", "0")])
    begin = loop.names[0]
    loop.leave_unless(f.op(f"icmp slt i64 {begin}, {total}"))
    end = body.floats.intrinsic("smin", "i64", [total, f.op(f"add nsw i64 {begin}, {piece}")])
    passed = "".join(f"{a}, " for a in arguments)
    status = f.op(f"call i32 @{range_name}(ptr %ctx, {passed}i64 {begin}, i64 {end})")
    body.check_status(status)
    if body.lowering.options.stop_checks:
        more, on = f.label("more"), f.label("on")
        f.branch(f.op(f"icmp slt i64 {end}, {total}"), more, on)
        f.start(more)
        body.check_status(f.op("call i32 @hv.poll(ptr %ctx)"))
        f.jump(on)
        f.start(on)
    loop.close([end])
    f.do("ret i32 0")


def run_team(lowering: Lowering, body: Body, name: str, range_name: str, arguments: Sequence[str],
             total: str, weight: int, alone: str) -> None:
    """Hand chunks out dynamically to the threads of the team."""
    f = body.f
    types = [a.rpartition(" ")[0] for a in arguments]
    closure = "{ " + ", ".join([*_CLOSURE.values(), *types]) + " }"
    threads = f.op(f"load i64, ptr {lowering.field(f, 'threads')}")
    parallel = f.op(f"load ptr, ptr {lowering.field(f, 'parallel')}")
    many = f.op(f"icmp sgt i64 {threads}, 1")
    some = f.op(f"icmp ne ptr {parallel}, null")
    go = f.label("region")
    f.branch(f.op(f"and i1 {many}, {some}"), go, alone)
    f.start(go)
    cell = f.alloca(closure, 64)
    parts = f.op(f"mul nsw i64 {threads}, 8")
    share = f.op(f"udiv i64 {total}, {parts}")
    least = max(1, lowering.options.serial_work // (4 * weight))
    most = max(least, (1 << 24) // weight)
    chunk = body.floats.intrinsic("smax", "i64", [share, str(least)])
    chunk = body.floats.intrinsic("smin", "i64", [chunk, str(most)])
    values = ["ptr %ctx", f"i64 {total}", f"i64 {chunk}", "i64 0", "i64 0", "i64 0", "i32 0",
              *arguments]
    for number, value in enumerate(values):
        at = f.op(f"getelementptr inbounds {closure}, ptr {cell}, i32 0, i32 {number}")
        f.do(f"store {value}, ptr {at}")
    region = name.replace("launch.", "team.")
    f.do(f"call void {parallel}(ptr @{region}, ptr {cell}, "
         f"i32 {f.op(f'trunc i64 {threads} to i32')}, i32 0)")
    at = f.op(f"getelementptr inbounds {closure}, ptr {cell}, i32 0, i32 {_SLOT['status']}")
    f.do(f"ret i32 {f.op(f'load i32, ptr {at}')}")
    _write_region(lowering, region, range_name, closure, arguments)


def _write_region(lowering: Lowering, region: str, range_name: str, closure: str,
                  arguments: Sequence[str]) -> None:
    """What each thread of the team runs: default float environment, then chunks until none is left."""
    f = FunctionText(f"define internal void @{region}(ptr %cell)")
    body = Body(lowering, f, region)

    def at(name: str, number: int = 0) -> str:
        slot = _SLOT[name] if name else len(_SLOT) + number
        return f.op(f"getelementptr inbounds {closure}, ptr %cell, i32 0, i32 {slot}")

    def load(argument: str, place: str) -> str:
        type_, _, name = argument.rpartition(" ")
        known = f", !range !{{i64 0, i64 {-1 << 63}}}" if ".e" in name else ""
        return f.op(f"load {type_}, ptr {place}{known}")
    saved = enter_float_environment(body)
    f.op(f"atomicrmw add ptr {at('started')}, i64 1 monotonic")
    f.do(f"%ctx = load ptr, ptr {at('context')}")
    total, chunk = f.op(f"load i64, ptr {at('total')}"), f.op(f"load i64, ptr {at('chunk')}")
    next_, status_at = at("next"), at("status")
    loaded = [f"{a.rpartition(' ')[0]} {load(a, at('', n))}" for n, a in enumerate(arguments)]
    again, out, work_, bad = f.label("again"), f.label("out"), f.label("work"), f.label("bad")
    f.jump(again)
    f.start(again)
    begin = f.op(f"atomicrmw add ptr {next_}, i64 {chunk} monotonic")
    f.branch(f.op(f"icmp slt i64 {begin}, {total}"), work_, out)
    f.start(work_)
    _assume(body, f"icmp sge i64 {begin}, 0")
    end = body.floats.intrinsic("smin", "i64", [total, f.op(f"add nsw i64 {begin}, {chunk}")])
    passed = "".join(f"{a}, " for a in loaded)
    # Inlined, the loop is optimised together with what the region knows; vectors depend on it.
    status = f.op(f"call i32 @{range_name}(ptr %ctx, {passed}i64 {begin}, i64 {end}) alwaysinline")
    fine, on = f.label("fine"), f.block
    f.branch(f.op(f"icmp eq i32 {status}, 0"), fine, bad, likely=True)
    f.start(fine)
    polled = f.op("call i32 @hv.poll(ptr %ctx)")
    f.branch(f.op(f"icmp eq i32 {polled}, 0"), again, bad, likely=True)
    f.start(bad)
    final = f.phi("i32", [(status, on), (polled, fine)])
    # The thread whose trap is recorded wins over those that were only stopped.
    f.op(f"cmpxchg ptr {status_at}, i32 0, i32 {final} monotonic monotonic")
    mine = f.label("mine")
    f.branch(f.op(f"icmp eq i32 {final}, 1"), mine, out)
    f.start(mine)
    f.do(f"store atomic i32 1, ptr {status_at} monotonic, align 4")
    f.jump(out)
    f.start(out)
    _wait_for_team(body, at("started"), at("done"), saved)
    f.op(f"atomicrmw add ptr {at('done')}, i64 1 monotonic")
    leave_float_environment(body, saved)
    f.do("ret void")
    lowering.text.add(f)


def _wait_for_team(body: Body, started: str, done: str, frame: str) -> None:
    """The calling thread waits here and not in the team's barrier, so that it can be interrupted: it
    polls while others still work. It is the one whose stack holds the closure."""
    f = body.f
    here, cell = f.op(f"ptrtoint ptr {frame} to i64"), f.op("ptrtoint ptr %cell to i64")
    distance = f.op(f"sub i64 {cell}, {here}")
    near = f.op(f"icmp ult i64 {distance}, {1 << 18}")
    wait, over = f.label("wait"), f.label("over")
    f.branch(near, wait, over)
    f.start(wait)
    loop = Loop(body, [("i64", "0")])
    rounds = loop.names[0]
    ended = f.op(f"add i64 {f.op(f'load atomic i64, ptr {done} monotonic, align 8')}, 1")
    began = f.op(f"load atomic i64, ptr {started} monotonic, align 8")
    loop.leave_unless(f.op(f"icmp slt i64 {ended}, {began}"))
    f.do("call void asm sideeffect \"pause\", \"~{memory},~{dirflag},~{fpsr},~{flags}\"()")
    long, next_ = f.label("long"), f.label("next")
    f.branch(f.op(f"icmp sgt i64 {rounds}, 2000"), long, next_)
    f.start(long)
    sleep = f.op(f"load ptr, ptr {body.lowering.field(f, 'sleep')}")
    f.do(f"call i32 {sleep}(i32 50)")
    f.op("call i32 @hv.poll(ptr %ctx)")
    f.jump(next_)
    f.start(next_)
    loop.close([f.op(f"add i64 {rounds}, 1")])
    f.jump(over)
    f.start(over)


def enter_float_environment(body: Body) -> str:
    """Round to nearest, keep subnormals, mask exceptions; where the old state is kept (semantics 15)."""
    body.module.declare("llvm.x86.sse.stmxcsr", "void @llvm.x86.sse.stmxcsr(ptr)")
    body.module.declare("llvm.x86.sse.ldmxcsr", "void @llvm.x86.sse.ldmxcsr(ptr)")
    saved, default = body.f.alloca("i32"), body.f.alloca("i32")
    body.f.do(f"call void @llvm.x86.sse.stmxcsr(ptr {saved})")
    body.f.do(f"store i32 8064, ptr {default}")  # 0x1F80
    body.f.do(f"call void @llvm.x86.sse.ldmxcsr(ptr {default})")
    return saved


def leave_float_environment(body: Body, saved: str) -> None:
    body.f.do(f"call void @llvm.x86.sse.ldmxcsr(ptr {saved})")
