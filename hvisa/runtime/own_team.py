"""A small team for where no OpenMP runtime can be used: new threads for each region.

It is called like `GOMP_parallel`. Starting and joining a thread costs some 30 us, so a region costs
more than with a runtime that keeps its threads; but it needs nothing except the C library, and works in
a forked process. It is native code, because a signal handler of Python that raised between two
regions' halves could not be told from a region that has ended.
"""

from __future__ import annotations

import ctypes
import functools
import os

from hvisa.diagnostics import HvisaError

_MOST = 1023  # threads beside the caller

_CODE = """
%job = type {{ ptr, ptr }}

define internal ptr @start(ptr %cell) {{
  %region = load ptr, ptr %cell
  %at = getelementptr inbounds %job, ptr %cell, i32 0, i32 1
  %data = load ptr, ptr %at
  call void %region(ptr %data)
  ret ptr null
}}

define void @parallel(ptr %region, ptr %data, i32 %threads, i32 %flags) {{
  %ids = alloca [{most} x i64]
  %cell = alloca %job
  store ptr %region, ptr %cell
  %at = getelementptr inbounds %job, ptr %cell, i32 0, i32 1
  store ptr %data, ptr %at
  %create = inttoptr i64 {create} to ptr
  %join = inttoptr i64 {join} to ptr
  %wanted = sub i32 %threads, 1
  %few = call i32 @llvm.smin.i32(i32 %wanted, i32 {most})
  br label %more

more:
  %n = phi i32 [ 0, %0 ], [ %next, %started ]
  %enough = icmp sge i32 %n, %few
  br i1 %enough, label %mine, label %another

another:
  %id = getelementptr inbounds [{most} x i64], ptr %ids, i32 0, i32 %n
  %failed = call i32 %create(ptr %id, ptr null, ptr @start, ptr %cell)
  %fine = icmp eq i32 %failed, 0
  br i1 %fine, label %started, label %mine

started:
  %next = add i32 %n, 1
  br label %more

mine:
  %count = phi i32 [ %n, %more ], [ %n, %another ]
  call void %region(ptr %data)
  br label %check

check:
  %k = phi i32 [ 0, %mine ], [ %after, %wait ]
  %over = icmp sge i32 %k, %count
  br i1 %over, label %out, label %wait

wait:
  %place = getelementptr inbounds [{most} x i64], ptr %ids, i32 0, i32 %k
  %who = load i64, ptr %place
  %ignored = call i32 %join(i64 %who, ptr null)
  %after = add i32 %k, 1
  br label %check

out:
  ret void
}}

declare i32 @llvm.smin.i32(i32, i32)
"""


@functools.cache
def own_parallel() -> int:
    """The address of the team's `parallel`; 0 on systems without POSIX threads or LLVM."""
    if os.name != "posix":
        return 0
    try:
        from hvisa.runtime.loader import load_object
        from hvisa.translators.llvm.build import build_object
        from hvisa.translators.llvm.host import host_cpu
        libc = ctypes.CDLL(None)
        create, join = (ctypes.cast(f, ctypes.c_void_p).value
                        for f in (libc.pthread_create, libc.pthread_join))
        host = host_cpu()
        code = _CODE.format(create=create, join=join, most=_MOST)
        loaded = load_object(build_object(code, cpu=host.name, features="", name="team"), "team")
    except (HvisaError, ImportError, OSError, AttributeError):
        return 0
    _keep.append(loaded)
    return loaded.address("parallel")


_keep: list[object] = []  # the code must outlive every launch
