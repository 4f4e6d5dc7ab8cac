"""What a host sees: arguments, results, errors, externs, print, trace, stop."""

from __future__ import annotations

import numpy as np
import pytest

from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError, HvisaTrap, LaunchTimeout
from hvisa.graph.interpreter import Interpreter

SCALE = """
leaf @scale(in %x: buf<f32>[%m, %n], %a: f32, inout %y: buf<f32>[%m, %n]) -> (%last: f32)
    grid(%i < %m, %j < %n) {
  %v = load %x[%i, %j]
  %w = load %y[%i, %j]
  %p = mul %a, %v
  %s = add %p, %w
  store %s, %y[%i, %j]
  yield %s
}
""".replace(" -> (%last: f32)\n    grid", " -> (%last: f32) grid")


def run(text: str, entry: str, arguments: dict, **options):
    out_shapes = options.pop("out_shapes", None)
    return Interpreter(parse(text), **options).run(entry, arguments, out_shapes=out_shapes)


def test_strided_arguments_and_fresh_results() -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)[::2, ::-3]
    y = np.ones((2, 2), np.float32, order="F")
    kept = x.copy(), y.copy()
    found = run(SCALE, "scale", {"x": x, "a": 2.0, "y": y})
    assert list(found) == ["y", "last"]
    assert (found["y"] == x * 2 + 1).all() and (found["last"] == found["y"]).all()
    assert (x == kept[0]).all() and (y == kept[1]).all()
    assert not np.shares_memory(found["y"], y) and found["y"].flags.writeable


def test_an_unchanged_buffer_comes_back_as_a_copy() -> None:
    x = np.ones(3, np.int32)
    found = run("graph @id(inout %x: buf<i32>[%n]) { yield %x }", "id", {"x": x})["x"]
    assert (found == x).all() and not np.shares_memory(found, x)


def test_read_only_arguments() -> None:
    x = np.ones((1, 1), np.float32)
    x.flags.writeable = False
    assert run(SCALE, "scale", {"x": x, "a": np.float32(2), "y": x})["y"][0, 0] == 3


def test_scalars_come_back_in_their_dtype() -> None:
    text = """leaf @f(%a: i8, %b: bf16, %c: vec<f16, 2>) -> (i8, %b2: bf16, vec<f16, 2>) {
  %d = add %a, 1
  yield %d, %b, %c
}"""
    found = run(text, "f", {"a": np.int8(4), "b": 1.5, "c": np.array([1, 2], np.float16)})
    assert list(found) == ["result0", "b2", "result2"]
    assert type(found["result0"]) is np.int8 and found["result0"] == 5
    assert type(found["b2"]) is np.uint16 and found["b2"] == 0x3FC0
    assert found["result2"].dtype == np.float16 and found["result2"].tolist() == [1, 2]


def test_out_shapes_bind_what_nothing_else_does() -> None:
    text = "leaf @f(out %y: buf<i32>[%n]) grid(%i < %n) { store 1, %y[%i] }"
    assert run(text, "f", {}, out_shapes={"y": (3,)})["y"].tolist() == [1, 1, 1]
    with pytest.raises(HvisaError) as error:
        run(text, "f", {})
    assert error.value.codes == ["HV1004"] and "out_shapes" in str(error.value)


@pytest.mark.parametrize("arguments, code", [
    ({"x": np.zeros((2, 2), np.float32), "a": 1.0}, "HV1001"),
    ({"x": 1, "a": 1.0, "y": 2, "z": 3}, "HV1001"),
    ({"x": np.zeros((2, 2)), "a": 1.0, "y": np.zeros((2, 2), np.float32)}, "HV1002"),
    ({"x": np.zeros(2, np.float32), "a": 1.0, "y": np.zeros((2, 2), np.float32)}, "HV1003"),
    ({"x": np.zeros((2, 3), np.float32), "a": 1.0, "y": np.zeros((2, 2), np.float32)}, "HV1004"),
    ({"x": np.zeros((2, 2), np.float32), "a": np.float64(1), "y": np.zeros((2, 2), np.float32)},
     "HV1002"),
    ({"x": [[0.0]], "a": 1.0, "y": np.zeros((1, 1), np.float32)}, "HV1003"),
])
def test_wrong_arguments(arguments: dict, code: str) -> None:
    with pytest.raises(HvisaError) as error:
        run(SCALE, "scale", arguments)
    assert error.value.codes == [code] and error.value.diagnostics[0].help


def test_integers_must_fit() -> None:
    text = "leaf @f(%a: u8) -> (u8) { yield %a }"
    assert run(text, "f", {"a": 255})["result0"] == 255
    for wrong in (256, -1, 1.0, True):
        with pytest.raises(HvisaError):
            run(text, "f", {"a": wrong})


def test_unknown_entry_names_the_entries() -> None:
    with pytest.raises(HvisaError, match="not a leaf or graph") as error:
        run(SCALE, "nothing", {})
    assert error.value.codes == ["HV1009"] and "@scale" in str(error.value)


# -- traps -----------------------------------------------------------------------------------------

TRAPS = """
leaf @inverse(in %x: buf<i32>[%m, %n], out %y: buf<i32>[%m, %n]) grid(%i < %m, %j < %n) {
  %v = load %x[%i, %j]
  %q = div 12, %v
  store %q, %y[%i, %j]
}
graph @rows(in %x: buf<i32>[%m, %n], out %y: buf<i32>[%m, %n]) {
  %z = node @inverse(%x)
  yield %z
}
graph @main(in %x: buf<i32>[%m, %n]) -> (buf<i32>[%m, %n]) {
  %y = node @rows(%x[%k :+ 1, 0 :+ %n]) grid(%k < %m) -> (buf<i32>[%m, %n] at [%k :+ 1, 0 :+ %n])
  yield %y
}
"""


def test_a_trap_names_path_instance_and_place() -> None:
    x = np.array([[1, 2, 3], [4, 0, 0]], np.int32)
    with pytest.raises(HvisaTrap) as trap:
        run(TRAPS, "main", {"x": x})
    assert trap.value.code == "HV0901"
    assert trap.value.path == ("main", "rows", "inverse") and trap.value.instance == (0, 1)
    span = trap.value.diagnostics[0].span
    assert span is not None and span.line == 4
    assert "main/rows/inverse" in str(trap.value) and trap.value.diagnostics[0].help


def test_the_lowest_instance_is_reported() -> None:
    x = np.ones((300, 300), np.int32)
    x[299, 5] = x[120, 7] = x[120, 250] = 0
    with pytest.raises(HvisaTrap) as trap:
        run(TRAPS, "inverse", {"x": x})
    assert trap.value.instance == (120, 7)


def test_out_of_bounds_names_buffer_index_and_extents() -> None:
    text = """leaf @f(in %x: buf<i32>[%m, %n], %i: index) -> (i32) {
  %v = load %x[%i, %i + 2]
  yield %v
}"""
    with pytest.raises(HvisaTrap) as trap:
        run(text, "f", {"x": np.zeros((3, 4), np.int32), "i": 2})
    assert "index [2, 4] of `%x`" in str(trap.value) and "[3, 4]" in str(trap.value)
    assert trap.value.instance == ()


def test_an_assertion_gives_its_message() -> None:
    text = """leaf @f(%a: i32) { %ok = gt %a, 0; assert %ok, "must be positive" }"""
    with pytest.raises(HvisaTrap, match="must be positive") as trap:
        run(text, "f", {"a": -1})
    assert trap.value.code == "HV0903"


# -- the host's functions --------------------------------------------------------------------------

EXTERN = """
extern func @host(%x: f32, in %t: buf<bf16>[%n]) -> (f32, i32)
leaf @f(in %x: buf<f32>[%n], in %t: buf<bf16>[%k]) -> (f32, i32) grid(%i < %n) nondeterministic {
  %v = load %x[%i]
  %p = gt %v, 0.0
  %r, %c = if %p {
    %a, %b = call @host(%v, %t)
    yield %a, %b
  } else { yield 0.0, -1 }
  yield %r, %c
}
"""


def test_externs_are_called_for_lanes_on_the_path() -> None:
    seen = []

    def host(x, t):
        seen.append((x, t.tolist(), t.flags.writeable))
        return x * 2, np.int32(len(seen))
    arguments = {"x": np.array([1, -1, 3], np.float32), "t": np.array([0x3F80], np.uint16)}
    found = run(EXTERN, "f", arguments, externs={"host": host})
    assert found["result0"].tolist() == [2, 0, 6] and found["result1"].tolist() == [1, -1, 2]
    assert seen == [(1.0, [0x3F80], False), (3.0, [0x3F80], False)]
    assert type(seen[0][0]) is np.float32


def test_an_extern_needs_leave_and_may_fail() -> None:
    arguments = {"x": np.ones(2, np.float32), "t": np.zeros(1, np.uint16)}
    with pytest.raises(HvisaError) as error:
        run(EXTERN, "f", arguments)
    assert error.value.codes == ["HV0703"] and not isinstance(error.value, HvisaTrap)

    def fails(x, t):
        raise ValueError("no such thing")
    with pytest.raises(HvisaTrap, match="no such thing") as trap:
        run(EXTERN, "f", arguments, externs={"host": fails})
    assert trap.value.code == "HV0908" and trap.value.instance == (0,)
    with pytest.raises(HvisaError) as error:
        run(EXTERN, "f", arguments, externs={"host": lambda x, t: (x, "one")})
    assert error.value.codes == ["HV1003"]


# -- print, trace, stop ----------------------------------------------------------------------------

PRINTS = """
leaf @f(in %x: buf<f32>[%n]) -> (f32) grid(%i < %n) {
  %v = load %x[%i]
  %p = lt %v, 2.0
  if %p { print "x[{}] = {}", %i, %v }
  %w = add %v, 0.5
  yield %w
}
"""


def test_print_goes_to_the_sink() -> None:
    lines: list[str] = []
    run(PRINTS, "f", {"x": np.array([1, 2, -0.0], np.float32)}, print_sink=lines.append)
    assert lines == ["x[0] = 1.0", "x[2] = -0.0"]


def test_trace_follows_one_instance() -> None:
    lines: list[str] = []
    run(PRINTS, "f", {"x": np.array([1, 2, 7], np.float32)}, print_sink=lines.append,
        trace_instance=("f", (2,)))
    traced = [line for line in lines if line.startswith("f <text>:")]
    assert traced[0] == "f <text>:2: @f, instance [2] of grid [3]: %n = 3, %i = 2"
    assert traced[1] == "f <text>:3: %v = load -> 7.0"
    assert traced[2].endswith("%p = lt -> false") and traced[-1].endswith("yield -> 7.5")


@pytest.mark.parametrize("text", [
    "leaf @f(%n: i32) { for %k in 0 .. %n { } }",
    "leaf @f(%n: i32) { %r = while (%a: i32 = %n) { check true } do { yield %a } }",
    "graph @f(%n: i32) { for %k in 0 .. %n { } }"])
def test_an_endless_program_can_be_stopped(text: str) -> None:
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 100
    with pytest.raises(LaunchTimeout):
        run(text, "f", {"n": 2000000000}, stop=stop)


def test_streams_are_lists() -> None:
    text = """leaf @add(%x: f32, %y: f32) -> (f32) { %s = add %x, %y; yield %s }
graph @f(%x: stream<f32>, %y: f32) -> (stream<f32>) { %s = node @add(%x, %y); yield %s }"""
    found = run(text, "f", {"x": [1.0, np.float32(2)], "y": 0.5})["result0"]
    assert found == [1.5, 2.5] and type(found[0]) is np.float32
