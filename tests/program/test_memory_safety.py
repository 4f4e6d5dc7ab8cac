"""What a verified program may never do: reach outside its buffers, or show memory that it did not
write. Each program here once did."""

from __future__ import annotations

import numpy as np
import pytest

import hvisa
from hvisa.runtime.devices import preferred_devices

FAR = 2**62


@pytest.fixture(scope="module", params=preferred_devices())
def device(request):
    return request.param


def outcome(program, entry, arguments, device, **more):
    """The results, or the code of the error."""
    try:
        return program.entry(entry).run(arguments, device=device, **more)
    except hvisa.HvisaError as error:
        return error.diagnostics[0].code


def canary() -> np.ndarray:
    return np.arange(100, dtype=np.int32)


def ones(n: int) -> np.ndarray:
    return np.ones(n, np.int32)


WRAPPING = """
leaf @read(in %x: buf<i32>[%n], %k: index, %l: index) -> (i32) {
  %a = max %k, 0
  %b = max %l, 0
  %v = load vec<i32, 2> %x[%a + %b]
  %e = extract %v, 0
  yield %e
}
leaf @write(inout %x: buf<i32>[%n], %k: index, %l: index) {
  %a = max %k, 0
  %b = max %l, 0
  %v = splat vec<i32, 2> 99
  store %v, %x[%a + %b]
}
leaf @twice(in %x: buf<i32>[%n], %k: index) -> (i32) {
  %v = load %x[2*%k]
  yield %v
}
leaf @clamped(in %x: buf<i32>[%n], %k: index, %l: index) -> (i32) {
  %a = max %k, 0
  %b = max %l, 0
  %v = load.clamp %x[%a + %b]
  yield %v
}
leaf @together(in %x: buf<i32>[%n], %k: index, out %y: buf<i32>[2]) grid(%i < 2) {
  barrier
  %v = load %x[2*%k + %i]
  store %v, %y[%i]
}
func @in_function(in %x: buf<i32>[%n], %k: index) -> (i32) {
  %v = load %x[2*%k]
  yield %v
}
leaf @called(in %x: buf<i32>[%n], %k: index) -> (i32) {
  %v = call @in_function(%x, %k)
  yield %v
}
leaf @divided(in %x: buf<i32>[%n], %k: index) -> (i32) {
  %v = load %x[floordiv(%n, %k)]
  yield %v
}
"""


def test_wrapping_index_stays_inside(device):
    program, memory = hvisa.load(WRAPPING), canary()
    x = memory[:8]
    far = {"x": x, "k": FAR, "l": FAR + 20}
    assert outcome(program, "read", far, device) == "HV0902"
    assert outcome(program, "write", far, device) == "HV0902"
    assert (memory == canary()).all()
    assert outcome(program, "twice", {"x": x, "k": -2**63 + 1}, device) == 2  # 2^64 away from 2
    assert outcome(program, "called", {"x": x, "k": -2**63 + 1}, device) == 2
    assert outcome(program, "together", {"x": x, "k": -2**63 + 1}, device).tolist() == [2, 3]
    assert outcome(program, "clamped", far, device) == 0  # the sum wraps to a negative index
    assert outcome(program, "divided", {"x": x, "k": 0}, device) == "HV1005"
    assert outcome(program, "divided", {"x": x, "k": 2}, device) == 4


MATCH = """
leaf @shift(in %x: buf<i32>[%n], out %y: buf<i32>[%n] from %x) grid(%i < %n) {
  store 1, %y[%i]
}
graph @g(in %x: buf<i32>[%n], in %z: buf<i32>[%m], out %r: buf<i32>[%m]) {
  %t = node @shift(%x)
  match %n == %m
  yield %t
}
"""


@pytest.mark.parametrize("n", [20, 3])
def test_result_goes_nowhere_before_its_shape_is_known(device, n):
    memory = canary()
    found = outcome(hvisa.load(MATCH), "g", {"x": ones(n), "z": ones(3)}, device,
                    out={"r": memory[:3]})
    assert (memory[3:] == canary()[3:]).all()
    assert found == "HV1004" if n == 20 else (memory[:3] == 1).all()


def test_box_of_a_result_has_the_shape_that_the_node_writes():
    with pytest.raises(hvisa.HvisaError, match=r"HV0605.*the box has"):
        hvisa.load("""
graph @id(in %x: buf<i32>[%n], out %y: buf<i32>[%n]) { yield %x }
graph @g(in %x: buf<i32>[%n], out %r: buf<i32>[4]) {
  %y = node @id(%x[0 :+ %n]) grid(%i < 2) -> (buf<i32>[4] at [2*%i :+ 2])
  yield %y
}""")


ONE = """
leaf @one(%n: index, out %y: buf<i32>[%n]) grid(%i < %n) { store 7, %y[%i] }
"""
GAPS = {
    "short boxes": (ONE + """
graph @p(out %y: buf<i32>[%n]) {
  %a = node @one(%n)
  yield %a
}
graph @g(%n: index, %m: index, out %r: buf<i32>[%n]) {
  %y = node @p() grid(%i < ceildiv(%n, 4)) -> (buf<i32>[%n] at [4*%i :+ min(%m, 4)])
  yield %y
}""", 7, 2, [7, 7, 0, 0, 7, 7, 0]),
    "no instances of boxes": (ONE + """
graph @p(out own checked %y: buf<i32>[%n]) {
  %a = node @one(%n)
  yield %a
}
graph @g(%n: index, %m: index, out %r: buf<i32>[%n]) {
  %y = node @p() grid(%i < ceildiv(%n, 2), %j < %m) -> (buf<i32>[%n] at [2*%i :+ 2])
  yield %y
}""", 4, 0, [0, 0, 0, 0]),
    "a constant axis without instances": ("""
leaf @g(%n: index, %m: index, out %r: buf<i32>[%n]) grid(%i < %n, %j < 0) { store 1, %r[%i] }
""", 3, 0, [0, 0, 0]),
    "an axis without instances": ("""
leaf @g(%n: index, %m: index, out own checked %r: buf<i32>[%n]) grid(%i < %n, %j < %m) {
  store 1, %r[%i]
}""", 3, 0, [0, 0, 0]),
}


@pytest.mark.parametrize("case", GAPS)
def test_elements_that_nobody_stores_are_zero(device, case):
    text, n, m, wanted = GAPS[case]
    found = np.full(n, 77, np.int32)
    hvisa.load(text).entry("g").run({"n": n, "m": m}, out={"r": found}, device=device)
    assert found.tolist() == wanted


CLAIMS = """
leaf @g(inout own checked %y: buf<i32>[%n], out %s: buf<i32>[2]) grid(%i < 2) {
  %v = load vec<i32, 4> %y[2*%i]
  %e = extract %v, 3
  store %e, %s[%i]
}
"""


def test_vector_load_claims_each_of_its_lanes(device):
    assert outcome(hvisa.load(CLAIMS), "g", {"y": ones(8)}, device) == "HV0906"


SIZES = """
leaf @fill(%n: index, out %y: buf<i32>[%n]) grid(%i < %n) { store 1, %y[%i] }
graph @grid(%n: index, %s: index, inout %x: buf<i32>[8]) {
  %y = node @fill(%n * %n)
  yield %x
}
graph @proof(%n: index, %s: index, inout %x: buf<i32>[8]) {
  match %s == %n * %n
  yield %x
}
graph @scratch(%n: index, %s: index, inout %x: buf<i32>[8]) {
  %y = scratch buf<i32>[%n * %n * %s]
  yield %x
}
"""


@pytest.mark.parametrize("entry", ["grid", "proof", "scratch"])
def test_dimensions_of_graphs_never_wrap(device, entry):
    found = outcome(hvisa.load(SIZES), entry, {"n": 2**32, "s": 0 if entry == "proof" else 2**32,
                                               "x": ones(8)}, device)
    assert found in ("HV1005", "HV1004")


BOXES = """
leaf @add(inout %x: buf<i32>[%k]) grid(%i < %k) {
  %v = load %x[%i]
  %w = add %v, 1
  store %w, %x[%i]
}
graph @part(inout %x: buf<i32>[%k]) {
  %a = node @add(%x)
  yield %a
}
graph @g(%s: index, inout %x: buf<i32>[%n]) {
  %y = node @part(%x[4294967296 * %s * %i :+ min(%s, 4)]) grid(%i < 8)
  yield %y
}
"""


def test_boxes_that_would_meet_after_a_wrap(device):
    x = np.zeros(8, np.int32)
    assert outcome(hvisa.load(BOXES), "g", {"s": 2**32, "x": x}, device) in ("HV0907", "HV1005")


SWAP = """
graph @swap(inout %a: buf<i32>[%n], inout %b: buf<i32>[%n]) { yield %b, %a }
graph @g(inout %x: buf<i32>[%n], inout %y: buf<i32>[%n]) {
  %p, %q = node @swap(%x[2*%i :+ 2], %y[2*%i :+ 2]) grid(%i < ceildiv(%n, 2))
  yield %p, %q
}
"""


def test_swapped_boxes(device):
    x, y = np.arange(4, dtype=np.int32), np.arange(10, 14, dtype=np.int32)
    hvisa.load(SWAP).entry("g").run({"x": x, "y": y}, device=device)
    assert (x.tolist(), y.tolist()) == ([10, 11, 12, 13], [0, 1, 2, 3])


def test_results_beyond_memory(device):
    program = hvisa.load("leaf @g(%n: index) -> (i32) grid(%i < %n) { yield 1 }")
    assert outcome(program, "g", {"n": 2**47}, device) == "HV1005"


REDUCED = """
leaf @g(%n: index, %m: index) -> (i64) {
  %r = reduce.add i64 over (%i in 0 .. %n, %j in 0 .. %n, %k in 0 .. %m) {
    %a = convert i64 %j
    %b = mul %a, %a
    %c = rem %b, 7
    yield %c
  }
  yield %r
}
"""


def test_more_rounds_than_an_index_counts(device):
    program = hvisa.load(REDUCED)
    assert outcome(program, "g", {"n": 2**40, "m": 0}, device) == 0
    with pytest.raises(hvisa.LaunchTimeout):
        program.entry("g").run({"n": 2**40, "m": 1}, device=device, timeout=0.2)


def test_several_operators_on_one_element_depend_on_the_order():
    with pytest.raises(hvisa.HvisaError, match="HV0701"):
        hvisa.load("""
leaf @g(inout shared %h: buf<i32>[1]) grid(%i < 100) exact {
  update.add 1, %h[0]
  update.xor 3, %h[0]
}""")


VIEWS = """
leaf @f(in %x: buf<i32>[%k], %n: index, out %y: buf<i32>[%n]) grid(%i < %n) {
  %v = load.zero %x[%i]
  store %v, %y[%i]
}
graph @sliced(in %x: buf<i32>[%n], %o: index, %l: index, out %y: buf<i32>[%n]) {
  %s = slice %x[%o :+ %l]
  %m = node @f(%s, %n)
  yield %m
}
graph @made(in %x: buf<i32>[%n], %o: index, %l: index, out %y: buf<i32>[%n]) {
  %s = zeros buf<i32>[%l]
  %m = node @f(%s, %n)
  yield %m
}
"""


@pytest.mark.parametrize("entry, offset, length, wanted", [
    ("sliced", 1, 2**63 - 1, [1, 2, 0]),
    ("sliced", -1, -1, "HV0907"),
    ("sliced", 0, -1, "HV1005"),
    ("made", 0, 2**45, "HV0910"),
    ("made", 0, 2**48 + 1, "HV1005"),
    ("made", 0, -1, "HV1005")])
def test_extreme_views_and_sizes(device, entry, offset, length, wanted):
    x = np.arange(3, dtype=np.int32)
    found = outcome(hvisa.load(VIEWS), entry, {"x": x, "o": offset, "l": length}, device)
    assert (found if isinstance(found, str) else found.tolist()) == wanted


READS_FIRST = {
    "load": "%a = load %y[%i]\n%b = add %a, 1.0\nstore %b, %y[%i]",
    "branch": "%c = gt 1.0, 2.0\nif %c {\nstore 1.0, %y[%i]\n}\n%a = load %y[%i]\n"
              "%b = add %a, 1.0\nstore %b, %y[%i]",
    "loop": "for %k in 0 .. %none {\nstore 1.0, %y[%i]\n}\n%a = load %y[%i]\n%b = add %a, 1.0\n"
            "store %b, %y[%i]",
    "after": "store 1.0, %y[%i]\n%a = load %y[%i]\n%b = add %a, 1.0\nstore %b, %y[%i]",
}


@pytest.mark.parametrize("device", ["reference", "x86", "multicore"])
@pytest.mark.parametrize("form", sorted(READS_FIRST))
def test_an_out_port_that_is_read_holds_zeros_first(form: str, device: str) -> None:
    """What the memory held before would be another program's data, and other bits each time."""
    entry = hvisa.load("leaf @f(in %x: buf<f64>[%n], %none: index, out %y: buf<f64>[%n]) grid(%i < %n) {\n"
                       + READS_FIRST[form].replace("1.0, 2.0", "f64 1.0, 2.0") + "\n}\n",
                       device=device).entry("f")
    for _ in range(3):
        out = np.full(9, 7.0)
        found = entry(np.zeros(9), 0, out={"y": out})
        assert found.tolist() == [2.0 if form == "after" else 1.0] * 9
        again = entry(np.zeros(9), 0)
        assert again.tolist() == found.tolist()
