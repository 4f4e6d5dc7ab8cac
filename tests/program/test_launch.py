"""Launches: traps, timeouts, Ctrl-C, threads, forks, float modes, host functions."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import hvisa
from hvisa.runtime.devices import preferred_devices
from tests.program.programs import DIVIDE, ENDLESS, SAXPY

NATIVE = [d for d in preferred_devices() if d != "reference"]
DEVICES = [*NATIVE, "reference"]
needs_native = pytest.mark.skipif(not NATIVE, reason="no native code here")


def python(program: str, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program), *arguments],
                          capture_output=True, text=True, timeout=60, check=False, **options)


# -- traps -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("device", DEVICES)
def test_a_trap_tells_node_place_and_instance(device):
    divide = hvisa.load(DIVIDE, device=device).entry("divide")
    x = np.array([[1, 2, 3], [4, 0, 6]], np.int32)
    for _ in range(3):
        with pytest.raises(hvisa.HvisaTrap) as caught:
            divide(x)
        trap = caught.value
        assert trap.code == "HV0901" and trap.path == ("divide",) and trap.instance == (1, 1)
        assert "%d = div 100, %v" in str(trap) and "<text>:3:3" in str(trap)
        assert "instance (1, 1) of @divide" in str(trap)
        assert divide(np.abs(x) + 1).shape == (2, 3)  # the next launch is not affected


@pytest.mark.parametrize("device", DEVICES)
def test_a_trap_in_a_graph_tells_the_path(device):
    program = hvisa.load(DIVIDE, device=device)
    with pytest.raises(hvisa.HvisaTrap) as caught:
        program(np.array([[1, 1000]], np.int32))
    assert caught.value.path == ("twice", "divide")


@needs_native
def test_what_a_trap_leaves():
    text = """leaf @f(inout %y: buf<i32>[%n], out %z: buf<i32>[%n]) grid(%i < %n) {
      %v = load %y[%i]
      %d = div 6, %v
      store %d, %y[%i]
      store %d, %z[%i]
    }"""
    y, z = np.array([1, 2, 0], np.int32), np.full(3, 9, np.int32)
    with pytest.raises(hvisa.HvisaTrap, match="division") as caught:
        hvisa.load(text, device="x86").entry()(y, out={"z": z})
    assert "unspecified contents" in str(caught.value)


@needs_native
def test_messages_of_every_kind_of_trap():
    text = """leaf @f(%k: i32, in %x: buf<i32>[%n], inout own checked %y: buf<i32>[%n]) grid(%i < 2) {
      %j = convert index %k
      %a = load %x[%j]
      %ok = lt %k, 3
      assert %ok, "k is small"
      for %q in 0 .. 10 step %k {
      }
      store %a, %y[0]
    }"""
    entry = hvisa.load(text, device="x86").entry()
    data = np.arange(5, dtype=np.int32)
    for k, code, words in ((5, "HV0902", "index [5] of `%x` is out of bounds (instance 0 of @f)"),
                           (4, "HV0903", "k is small"),
                           (0, "HV0904", "step"), (1, "HV0906", "element 0")):
        with pytest.raises(hvisa.HvisaTrap) as caught:
            entry(k, data, data.copy())
        assert caught.value.code == code and words in str(caught.value)


# -- stopping ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("device", DEVICES)
def test_timeout(device):
    spin = hvisa.load(ENDLESS, device=device).entry()
    assert spin(-1) == -1  # translated, so that only the launch is timed
    for _ in range(2):
        started = time.monotonic()
        with pytest.raises(hvisa.LaunchTimeout, match=r"timeout of 0\.1 s"):
            spin(1, timeout=0.1)
        assert 0.09 < time.monotonic() - started < 1
        assert spin(-5, timeout=5) == -5


INTERRUPTED = """
    import os, signal, sys, threading, time
    import numpy as np
    import hvisa
    entry = hvisa.load(sys.argv[1], device=sys.argv[2]).entry()
    arguments = eval(sys.argv[3])
    warm = eval(sys.argv[4])
    for _ in range(3):
        entry(*warm)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    try:
        entry(*arguments)
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - started < 1)
    entry(*warm)
"""
WIDE = """
leaf @wide(%a: i32, out %y: buf<i32>[%n], %n: index) grid(%i < %n) {
  %x = while (%k = %a) {
    %c = ge %k, 0
    check %c
  } do {
    %n1 = and %k, 255
    yield %n1
  }
  store %x, %y[%i]
}
"""


@pytest.mark.parametrize("device", DEVICES)
def test_ctrl_c_ends_a_launch(device):
    found = python(INTERRUPTED, ENDLESS, device, "(1,)", "(-1,)")
    assert found.stdout == "interrupted True\n" and not found.stderr, found.stderr


@pytest.mark.skipif("multicore" not in NATIVE, reason="one core")
def test_ctrl_c_ends_a_launch_on_all_cores():
    found = python(INTERRUPTED, WIDE, "multicore", "(1, 100000)", "(-1, 100000)")
    assert found.stdout == "interrupted True\n" and not found.stderr, found.stderr


@needs_native
def test_ctrl_c_in_a_program_that_prints():
    """The signal comes while a host function runs, or between two."""
    text = """leaf @chatty(%a: i32) -> (%r: i32) {
      %x = while (%k = %a) {
        %c = ge %k, 0
        check %c
      } do {
        print "{}", %k
        %n = and %k, 255
        yield %n
      }
      yield %x
    }"""
    program = INTERRUPTED.replace("device=sys.argv[2]", "device='x86', print_sink=lambda t: None")
    found = python(program, text, "x86", "(1,)", "(-1,)")
    assert found.stdout == "interrupted True\n" and not found.stderr, found.stderr


@needs_native
def test_a_signal_handler_that_returns_lets_the_launch_go_on():
    seen: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    try:
        spin = hvisa.load(ENDLESS, device="x86").entry()
        spin(-1)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(hvisa.LaunchTimeout):
            spin(1, timeout=0.3)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [signal.SIGALRM]


# -- several at once ---------------------------------------------------------------------------------

@pytest.mark.parametrize("device", NATIVE)
def test_four_threads(device):
    program = hvisa.load(SAXPY, device=device)
    wrong: list[str] = []

    def work(seed: int) -> None:
        entry = program.entry() if seed % 2 else shared
        x = np.full(5000, seed, np.float32)
        for _ in range(300):
            y = np.ones(5000, np.float32)
            entry(2.0, x, y)
            if not (y == 1 + 2 * seed).all():
                wrong.append(f"thread {seed}")
    shared = program.entry()
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("device", NATIVE)
def test_threads_translate_once_and_traps_stay_apart(device):
    program = hvisa.load(DIVIDE.replace("100", "101"), device=device)
    found: list[object] = []

    def work(column: int) -> None:
        x = np.ones((50, 5), np.int32)
        x[10 * column, column] = 0
        for _ in range(50):
            try:
                program.entry("divide")(x)
            except hvisa.HvisaTrap as trap:
                if trap.instance != (10 * column, column):
                    found.append(trap)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not found


FORKED = """
    import os, sys
    import numpy as np
    import hvisa
    entry = hvisa.load(sys.argv[1], device=sys.argv[2]).entry()
    x = np.ones(200000, np.float32)
    for _ in range(3):
        entry(1.0, x, np.ones(200000, np.float32))
    child = os.fork()
    y = np.ones(200000, np.float32)
    for _ in range(3):
        entry(1.0, x, y)
    assert (y == 4).all()
    if child == 0:
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("device", NATIVE)
def test_fork(device):
    found = python(FORKED, SAXPY, device)
    assert found.stdout == "7\n", found.stderr


# -- float environment -------------------------------------------------------------------------------

def set_mxcsr_function():
    """Native code that sets the float mode of the calling thread: flushes subnormals, both ways."""
    import ctypes

    from hvisa.runtime.loader import load_object
    from hvisa.translators.llvm.build import build_object
    from hvisa.translators.llvm.host import host_cpu
    host = host_cpu()
    loaded = load_object(build_object("""
        define i32 @exchange(i32 %new) {
          %old = alloca i32
          %cell = alloca i32
          call void @llvm.x86.sse.stmxcsr(ptr %old)
          store i32 %new, ptr %cell
          call void @llvm.x86.sse.ldmxcsr(ptr %cell)
          %found = load i32, ptr %old
          ret i32 %found
        }
        declare void @llvm.x86.sse.stmxcsr(ptr)
        declare void @llvm.x86.sse.ldmxcsr(ptr)
        """, cpu=host.name, features=host.feature_string, name="mxcsr"), "mxcsr")
    function = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(loaded.address("exchange"))
    function.keep = loaded
    return function


@pytest.mark.parametrize("device", NATIVE)
@pytest.mark.parametrize("size", [10, 300_000])
def test_a_caller_that_flushes_subnormals(device, size):
    """Results are the same, arguments too, and the caller's mode is his again afterwards."""
    exchange = set_mxcsr_function()
    entry = hvisa.load(SAXPY, device=device).entry()
    tiny = np.float32(1e-40)
    x, wanted = np.ones(size, np.float32), np.full(size, 3 * tiny)
    for _ in range(3):
        y = np.full(size, 2 * tiny)
        before = exchange(0x9FC0 | 0x6000)  # flush, read as zero, round towards zero
        try:
            entry(1e-40, x, y)
            after = exchange(before)
        finally:
            exchange(before)
        assert after & 0xFFC0 == 0xFFC0 & (0x9FC0 | 0x6000)
        assert np.array_equal(y.view(np.uint32), wanted.view(np.uint32))


# -- host functions ----------------------------------------------------------------------------------

EXTERN = """
extern func @host(%a: f32, %b: vec<i16, 2>) -> (%r: f32, %s: i16)
leaf @f(%a: f32, inout %y: buf<f32>[%n]) grid(%i < %n) nondeterministic {
  %k = convert i16 %i
  %v = pack %k, 7
  %r, %s = call @host(%a, %v)
  %t = convert f32 %s
  %u = add %r, %t
  store %u, %y[%i]
}
"""


def test_externs_are_allowed_by_name():
    with pytest.raises(hvisa.HvisaError) as caught:
        hvisa.load(EXTERN)
    assert caught.value.codes == ["HV0703"] and 'externs={"host": function}' in str(caught.value)


@pytest.mark.parametrize("device", DEVICES)
def test_externs(device):
    seen: list[tuple[object, ...]] = []

    def host(a, b):
        seen.append((type(a), b.dtype, b.tolist()))
        return a * 2, b[0]
    entry = hvisa.load(EXTERN, device=device, externs={"host": host}).entry()
    for _ in range(3):
        assert entry(1.5, np.zeros(3, np.float32)).tolist() == [3, 4, 5]
    assert seen[:3] == [(np.float32, np.int16, [n, 7]) for n in range(3)]


@pytest.mark.parametrize("device", DEVICES)
def test_an_extern_that_fails_is_a_trap(device):
    def host(a, b):
        if b[0] == 2:
            raise ValueError("no two")
        return a, b[0]
    entry = hvisa.load(EXTERN, device=device, externs={"host": host}).entry()
    with pytest.raises(hvisa.HvisaTrap, match="no two") as caught:
        entry(1.5, np.zeros(5, np.float32))
    assert caught.value.code == "HV0908" and caught.value.instance == (2,)
    assert entry(1.5, np.zeros(2, np.float32)).tolist() == [1.5, 2.5]


@pytest.mark.parametrize("device", NATIVE)
def test_an_extern_may_launch_the_same_entry(device):
    def host(a, b):
        if a > 0:
            return np.float32(entry(a - 1, np.zeros(1, np.float32))[0] + 1), np.int16(0)
        return a, b[0]
    entry = hvisa.load(EXTERN, device=device, externs={"host": host}).entry()
    assert entry(3, np.zeros(1, np.float32)).tolist() == [3]


@pytest.mark.parametrize("device", DEVICES)
def test_prints_in_order(device):
    text = """leaf @f(in %x: buf<f32>[%n]) grid(%i < %n) {
      %v = load %x[%i]
      %w = splat vec<f32, 2> %v
      print "x[{}] = {} {}", %i, %v, %w
    }"""
    lines: list[str] = []
    hvisa.load(text, device=device, print_sink=lines.append).entry()(
        np.array([1.5, float("nan"), -0.0], np.float32))
    assert lines == ["x[0] = 1.5 [1.5, 1.5]", "x[1] = nan [nan, nan]", "x[2] = -0.0 [-0.0, -0.0]"]


# -- memory ------------------------------------------------------------------------------------------

@needs_native
def test_dropping_a_program_frees_its_code_at_once():
    import weakref
    gc.disable()
    try:
        entry = hvisa.load(SAXPY, device="x86").entry()
        x = np.ones(4, np.float32)
        for _ in range(4):  # the fast path too
            entry(1.0, x, x.copy())
        launcher = entry._loaded.launcher("saxpy", "x86")
        code = weakref.ref(launcher.loaded)
        del launcher, entry
        assert code() is None
    finally:
        gc.enable()


@needs_native
def test_two_hundred_programs_leave_little_behind():
    """A short form of benchmarks/long/translate_and_drop.py."""
    found = python("""
        import resource, sys
        import numpy as np
        import hvisa
        x = np.ones(4, np.float32)
        def one():
            entry = hvisa.load(sys.argv[1], device="x86").entry()
            for _ in range(3):
                entry(1.0, x, np.ones(4, np.float32))
        def pages():
            return int(open("/proc/self/statm").read().split()[1])
        for _ in range(20):
            one()
        before = pages()
        for _ in range(200):
            one()
        print((pages() - before) * resource.getpagesize())
        """, SAXPY)
    assert int(found.stdout) < 1_000_000, found.stdout + found.stderr


def test_the_environment_of_a_masked_cpu():
    """A lesser CPU gets other code, under another key, and the same bits."""
    program = """
        import sys
        import numpy as np
        import hvisa
        y = np.linspace(0, 1, 1000, dtype=np.float32)
        hvisa.load(sys.argv[1]).entry()(0.1, y.copy(), y)
        print(hash(y.tobytes()) and y.tobytes().hex()[:4000])
        """
    found = [python(program, SAXPY, env={**os.environ, "HVISA_CPU_FEATURES": mask})
             for mask in ("", "-avx512f,-fma", "-avx")]
    assert len({f.stdout for f in found}) == 1 and found[0].stdout, found[0].stderr


DECLINED_IN_A_STREAM = """
extern func @total(in %x: buf<f32>[%n]) -> (f32) exact
leaf @sum(in %x: buf<f32>[%n]) -> (%s: f32) {
  %t = call @total(%x)
  yield %t
}
graph @g(in %xs: stream<buf<f32>[%n]>) -> (%sums: stream<f32>) {
  %s = node @sum(%xs)
  yield %s
}
"""


def test_node_of_a_stream_that_is_declined(caplog):
    """The default device gives way, with the reason; a device that was named does not."""
    program = hvisa.load(DECLINED_IN_A_STREAM, externs={"total": lambda x: float(np.sum(x))})
    items = [np.ones(3, np.float32), np.full(3, 2, np.float32)]
    with caplog.at_level("WARNING", logger="hvisa"):
        assert [float(v) for v in program.entry("g")(xs=items)] == [3, 6]
    if len(preferred_devices()) > 1:
        assert "@total" in caplog.text
        with pytest.raises(hvisa.HvisaError, match="HV1103"):
            program.entry("g").run({"xs": items}, device="x86")


NUMBER_OF_THE_HOST = """
extern func @h(%a: i32) -> (i32) exact
leaf @g(%a: i32) -> (i32) {
  %r = call @h(%a)
  yield %r
}
"""


@pytest.mark.parametrize("device", preferred_devices())
@pytest.mark.parametrize("given, wanted", [
    (np.int64(5), 5), (np.uint8(5), 5), (5, 5), (np.int64(2**40), "HV1002"), (2.0, "HV1002"),
    (np.float32(2), "HV1002")])
def test_numbers_of_host_functions_mean_the_same_everywhere(device, given, wanted):
    entry = hvisa.load(NUMBER_OF_THE_HOST, externs={"h": lambda a: given}).entry("g")
    if isinstance(wanted, int):
        assert entry.run({"a": 1}, device=device) == wanted
    else:
        with pytest.raises(hvisa.HvisaError, match=wanted):
            entry.run({"a": 1}, device=device)
