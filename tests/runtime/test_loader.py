"""The loader of relocatable objects: code that runs, clear refusals, no crash on damaged bytes."""

import ctypes
import gc
import os
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from hvisa.diagnostics import HvisaError
from hvisa.runtime import loader
from hvisa.runtime.loader import load_object
from hvisa.translators import elf
from hvisa.translators.elf import parse_object

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="Linux on x86-64 only")

ROOT = Path(__file__).resolve().parents[2]

SAMPLE = """
@table = private unnamed_addr constant [4 x float] [float 1.0, float 2.0, float 3.0, float 5.0]
@inner = private constant [2 x ptr] [ptr @table, ptr @counter]
@counter = global i64 7
@zero = global [1000 x i64] zeroinitializer, align 64

define float @pick(i64 %i) {
  %p = getelementptr [4 x float], ptr @table, i64 0, i64 %i
  %v = load float, ptr %p
  ret float %v
}

define i64 @bump() noinline {
  %v = load i64, ptr @counter
  %w = add i64 %v, 1
  store i64 %w, ptr @counter
  ret i64 %w
}

define i64 @through_pointer(i64 %i) {
  %p = getelementptr [2 x ptr], ptr @inner, i64 0, i64 %i
  %q = load ptr, ptr %p
  %r = call i64 @bump()
  %v = load i64, ptr %q
  ret i64 %v
}

define i64 @remember(i64 %i, i64 %x) {
  %p = getelementptr [1000 x i64], ptr @zero, i64 0, i64 %i
  %old = load i64, ptr %p
  store i64 %x, ptr %p
  ret i64 %old
}

define i64 @choose(i64 %x, ptr %o) {
  switch i64 %x, label %d [i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %e
                           i64 4, label %f]
a: store i32 11, ptr %o
   br label %d
b: store i16 11, ptr %o
   br label %d
c: store i64 11, ptr %o
   br label %d
e: store i8 11, ptr %o
   br label %d
f: store float 11.0, ptr %o
   br label %d
d: %r = phi i64 [10, %a], [20, %b], [30, %c], [40, %e], [50, %f], [-1, %0]
   ret i64 %r
}
"""


@pytest.fixture(scope="module")
def build():
    pytest.importorskip("llvmlite")
    from hvisa.translators.llvm.build import build_object

    def build(ir: str, opt_level: int = 3) -> bytes:
        return build_object(ir, cpu="x86-64", features="", opt_level=opt_level, name="sample")
    return build


@pytest.fixture(scope="module")
def sample(build) -> bytes:
    return build(SAMPLE)


def message(data: bytes) -> str:
    """What the refusal of `data` says."""
    with pytest.raises(HvisaError) as caught:
        load_object(data, "sample")
    assert caught.value.codes == ["HV1108"]
    assert "`sample`" in str(caught.value)
    return str(caught.value)


def function(loaded, name: str, result: type, *arguments: type):
    return ctypes.CFUNCTYPE(result, *arguments)(loaded.address(name))


@pytest.mark.parametrize("opt_level", range(4))
def test_code_constants_and_variables_work(build, opt_level):
    loaded = load_object(build(SAMPLE, opt_level), "sample")
    pick = function(loaded, "pick", ctypes.c_float, ctypes.c_int64)
    assert [pick(i) for i in range(4)] == [1, 2, 3, 5]
    through = function(loaded, "through_pointer", ctypes.c_int64, ctypes.c_int64)
    assert [through(1), through(1)] == [8, 9]
    remember = function(loaded, "remember", ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    assert [remember(999, 5), remember(999, 6), remember(0, 1)] == [0, 5, 0]
    choose = function(loaded, "choose", ctypes.c_int64, ctypes.c_int64, ctypes.c_char_p)
    assert [choose(i, b"12345678") for i in range(6)] == [10, 20, 30, 40, 50, -1]
    assert {"pick", "bump", "counter", "zero", "remember", "through_pointer", "choose"} == \
        set(loaded.symbols)
    assert ctypes.c_int64.from_address(loaded.address("counter")).value == 9
    assert loaded.address("zero") % 64 == 0
    assert "sample" in repr(loaded)


def test_two_copies_have_their_own_variables(sample):
    first, second = load_object(sample, "a"), load_object(sample, "b")
    bump_first = function(first, "bump", ctypes.c_int64)
    bump_second = function(second, "bump", ctypes.c_int64)
    assert [bump_first(), bump_first(), bump_second()] == [8, 9, 8]


def test_no_page_is_writable_and_executable(sample):
    loaded = load_object(sample, "sample")
    low, high = min(loaded.symbols.values()), max(loaded.symbols.values())
    access = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        start, end, rights = re.match(r"(\w+)-(\w+) (\S+)", line).groups()
        if int(end, 16) > low and int(start, 16) <= high:
            access.append(rights[:3])
    assert access == ["r-x", "r--", "rw-"]


def test_unknown_name_is_refused(sample):
    with pytest.raises(HvisaError, match="no symbol `nothing`"):
        load_object(sample, "sample").address("nothing")


def test_undefined_symbols_are_named():
    binding = pytest.importorskip("llvmlite.binding")
    from hvisa.translators.llvm.build import build_object
    build_object(SAMPLE, cpu="x86-64", features="", name="prepares LLVM")
    module = binding.parse_assembly("declare double @sin(double)\ndeclare void @exit()\n"
                                    "define double @f(double %x) {\n call void @exit()\n"
                                    "%y = call double @sin(double %x)\nret double %y\n}")
    machine = binding.Target.from_triple("x86_64-linux-gnu").create_target_machine(
        reloc="pic", codemodel="small")
    assert "does not define: `exit`, `sin`" in message(machine.emit_object(module))


def relocation_places(data: bytes) -> list[int]:
    """Where the relocation entries of the code lie in the file."""
    return [s.offset + n for s in parse_object(data, "").sections if s.name == ".rela.text"
            for n in range(0, s.size, 24)]


def test_unknown_relocation_is_named(sample):
    place = relocation_places(sample)[0] + 8
    damaged = bytearray(sample)
    struct.pack_into("<I", damaged, place, 19)
    assert "relocation type 19 in section `.text`" in message(bytes(damaged))


def test_relocation_out_of_reach_or_outside_is_refused(sample):
    place = relocation_places(sample)[0]
    damaged = bytearray(sample)
    struct.pack_into("<q", damaged, place + 16, 1 << 40)
    assert "reaches too far" in message(bytes(damaged))
    damaged = bytearray(sample)
    struct.pack_into("<Q", damaged, place, parse_object(sample, "").sections[2].size - 3)
    assert "outside its section" in message(bytes(damaged))
    damaged = bytearray(sample)
    struct.pack_into("<I", damaged, place + 8, 10)  # an absolute address does not fit 32 bits
    assert "relocation type 10" in message(bytes(damaged))


def section_header(data: bytes, name: str) -> int:
    """Where the header of a section lies in the file."""
    (table,) = struct.unpack_from("<Q", data, 40)
    numbers = [n for n, s in enumerate(parse_object(data, "").sections) if s.name == name]
    return table + 64 * numbers[0]


@pytest.mark.parametrize("name, offset, value, reason", [
    (".bss", 32, 1 << 60, "bytes of memory"),
    (".bss", 48, 1 << 20, "an alignment of"),
    (".bss", 48, 3, "an alignment of"),
    (".bss", 8, elf.ALLOC, "no contents"),
    (".text", 8, elf.ALLOC | elf.WRITE | elf.EXECUTE, "writable and executable"),
    (".data", 8, elf.ALLOC | elf.WRITE | elf.TLS, "full linker"),
    (".text", 32, 1 << 63, "reaches past its end"),
    (".rela.text", 44, 77, "does not exist"),
    (".rela.text", 32, 25, "middle of an entry"),
    (".symtab", 40, 99, "no names"),
])
def test_wrong_section_headers_are_refused(sample, name, offset, value, reason):
    damaged = bytearray(sample)
    struct.pack_into("<Q" if offset not in (40, 44) else "<I", damaged,
                     section_header(sample, name) + offset, value)
    assert reason in message(bytes(damaged))


def test_constructors_are_refused(build):
    data = build("define internal void @start() {\n ret void\n}\n"
                 "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]"
                 " [{ i32, ptr, ptr } { i32 1, ptr @start, ptr null }]", 0)
    assert re.search(r"`\.(ctors|init_array)[.0-9]*` is of a kind", message(data))


def test_thread_local_variables_are_refused(build):
    ir = "@t = thread_local global i64 3\ndefine ptr @f() {\n ret ptr @t\n}"
    with pytest.raises(HvisaError):
        load_object(build(ir), "sample")


def test_other_files_are_refused(sample):
    assert "too few" in message(b"")
    assert "not a little-endian ELF64" in message(b"MZ" + bytes(100))
    executable = bytearray(sample)
    struct.pack_into("<H", executable, 16, 2)
    assert "of type 2 for machine 62" in message(bytes(executable))
    arm = bytearray(sample)
    struct.pack_into("<H", arm, 18, 183)
    assert "machine 183" in message(bytes(arm))


def loads_or_is_refused(data: bytes) -> bool:
    try:
        load_object(data, "sample")
    except HvisaError as error:
        assert error.codes == ["HV1108"]
        return False
    return True


def test_truncated_objects_are_refused(sample):
    for length in range(len(sample)):
        assert not loads_or_is_refused(sample[:length])


def test_mutated_objects_load_or_are_refused(sample):
    """Loaded and never run: what matters is that nothing but HvisaError comes out."""
    rng = random.Random(1)
    loaded = 0
    tables = [s for s in parse_object(sample, "").sections if s.kind in (2, 4)]
    headers = section_header(sample, ".strtab") - 64
    for _ in range(2500):
        data = bytearray(sample)
        for _ in range(rng.randint(1, 4)):
            where = rng.choice(["header", "sections", "tables", "any"])
            if where == "header":
                place = rng.randrange(64)
            elif where == "sections":
                place = rng.randrange(headers, len(data))
            elif where == "tables":
                table = rng.choice(tables)
                place = rng.randrange(table.offset, table.offset + table.size)
            else:
                place = rng.randrange(len(data))
            data[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        loaded += loads_or_is_refused(bytes(data))
    assert 50 < loaded < 2450


def test_random_bytes_are_refused():
    rng = random.Random(2)
    for size in range(0, 2000, 40):
        assert not loads_or_is_refused(rng.randbytes(size))
        assert not loads_or_is_refused(b"\x7fELF\x02\x01\x01" + rng.randbytes(size))


def mapped_and_resident() -> tuple[int, int]:
    pages = Path("/proc/self/statm").read_text().split()
    return int(pages[0]) * 4, int(pages[1]) * 4


def test_ten_thousand_loads_leave_nothing_behind(sample):
    for _ in range(200):
        load_object(sample, "sample")
    gc.collect()
    mapped, resident = mapped_and_resident()
    for _ in range(10_000):
        load_object(sample, "sample")
    gc.collect()
    mapped_after, resident_after = mapped_and_resident()
    assert mapped_after - mapped < 1024  # KiB; 10 000 objects are 200 000 KiB
    assert resident_after - resident < 1024


def test_refused_objects_leave_nothing_behind(sample):
    damaged = bytearray(sample)
    struct.pack_into("<I", damaged, relocation_places(sample)[0] + 8, 19)
    data = bytes(damaged)
    loads_or_is_refused(data)
    mapped, _ = mapped_and_resident()
    for _ in range(500):
        loads_or_is_refused(data)
    gc.collect()
    assert mapped_and_resident()[0] - mapped < 1024


PERF = """
import os, sys
sys.path.insert(0, os.getcwd())
from hvisa.runtime.loader import load_object
data = open(sys.argv[1], "rb").read()
loaded = load_object(data, "sample")
path = f"/tmp/perf-{os.getpid()}.map"
lines = open(path).read().splitlines()
os.unlink(path)
assert f"{loaded.address('pick'):x}" in [line.split()[0] for line in lines], lines
assert sorted(line.split()[2] for line in lines) == [
    "bump", "choose", "pick", "remember", "through_pointer"]
os.symlink("/nonexistent/x", path)
load_object(data, "sample")
os.unlink(path)
"""


def test_perf_map_names_the_functions(sample, tmp_path):
    (tmp_path / "sample.o").write_bytes(sample)
    done = subprocess.run([sys.executable, "-c", PERF, tmp_path / "sample.o"], cwd=ROOT, text=True,
                          env=os.environ | {"HVISA_PERF_MAP": "1"}, capture_output=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr
    assert "perf map not written" in done.stderr


def test_other_systems_get_a_clear_message(monkeypatch, sample):
    monkeypatch.setattr(loader.sys, "platform", "sunos")
    with pytest.raises(HvisaError, match="Linux on x86-64") as caught:
        load_object(sample, "sample")
    assert caught.value.codes == ["HV1109"]


def test_loading_imports_no_llvm(sample, tmp_path):
    (tmp_path / "sample.o").write_bytes(sample)
    script = ("import os, sys; sys.path.insert(0, os.getcwd())\n"
              "from hvisa.runtime.loader import load_object\n"
              "load_object(open(sys.argv[1], 'rb').read(), 'sample')\n"
              "assert not {'llvmlite', 'numpy', 'lark', 'networkx'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", script, tmp_path / "sample.o"], cwd=ROOT, check=True,
                   timeout=60)
