"""The host boundary, rule by rule, on every device (semantics 10)."""

from __future__ import annotations

import array

import numpy as np
import pytest

import hvisa
from hvisa.runtime.devices import preferred_devices
from tests.program.programs import SAXPY, SHAPES

DEVICES = preferred_devices()


@pytest.fixture(scope="module", params=DEVICES)
def device(request):
    return request.param


@pytest.fixture(scope="module")
def shapes(device):
    return hvisa.load(SHAPES, device=device)


@pytest.fixture(scope="module")
def saxpy(device):
    return hvisa.load(SAXPY, device=device).entry()


def vectors(n: int = 100) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(n, dtype=np.float32), np.ones(n, np.float32)


def refused(code: str, *words: str):
    """The call raises this code, with these words in its message."""
    class Refusal:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, trace) -> bool:
            assert error is not None, f"no {code}"
            if not isinstance(error, hvisa.HvisaError):
                return False
            assert code in error.codes, str(error)
            for word in words:
                assert word in str(error), str(error)
            return True
    return Refusal()


# -- names -------------------------------------------------------------------------------------------

def test_by_name_and_position(saxpy):
    x, y = vectors()
    assert saxpy(2.0, x, y) is y
    assert saxpy(a=2.0, y=y, x=x) is y
    assert saxpy(2, x, y=y) is y
    assert np.array_equal(y, 1 + 3 * 2 * x)


def test_names_are_checked(saxpy):
    x, y = vectors()
    for _ in range(3):  # before and after there is a fast path
        with refused("HV1001", "needs `y`"):
            saxpy(2.0, x)
        with refused("HV1001", "takes no argument `z`", "it takes `a`, `x`, `y`"):
            saxpy(2.0, x, y, z=1)
        with refused("HV1001", "did you mean `x`?"):
            saxpy(a=2.0, xx=x, y=y)
        with refused("HV1001", "by position and by name"):
            saxpy(2.0, x, y, x=x)
        with refused("HV1001", "takes 3 values, 4 given"):
            saxpy(2.0, x, y, y)
        with refused("HV1001", "no output `q`"):
            saxpy(2.0, x, y, out={"q": y})
        saxpy(2.0, x, y)


# -- types -------------------------------------------------------------------------------------------

def test_dtypes_are_exact(saxpy):
    x, y = vectors()
    for _ in range(3):
        with refused("HV1002", "`%x` of `@saxpy`", "float64", "x.astype(np.float32)"):
            saxpy(2.0, x.astype(float), y)
        with refused("HV1002", "updated in place"):
            saxpy(2.0, x, y.astype(float))
        with refused("HV1002", "np.float32(x)"):
            saxpy(np.float64(2), x, y)
        with refused("HV1003", "no array"):
            saxpy(2.0, "text", y)
        with refused("HV1003", "with 1 dimension;"):
            saxpy(2.0, x[:, None], y)
        saxpy(2.0, x, y)


def test_every_error_of_the_stage_is_told(saxpy):
    x, y = vectors()
    with pytest.raises(hvisa.HvisaError) as caught:
        saxpy("2", x.astype(int), y[:, None])
    assert caught.value.codes == ["HV1003", "HV1002", "HV1003"]


def test_scalars_keep_their_bits(shapes):
    given = {"a": -128, "b": 2**64 - 1, "c": True, "d": 0.1, "e": 1.0, "f": 5e-324, "g": -1,
                 "h": np.arange(4, dtype=np.float32)}
    found = shapes.entry("scalars")(**given)
    assert (found.a1, found.b1, found.c1, found.g1) == (-128, 2**64 - 1, True, -1)
    assert [type(v) for v in found[:7]] == [np.int8, np.uint64, np.bool_, np.float16, np.uint16,
                                            np.float64, np.int64]
    assert found.d1 == np.float16(0.1) and found.e1 == 0x3F80 and found.f1 == 5e-324
    assert np.array_equal(found.h1, given["h"])
    assert found._fields == ("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1")


@pytest.mark.parametrize("name, value, code", [
    ("a", 128, "HV1002"), ("b", -1, "HV1002"), ("c", 1, "HV1002"), ("a", True, "HV1002"),
    ("d", "x", "HV1003"), ("f", 1j, "HV1003"), ("g", 1.0, "HV1002"), ("f", None, "HV1003"),
    ("h", np.zeros(3, np.float32), "HV1003"), ("h", np.zeros(4), "HV1002")])
def test_scalars_that_do_not_fit(shapes, name, value, code):
    given = {"a": 1, "b": 1, "c": True, "d": 0.1, "e": 1.0, "f": 1.0, "g": 1, "h": np.zeros(4, np.float32)}
    with refused(code, f"`%{name}`"):
        shapes.entry("scalars").run(given | {name: value})


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-45, -1e-40, 1.4e-45 / 2, 1e39, float("-inf"), 0.1,
                                   2**53 + 1, np.float32(0.1)])
def test_floats_are_rounded_once(saxpy, value):
    with np.errstate(all="ignore"):
        wanted = np.float32(value)
    for _ in range(3):
        y = np.full(1, -0.0, np.float32)
        saxpy(value, np.ones(1, np.float32), y)
        assert y.view(np.uint32) == wanted.view(np.uint32) or value == 0


# -- what counts as an array -------------------------------------------------------------------------

def test_lists_and_buffers_for_in_ports(saxpy):
    for x in ([1, 2, 3], (1.0, 2.0, 3.0), array.array("f", [1, 2, 3]),
              memoryview(np.array([1, 2, 3], np.float32))):
        y = np.ones(3, np.float32)
        saxpy(1.0, x, y)
        assert y.tolist() == [2, 3, 4]
    with refused("HV1003", "updated in place", "copy=True"):
        saxpy(1.0, [1, 2, 3], [1, 2, 3])
    assert saxpy(1.0, [1, 2, 3], [1, 1, 1], copy=True).tolist() == [2, 3, 4]
    with refused("HV1003", "same length"):
        saxpy(1.0, [[1], [2, 3]], y)


def test_lists_must_fit(shapes):
    with refused("HV1002", "does not hold 2147483648"):
        shapes.entry("each")([[2**31]])
    with refused("HV1002", "float64"):
        shapes.entry("each")([[0.5]])
    assert shapes.entry("each")([[1, 2], [3, -4]]).tolist() == [[1, 2], [3, -4]]


class Interface:
    """An array of another library."""

    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.__array_interface__ = wrapped.__array_interface__


class Capsule:
    def __init__(self, wrapped):
        self.wrapped = wrapped

    def __dlpack__(self, **options):
        return self.wrapped.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.wrapped.__dlpack_device__()


@pytest.mark.parametrize("wrap", [Interface, Capsule])
def test_arrays_of_other_libraries(saxpy, wrap):
    x, y = vectors()
    saxpy(2.0, wrap(x), y)
    assert np.array_equal(y, 1 + 2 * x)
    found = saxpy(2.0, x, Interface(y))
    assert np.shares_memory(found, y) and np.array_equal(y, 1 + 4 * x)


def test_masked_arrays_are_refused(saxpy):
    x, y = vectors()
    with refused("HV1003", "masked"):
        saxpy(2.0, np.ma.masked_array(x, x > 3), y)


def test_layouts_that_are_copied(saxpy):
    x, _y = vectors(200)
    unaligned = np.frombuffer(bytes(1) + x[:50].tobytes(), np.float32, offset=1)
    assert not unaligned.flags.aligned
    for given, wanted in ((x[::4], x[::4]), (x[:50].astype(">f4"), x[:50]), (unaligned, x[:50]),
                          (x[49::-1], x[49::-1])):
        made = np.ones(50, np.float32)
        saxpy(1.0, given, made)
        assert np.array_equal(made, 1 + wanted)


def test_written_layouts_are_written_back(saxpy):
    x, _ = vectors(50)
    whole = np.ones(100, np.float32)
    assert np.shares_memory(saxpy(1.0, x, whole[::2]), whole)
    assert np.array_equal(whole[::2], 1 + x) and (whole[1::2] == 1).all()
    swapped = np.ones(50, ">f4")
    assert saxpy(1.0, x, swapped) is swapped
    assert np.array_equal(swapped, 1 + x)


def test_strided_ports_take_strides(shapes):
    x = np.arange(48, dtype=np.int16).reshape(6, 8)
    for given in (x, x[::2, ::-1], x.T, x[1:5, 3:4], np.broadcast_to(x[:1], (4, 8)),
                  x.astype(">i2")):
        assert np.array_equal(shapes.entry("strided")(given), given)


# -- writing -----------------------------------------------------------------------------------------

def test_donation_and_copy(saxpy):
    x, y = vectors()
    kept = y.copy()
    found = saxpy(2.0, x, y, copy=True)
    assert found is not y and np.array_equal(y, kept) and np.array_equal(found, 1 + 2 * x)


def test_read_only_arrays(saxpy):
    x, y = vectors()
    y.flags.writeable = False
    x.flags.writeable = False
    for _ in range(3):
        with refused("HV1007", "read-only", "copy=True"):
            saxpy(2.0, x, y)
    assert np.array_equal(saxpy(2.0, x, y, copy=True), 1 + 2 * x)


def test_overlap(saxpy, shapes):
    _, y = vectors()
    with refused("HV1006", "share memory"):
        saxpy(2.0, y, np.broadcast_to(np.ones(1, np.float32), 100).view())
    windows = np.lib.stride_tricks.as_strided(y, (50,), (2,))
    with refused("HV1006"):
        saxpy(2.0, np.zeros(50, np.float32), windows)
    two, data = shapes.entry("two"), np.arange(10)
    for _ in range(3):
        with refused("HV1006", "`a` and `b` are both written"):
            two(data, data)
        with refused("HV1006"):
            two(data[:6], data[4:])
        two(data[:5], data[5:])
    interleaved = np.arange(10)
    two(interleaved[::2], interleaved[1::2])
    assert interleaved.tolist() == [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]


def test_one_array_as_old_and_new_version(saxpy):
    for _ in range(3):
        y = np.arange(10, dtype=np.float32)
        saxpy(2.0, y, y)
        assert np.array_equal(y, 3 * np.arange(10))
        y = np.arange(11, dtype=np.float32)
        saxpy(1.0, y[:-1], y[1:])
        assert y[1:].tolist() == [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]


def test_broadcast_is_refused_where_written(saxpy):
    with refused("HV1006"):
        saxpy(1.0, np.ones(3, np.float32), np.broadcast_to(np.float32(1), 3))


# -- shapes ------------------------------------------------------------------------------------------

def test_equations_name_both_sides(saxpy, shapes):
    x, y = vectors()
    for _ in range(3):
        with refused("HV1004", "`y` has 99 along axis 0", "axis 0 of `x` is 100", "`%n`"):
            saxpy(2.0, x, y[:99])
        saxpy(2.0, x, y)
    window = shapes.entry("window")
    ints = np.zeros(9, np.int32)
    assert window(9, ints, ints[:4]) == 1
    with refused("HV1004", "`x` has 8", "the argument `n` is 9"):
        window(9, ints[:8], ints[:4])
    with refused("HV1004", "`y` has 3 along axis 0", "floordiv(%n, 2)", "`%n` is 9"):
        window(9, ints, ints[:3])


def test_out_arrays(shapes):
    u, v = np.array([1.0, 2.0]), np.array([1.0, 10.0, 100.0])
    wanted = np.pad(np.outer(u, v), ((0, 0), (0, 1)))
    outer = shapes.entry("outer")
    for _ in range(3):
        found = outer(u, v)
        assert np.array_equal(found, wanted)
        assert found.ctypes.data % 256 == 0 and found.flags.c_contiguous and found.flags.writeable
    given = np.full((2, 4), 7.0)
    assert outer(u, v, out={"p": given}) is given and np.array_equal(given, wanted)
    turned = np.full((4, 2), 7.0).T
    assert outer(u, v, out={"p": turned}) is turned and np.array_equal(turned, wanted)
    with refused("HV1004", "`p` has 3 along axis 1", "%n + 1"):
        outer(u, v, out={"p": given[:, :3]})
    with refused("HV1001", "it is an output"):
        outer(u, v, p=given)


def test_extents_in_range(shapes):
    fill = shapes.entry("fill")
    assert fill(3).tolist() == [1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert fill(0).shape == (0,)
    for n in (1 << 26, 1 << 60):
        with refused("HV1005"):
            fill(n)
    with refused("HV1005"):
        fill(-(1 << 25))


def test_zero_sizes(saxpy, shapes):
    empty = np.zeros(0, np.float32)
    for _ in range(3):
        assert saxpy(1.0, empty, empty) is empty
    assert shapes.entry("outer")(np.zeros(0), np.zeros(5)).shape == (0, 6)
    assert shapes.entry("each")(np.zeros((3, 0), np.int32)).shape == (3, 0)


def test_zero_dimensions(shapes):
    found = shapes.entry("zero_d")(np.int32(4))
    assert found == 5 and type(found) is np.int32
    given = np.zeros((), np.int32)
    assert shapes.entry("zero_d")(np.array(4, np.int32), out={"y": given}) is given and given == 5


def test_bfloat16_as_given(shapes):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    half = shapes.entry("half")
    bits = np.array([0x3F80, 0xC000], np.uint16)
    assert half(bits).dtype == np.uint16
    found = half(bits.view(ml_dtypes.bfloat16))
    assert found.dtype == ml_dtypes.bfloat16 and found.tolist() == [1, -2]
    given = np.zeros(2, ml_dtypes.bfloat16)
    assert half(bits, out={"y": given}) is given and given.tolist() == [1, -2]
    assert half([1.0, -2.0]).tolist() == bits.tolist()


def test_truth_values(shapes):
    assert shapes.entry("flags")(np.array([True, False])).tolist() == [False, True]
    assert shapes.entry("flags")([True]).tolist() == [False]
    with refused("HV1002", "x.astype(bool)"):
        shapes.entry("flags")(np.array([1, 0]))


@pytest.mark.skipif("x86" not in DEVICES, reason="no native code here")
def test_beyond_two_to_the_31():
    """Pages that nobody writes cost nothing."""
    big = np.zeros(2**31 + 10, np.uint8)
    text = """leaf @last(in %x: buf<u8>[%n], %i: index) -> (%r: u8) {
      %v = load %x[%i]
      yield %v
    }"""
    big[-1] = 7
    last = hvisa.load(text, device="x86").entry()
    assert last(big, 2**31 + 9) == 7 and last(big, 5) == 0


# -- streams -----------------------------------------------------------------------------------------

LIFTED = """graph @sums(in %x: stream<buf<i32>[3]>) -> (%y: stream<i32>) {
  %z = node @sum(%x)
  yield %z
}
leaf @sum(in %a: buf<i32>[3]) -> (%s: i32) {
  %p = load %a[0]
  %q = load %a[1]
  %r = add %p, %q
  yield %r
}
"""


def test_items_of_a_stream_come_from_anything_that_has_items():
    entry = hvisa.load(LIFTED).entry("sums")
    rows = np.arange(6, dtype=np.int32).reshape(2, 3)

    def one_array_again_and_again():
        array = np.empty(3, np.int32)
        for row in rows:
            array[:] = row
            yield array
    for items in ([[0, 1, 2], [3, 4, 5]], tuple(rows), rows, rows.astype(">i4"), iter(rows),
                  one_array_again_and_again(), np.asfortranarray(rows)):
        assert [int(v) for v in entry(items)] == [1, 7]
    assert entry(iter([])) == [] and entry(rows[:0]) == []


@pytest.mark.parametrize("value, text", [
    (3, "is a int"), ("abc", "is a str"), (np.int32(1), "is a int32"), ({}, "is a dict"),
    (np.array(1), "without dimensions"), (np.zeros((2, 3)), "item 0"),
    (np.zeros(2, np.int32), "item 0")])
def test_what_is_no_stream(value, text):
    with pytest.raises(hvisa.HvisaError, match=text) as caught:
        hvisa.load(LIFTED).entry("sums")(value)
    assert caught.value.codes[0] in ("HV1002", "HV1003", "HV1004")
