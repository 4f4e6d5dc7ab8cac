"""IR of the helpers that every native module carries: traps, stop checks, memory blocks, memory moves.

Objects have no undefined symbols, so memset and friends are defined here, hidden; the runtime passes
whatever else is needed through the launch context (`hvisa.translators.native.CONTEXT`).
"""

from __future__ import annotations

from hvisa.translators.native import CONTEXT

# A block: a piece of memory with a reference count, in a list of its frame so that a trap can free all.
#   0 refs, 8 flags (1 writable, 2 owned), 16 parent, 24 previous, 32 next, 40 base; data at 256.
BLOCK_HEADER = 256


def _field(name: str) -> str:
    return f"getelementptr inbounds i8, ptr %ctx, i64 {CONTEXT[name]}"


TRAPS = f"""
define internal i32 @hv.trap(ptr %ctx, i32 %code, i32 %site, i64 %instance, i64 %a, i64 %b) cold noinline {{
  %pair = cmpxchg ptr %ctx, i32 0, i32 1 monotonic monotonic
  %won = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %won, label %first, label %late
first:
  %p1 = {_field("trap_code")}
  store i32 %code, ptr %p1
  %p2 = {_field("trap_site")}
  store i32 %site, ptr %p2
  %p3 = {_field("trap_instance")}
  store i64 %instance, ptr %p3
  %p4 = {_field("trap_a")}
  store i64 %a, ptr %p4
  %p5 = {_field("trap_b")}
  store i64 %b, ptr %p5
  %p6 = {_field("stop")}
  store atomic i32 1, ptr %p6 monotonic, align 4
  ret i32 1
late:
  ret i32 2
}}

define internal void @hv.unwind(ptr %ctx, i32 %status, i32 %node) cold noinline {{
  %mine = icmp eq i32 %status, 1
  br i1 %mine, label %push, label %done
push:
  %pl = {_field("path_length")}
  %n = load i64, ptr %pl
  %fits = icmp ult i64 %n, 256
  br i1 %fits, label %store, label %done
store:
  %pp = {_field("path")}
  %at = getelementptr inbounds i32, ptr %pp, i64 %n
  store i32 %node, ptr %at
  %m = add i64 %n, 1
  store i64 %m, ptr %pl
  br label %done
done:
  ret void
}}

define internal i32 @hv.poll(ptr %ctx) noinline {{
  %ps = {_field("stop")}
  %stop = load atomic i32, ptr %ps monotonic, align 4
  %set = icmp ne i32 %stop, 0
  br i1 %set, label %stopped, label %ask
ask:
  %pf = {_field("poll")}
  %poll = load ptr, ptr %pf
  %none = icmp eq ptr %poll, null
  br i1 %none, label %go, label %timed
timed:
  %now = call i64 @llvm.readcyclecounter()
  %pn = {_field("next_poll")}
  %next = load atomic i64, ptr %pn monotonic, align 8
  %due = icmp uge i64 %now, %next
  br i1 %due, label %mine, label %go
mine:
  %po = {_field("owner")}
  %owner = load i64, ptr %po
  %self = call i64 asm sideeffect "movq %fs:0, $0", "=r"()
  %same = icmp eq i64 %owner, %self
  br i1 %same, label %call, label %go
call:
  %pt = {_field("poll_ticks")}
  %ticks = load i64, ptr %pt
  %then = add i64 %now, %ticks
  store atomic i64 %then, ptr %pn monotonic, align 8
  %answer = call i32 %poll(ptr %ctx)
  %yes = icmp ne i32 %answer, 0
  br i1 %yes, label %mark, label %go
mark:
  store atomic i32 1, ptr %ps monotonic, align 4
  br label %stopped
stopped:
  ret i32 2
go:
  ret i32 0
}}
declare i64 @llvm.readcyclecounter()
"""

MOVES = """
define hidden ptr @memset(ptr returned %to, i32 %value, i64 %count) nounwind "no-builtins" noinline {
  %byte = trunc i32 %value to i8
  call void asm sideeffect "rep stosb", "{di},{ax},{cx},~{di},~{cx},~{memory},~{dirflag},~{fpsr},~{flags}"(ptr %to, i8 %byte, i64 %count)
  ret ptr %to
}
define hidden ptr @memcpy(ptr returned %to, ptr %from, i64 %count) nounwind "no-builtins" noinline {
  call void asm sideeffect "rep movsb", "{di},{si},{cx},~{di},~{si},~{cx},~{memory},~{dirflag},~{fpsr},~{flags}"(ptr %to, ptr %from, i64 %count)
  ret ptr %to
}
define hidden ptr @memmove(ptr returned %to, ptr %from, i64 %count) nounwind "no-builtins" noinline {
  %d = ptrtoint ptr %to to i64
  %s = ptrtoint ptr %from to i64
  %gap = sub i64 %d, %s
  %over = icmp ult i64 %gap, %count
  br i1 %over, label %back, label %fore
fore:
  %r = call ptr @memcpy(ptr %to, ptr %from, i64 %count)
  ret ptr %to
back:
  %i = phi i64 [ %count, %0 ], [ %j, %step ]
  %more = icmp ne i64 %i, 0
  br i1 %more, label %step, label %done
step:
  %j = sub i64 %i, 1
  %p = getelementptr inbounds i8, ptr %from, i64 %j
  %v = load i8, ptr %p
  %q = getelementptr inbounds i8, ptr %to, i64 %j
  store volatile i8 %v, ptr %q
  br label %back
done:
  ret ptr %to
}
"""

BLOCKS = f"""
define internal ptr @hv.block.new(ptr %ctx, ptr %frame, i64 %bytes) noinline {{
  %pa = {_field("allocate")}
  %allocate = load ptr, ptr %pa
  %huge = icmp ugt i64 %bytes, {1 << 62}
  br i1 %huge, label %none, label %try
try:
  %room = add i64 %bytes, {BLOCK_HEADER + 255}
  %whole = and i64 %room, -256
  %block = call ptr %allocate(i64 256, i64 %whole)
  %failed = icmp eq ptr %block, null
  br i1 %failed, label %none, label %fill
fill:
  call void @hv.block.init(ptr %block, i64 3)
  %pb = getelementptr inbounds i8, ptr %block, i64 40
  %data = getelementptr inbounds i8, ptr %block, i64 {BLOCK_HEADER}
  store ptr %data, ptr %pb
  %pn = getelementptr inbounds i8, ptr %block, i64 32
  %first = load ptr, ptr %frame
  store ptr %first, ptr %pn
  store ptr %block, ptr %frame
  %pv = getelementptr inbounds i8, ptr %block, i64 24
  store ptr %frame, ptr %pv
  %some = icmp ne ptr %first, null
  br i1 %some, label %link, label %done
link:
  %fv = getelementptr inbounds i8, ptr %first, i64 24
  store ptr %pn, ptr %fv
  br label %done
done:
  ret ptr %block
none:
  ret ptr null
}}

define internal void @hv.block.init(ptr %block, i64 %flags) {{
  store i64 1, ptr %block
  %pf = getelementptr inbounds i8, ptr %block, i64 8
  store i64 %flags, ptr %pf
  %pp = getelementptr inbounds i8, ptr %block, i64 16
  store ptr null, ptr %pp
  %pv = getelementptr inbounds i8, ptr %block, i64 24
  store ptr null, ptr %pv
  ret void
}}

define internal void @hv.block.retain(ptr %block) {{
  %refs = load i64, ptr %block
  %more = add i64 %refs, 1
  store i64 %more, ptr %block
  ret void
}}

define internal void @hv.block.release(ptr %ctx, ptr %start) noinline {{
  br label %loop
loop:
  %block = phi ptr [ %start, %0 ], [ %parent, %up ]
  %refs = load i64, ptr %block
  %less = sub i64 %refs, 1
  store i64 %less, ptr %block
  %dead = icmp eq i64 %less, 0
  br i1 %dead, label %last, label %done
last:
  %pp = getelementptr inbounds i8, ptr %block, i64 16
  %parent = load ptr, ptr %pp
  %pf = getelementptr inbounds i8, ptr %block, i64 8
  %flags = load i64, ptr %pf
  %bit = and i64 %flags, 2
  %owned = icmp ne i64 %bit, 0
  br i1 %owned, label %free, label %up
free:
  call void @hv.block.free(ptr %ctx, ptr %block)
  br label %up
up:
  %top = icmp eq ptr %parent, null
  br i1 %top, label %done, label %loop
done:
  ret void
}}

define internal void @hv.block.free(ptr %ctx, ptr %block) {{
  %pv = getelementptr inbounds i8, ptr %block, i64 24
  %before = load ptr, ptr %pv
  %pn = getelementptr inbounds i8, ptr %block, i64 32
  %next = load ptr, ptr %pn
  store ptr %next, ptr %before
  %some = icmp ne ptr %next, null
  br i1 %some, label %link, label %give
link:
  %nv = getelementptr inbounds i8, ptr %next, i64 24
  store ptr %before, ptr %nv
  br label %give
give:
  %pr = {_field("release")}
  %release = load ptr, ptr %pr
  call void %release(ptr %block)
  ret void
}}

define internal void @hv.frame.free(ptr %ctx, ptr %frame) noinline {{
  br label %loop
loop:
  %block = load ptr, ptr %frame
  %some = icmp ne ptr %block, null
  br i1 %some, label %free, label %done
free:
  call void @hv.block.free(ptr %ctx, ptr %block)
  br label %loop
done:
  ret void
}}
"""

SUPPORT = TRAPS + MOVES + BLOCKS
