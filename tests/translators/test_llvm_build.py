"""LLVM IR to objects: in this process, in children, and what happens when LLVM fails."""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hvisa.diagnostics import HvisaError
from hvisa.translators.elf import parse_object

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="children need pipes of POSIX")

from hvisa.runtime.loader import load_object  # noqa: E402
from hvisa.translators.llvm import builder as builder_module, worker  # noqa: E402
from hvisa.translators.llvm.build import build_object  # noqa: E402
from hvisa.translators.llvm.builder import Builder  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
X86 = {"cpu": "x86-64", "features": ""}

ADD = "define i64 @add(i64 %a, i64 %b) {\n  %c = add i64 %a, %b\n  ret i64 %c\n}\n"
# An instruction that this CPU model lacks: LLVM ends the process.
FATAL = """
declare <16 x float> @llvm.x86.avx512.rcp14.ps.512(<16 x float>, <16 x float>, i16)
define void @f(ptr %p) {
  %x = load <16 x float>, ptr %p
  %y = call <16 x float> @llvm.x86.avx512.rcp14.ps.512(<16 x float> %x, <16 x float> %x, i16 -1)
  store <16 x float> %y, ptr %p
  ret void
}
"""
FILL = """
define void @fill(i64 %n, ptr %y) ATTRIBUTES {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %p = getelementptr float, ptr %y, i64 %i
  store float 0.0, ptr %p
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
"""


@pytest.fixture
def children():
    """A builder that never uses this process."""
    builder = Builder(in_process_jobs=0, children=2)
    yield builder
    builder.close()


def only_child(builder: Builder):
    (child,) = builder._idle
    return child


def runs(data: bytes) -> bool:
    loaded = load_object(data, "add")
    add = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(loaded.address("add"))
    return add(40, 2) == 42


def error_of(call, *arguments, **options) -> HvisaError:
    with pytest.raises(HvisaError) as caught:
        call(*arguments, **options)
    return caught.value


@pytest.mark.parametrize("opt_level", range(4))
def test_object_has_code_and_needs_nothing(opt_level):
    data = build_object(ADD, **X86, opt_level=opt_level, name="add")
    parsed = parse_object(data, "add")
    assert parsed.undefined_symbols == []
    assert "add" in [parsed.symbol_name(s) for s in parsed.symbols]
    assert runs(data)


def test_triple_and_layout_of_the_text_do_not_count():
    ir = 'target triple = "aarch64-unknown-linux"\ntarget datalayout = "e-p:32:32"\n' + ADD
    assert runs(build_object(ir, **X86, name="add"))


def test_the_same_input_gives_the_same_bytes(children):
    first = build_object(ADD, **X86, name="add")
    assert build_object(ADD, **X86, name="other name") == first
    assert children.build(ADD, **X86, name="add") == first


def test_text_that_llvm_refuses():
    for ir, reason in (("define", "expected type"),
                       ("define i64 @f() {\n ret i64 %x\n}", "undefined value"),
                       ("define i64 @f(i1 %c) {\n br i1 %c, label %a, label %b\n"
                        "a: %x = add i64 0, 1\n br label %b\nb: ret i64 %x\n}", "dominate")):
        error = error_of(build_object, ir, **X86, name="bad_node")
        assert error.codes == ["HV1106"]
        assert "`bad_node`" in str(error) and reason in str(error)


def test_calls_into_a_library_are_refused_and_named(children):
    for build in (build_object, children.build):
        error = error_of(build, FILL.replace("ATTRIBUTES", ""), **X86, name="fill")
        assert error.codes == ["HV1107"]
        assert "`memset`" in str(error) and "`fill`" in str(error)
        assert "help:" in str(error)
    build_object(FILL.replace("ATTRIBUTES", '"no-builtins"'), **X86, name="fill")


def test_unknown_target_is_refused(children):
    for build in (build_object, children.build):
        error = error_of(build, ADD, **X86, triple="pdp11-dec-unix", name="add")
        assert error.codes == ["HV1109"]


def test_child_gives_objects_and_errors_and_lives_on(children):
    assert runs(children.build(ADD, **X86, name="add"))
    pid = only_child(children)._process.pid
    error = error_of(children.build, "define", **X86, name="bad_node")
    assert error.codes == ["HV1106"] and "`bad_node`" in str(error)
    assert runs(children.build(ADD, **X86, name="add"))
    assert only_child(children)._process.pid == pid


def test_names_and_text_of_any_kind_pass_through(children):
    ir = f'source_filename = "ünï"\n{ADD}'
    assert runs(children.build(ir, **X86, name="naïve \udc80 \n"))
    fields = ["", "a", "ä\udcff", "x" * 70000]
    assert worker.unpack_fields(worker.pack_fields(*fields)) == fields


def test_crash_names_the_node_and_the_next_job_works(children):
    error = error_of(children.build, FATAL, **X86, name="crashing_node")
    assert error.codes == ["HV1106"]
    assert "`crashing_node`" in str(error) and "SIGABRT" in str(error)
    assert "LLVM ERROR: " in str(error)
    assert children._idle == [] and not children._live
    assert runs(children.build(ADD, **X86, name="add"))


def test_crash_in_a_used_child_is_tried_once_more(children, monkeypatch):
    children.build(ADD, **X86, name="add")
    asked = []
    ask = builder_module.Child.ask

    def counting(child, request, timeout_s):
        asked.append(child)
        return ask(child, request, timeout_s)
    monkeypatch.setattr(builder_module.Child, "ask", counting)
    error_of(children.build, FATAL, **X86, name="crashing_node")
    assert len(asked) == 2
    error_of(children.build, FATAL, **X86, name="crashing_node")
    assert len(asked) == 3


def test_killed_idle_child_is_replaced_unnoticed(children):
    children.build(ADD, **X86, name="add")
    only_child(children)._process.kill()
    assert runs(children.build(ADD, **X86, name="add"))


def test_child_that_does_not_answer_is_ended():
    children = Builder(in_process_jobs=0, timeout_s=20)
    children.build(ADD, **X86, name="add")
    child = only_child(children)
    os.kill(child._process.pid, signal.SIGSTOP)
    children.timeout_s = 0.2
    error = error_of(children.build, ADD, **X86, name="slow_node")
    assert error.codes == ["HV1106"]
    assert "`slow_node`" in str(error) and "time allowed" in str(error)
    assert child._process.returncode == -signal.SIGKILL
    children.timeout_s = 20
    assert runs(children.build(ADD, **X86, name="add"))
    children.close()


def test_large_text_does_not_block(children):
    """Larger than any pipe holds, in both directions."""
    count = 3000
    ir = "".join(ADD.replace("@add", f"@add{n}") for n in range(count)) + ADD
    data = children.build(ir, **X86, opt_level=0, name="large")
    assert len(data) > 1 << 17
    assert len(load_object(data, "large").symbols) == count + 1


def test_child_is_replaced_after_its_jobs():
    children = Builder(in_process_jobs=0, jobs_per_child=3, children=1)
    pids = []
    for _ in range(7):
        children.build(ADD, **X86, name="add")
        pids.append(only_child(children)._process.pid if children._idle else None)
    assert [pid is None for pid in pids] == [False, False, True] * 2 + [False]
    assert len(set(pids) - {None}) == 3
    children.close()


def test_first_jobs_run_here_unless_isolated(monkeypatch):
    monkeypatch.setattr(builder_module, "_budget", builder_module._ProcessBudget())
    builder = Builder(in_process_jobs=2)
    for _ in range(2):
        builder.build(ADD, **X86, name="add")
    assert not builder._live
    builder.build(ADD, **X86, name="add")
    assert len(builder._live) == 1
    builder.close()
    assert not builder._live
    builder = Builder(in_process_jobs=100)
    builder.build(ADD, **X86, name="add", isolate=True)
    assert len(builder._live) == 1
    builder.close()


def test_many_threads(children):
    results, failures = [], []

    def work(number: int) -> None:
        try:
            for n in range(5):
                name = f"f{number}_{n}"
                data = children.build(ADD.replace("@add", f"@{name}"), **X86, name=name)
                results.append(name in load_object(data, name).symbols)
        except Exception as error:
            failures.append(error)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert results == [True] * 30
    assert len(children._idle) <= 2


def exit_status(pid: int) -> int:
    """The exit status of a forked process, which must not hang."""
    for _ in range(600):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise AssertionError("the forked process hangs")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_process_has_its_own_children(children):
    """Forked while another thread is inside LLVM, whose lock nobody in the fork will release."""
    children.build(ADD, **X86, name="add")
    stop = threading.Event()

    def stay_inside() -> None:
        while not stop.is_set():
            build_object(FILL.replace("ATTRIBUTES", '"no-builtins"'), **X86, name="fill")
    thread = threading.Thread(target=stay_inside)
    thread.start()
    time.sleep(0.05)
    here = Builder(in_process_jobs=1 << 30)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            known = set(children._live)
            ok = (not known and runs(children.build(ADD, **X86, name="add"))
                  and runs(here.build(ADD, **X86, name="add")))
            children.close()
            here.close()
            status = 0 if ok else 2
        finally:
            os._exit(status)
    assert exit_status(pid) == 0
    stop.set()
    thread.join(60)
    assert runs(children.build(ADD, **X86, name="add"))


ENDS = """
import os, sys
sys.path.insert(0, os.getcwd())
from hvisa.translators.llvm.builder import Builder
builder = Builder(in_process_jobs=0)
builder.build(sys.argv[1], cpu="x86-64", features="", name="add")
print(builder._idle[0]._process.pid, flush=True)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("how", ["ended", "killed"])
def test_children_end_with_their_parent(how):
    done = subprocess.run([sys.executable, "-W", "error", "-c", ENDS, ADD, how], cwd=ROOT,
                          text=True, capture_output=True, timeout=60)
    assert done.stderr == ""
    child = int(done.stdout)
    for _ in range(200):
        if not is_running(child):
            return
        time.sleep(0.05)
    raise AssertionError("the child outlives its parent")


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def test_child_imports_little():
    script = ("import sys\nsys.path.insert(0, '.')\n"
              "import hvisa.translators.llvm.worker, hvisa.translators.llvm.builder\n"
              "assert not {'llvmlite', 'numpy', 'networkx', 'lark'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, timeout=60)


def test_process_does_not_grow_with_jobs_in_children(children):
    def resident() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4
    for _ in range(5):
        children.build(ADD, **X86, name="add")
    before = resident()
    for _ in range(100):
        children.build(ADD, **X86, name="add")
    assert resident() - before < 1000  # KiB
