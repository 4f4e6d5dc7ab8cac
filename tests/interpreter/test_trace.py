"""Following one instance: every instruction with its values, and nothing else changes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hvisa
from hvisa.assembler.decoder import decode
from hvisa.assembler.encoder import encode
from hvisa.assembler.parser import parse
from hvisa.graph.interpreter import Interpreter
from tests.program.conftest import own_cache

__all__ = ["own_cache"]

ROOT = Path(__file__).parents[2]


def follow(text: str, arguments: dict[str, Any], instance: Any, entry: str | None = None,
           ) -> tuple[list[str], list[Any]]:
    """The log without the name of the text, and the values of the run."""
    lines: list[str] = []
    found = hvisa.load(text, print_sink=lines.append).entry(entry)
    plain = hvisa.load(text, print_sink=lambda _: None, device="reference").entry(entry).values(
        arguments, copy=True)
    made = found.values(arguments, copy=True, trace_instance=instance)
    for a, b in zip(plain, made, strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    return [re.sub(r" <text>:", " ", line) for line in lines], made


LOOPS = """leaf @f(in %x: buf<f32>[%n], out %y: buf<i32>[%n]) grid(%i < %n) {
  %s = for %k in 0 .. %i carry (%a: i32 = 0) {
    %b = add %a, 5
    yield %b
  }
  %w = while (%j = %s) {
    %go = gt %j, 7
    check %go
  } do {
    %h = sub %j, 4
    yield %h
  }
  store %w, %y[%i]
}
"""


def test_loops_show_each_round() -> None:
    lines, _ = follow(LOOPS, {"x": np.zeros(4, np.float32)}, 2)
    assert lines == [
        "f 1: @f, instance [2] of grid [4]: %n = 4, %i = 2",
        "f 2: %s = for %k in 0 .. %i carry (%a: i32 = 0) {",
        "f 2:   round 0: %k = 0, %a = 0",
        "f 3:   %b = add %a, 5 -> 5",
        "f 4:   yield %b -> 5",
        "f 2:   round 1: %k = 1, %a = 5",
        "f 3:   %b = add %a, 5 -> 10",
        "f 4:   yield %b -> 10",
        "f 5: } -> 10",
        "f 6: %w = while (%j = %s) {",
        "f 6:   round 0: %j = 10",
        "f 7:   %go = gt %j, 7 -> true",
        "f 8:   check %go -> true",
        "f 9: } do {",
        "f 10:   %h = sub %j, 4 -> 6",
        "f 11:   yield %h -> 6",
        "f 6:   round 1: %j = 6",
        "f 7:   %go = gt %j, 7 -> false",
        "f 8:   check %go -> false",
        "f 12: } -> 6",
        "f 13: store %w, %y[%i] -> %y[2] = 6"]
    lines, _ = follow(LOOPS, {"x": np.zeros(4, np.float32)}, 0)
    assert [line for line in lines if "round" in line] == ["f 6:   round 0: %j = 0"]


def test_long_loops_of_few_lanes_keep_their_rounds() -> None:
    """The interpreter goes on with the lanes that are left when those are few."""
    arguments = {"x": np.zeros(5000, np.float32)}
    lines, (y,) = follow(LOOPS, arguments, 4990)
    rounds = [line for line in lines if line.startswith("f 2:   round")]
    assert rounds == [f"f 2:   round {n}: %k = {n}, %a = {5 * n}" for n in range(4990)]
    assert lines[-1] == f"f 13: store %w, %y[%i] -> %y[4990] = {y[4990]}"


def test_sides_calls_and_traps() -> None:
    text = """func @half(%x: i32) -> (%y: i32) {
  %y = div 8, %x
  yield %y
}
leaf @f(in %x: buf<i32>[%n]) -> (i32) grid(%i < %n) {
  %v = load %x[%i]
  %p = lt %v, 3
  %r = if %p {
    %h = call @half(%v)
    yield %h
  } else {
    yield 7
  }
  if %p { print "small {}", %v }
  yield %r
}
"""
    x = np.array([2, 5, 0], np.int32)
    lines, _ = follow(text, {"x": x[:2]}, 0)
    assert lines[3:] == [
        "f 8: %r = if %p {",
        "f 9:   %h = call @half(%v)",
        "f 2:     %y = div 8, %x -> 4",
        "f 3:     yield %y -> 4",
        "f 9:   %h = call @half(%v) -> 4",
        "f 10:   yield %h -> 4",
        "f 13: } -> 4",
        "f 14: if %p {",
        "small 2",
        'f 14:   print "small {}", %v -> 2',
        "f 14: }",
        "f 15: yield %r -> 4"]
    lines, _ = follow(text, {"x": x[:2]}, 1)
    assert [line for line in lines[3:] if line.startswith("f ")] == [
        "f 8: %r = if %p {", "f 11: } else {", "f 12:   yield 7 -> 7", "f 13: } -> 7",
        "f 14: if %p {", "f 14: }", "f 15: yield %r -> 7"]
    lines = []
    with pytest.raises(hvisa.HvisaTrap):
        hvisa.load(text, print_sink=lines.append).entry().run({"x": x}, trace_instance=2)
    followed = [line for line in lines if line.startswith("f ")]
    assert followed[-1] == "f <text>:2:     %y = div 8, %x -> trap HV0901: division by zero"


def test_elements_of_a_reduction_follow_each_other() -> None:
    text = """leaf @f(in %x: buf<f32>[%n]) -> (f32) grid(%i < %n) {
  %s = reduce.add f32 over (%k in 0 .. 2) {
    %m = reduce.max f32 over (%l in 0 .. %i) {
      %a = load %x[%l]
      yield %a
    }
    %b = add %m, 0.5
    yield %b
  }
  yield %s
}
"""
    lines, _ = follow(text, {"x": np.array([3, 1, 2], np.float32)}, 2)
    element = ["f 3:   %m = reduce.max f32 over (%l in 0 .. %i) {",
               "f 3:     element: %l = 0", "f 4:     %a = load %x[%l] -> 3.0",
               "f 5:     yield %a -> 3.0",
               "f 3:     element: %l = 1", "f 4:     %a = load %x[%l] -> 1.0",
               "f 5:     yield %a -> 1.0",
               "f 6:   } -> 3.0", "f 7:   %b = add %m, 0.5 -> 3.5", "f 8:   yield %b -> 3.5"]
    assert lines[1:] == [
        "f 2: %s = reduce.add f32 over (%k in 0 .. 2) {", "f 2:   element: %k = 0", *element,
        "f 2:   element: %k = 1", *element, "f 9: } -> 7.0", "f 10: yield %s -> 7.0"]


def test_stores_say_what_they_touch() -> None:
    text = """leaf @f(in %x: buf<f32>[%n], out shared %y: buf<f32>[%n],
    inout accumulate(max) %m: buf<i32>[2], inout shared %c: buf<i32>[2]) -> (bf16)
    grid(%i < %n) nondeterministic {
  %v = load.zero vec<f32, 4> %x[%i]
  store.skip %v, %y[%i + 1]
  store.skip 0.1, %y[%i + 9]
  %t = convert i32 %i
  update.max %t, %m[1]
  %o = atomic.add 2, %c[0]
  %q = local buf<u8>[2]
  store 255, %q[1]
  %e = extract %v, 0
  %z = convert bf16 %e
  yield %z
}
"""
    x = np.array([0.1, np.nan, -0.0, np.inf, 1e30], np.float32)
    arguments = {"x": x, "m": np.zeros(2, np.int32), "c": np.zeros(2, np.int32)}
    lines, _ = follow(text, arguments, (3,))
    assert [line.partition(" -> ")[2] for line in lines[1:]] == [
        "[inf, 1e+30, 0.0, 0.0]", "%y[4 :+ 4] = [inf, 1e+30, 0.0, 0.0], but for the 3 outside",
        "nothing: %y[12] is outside", "3", "%m[1] max 3", "6 from %c[0]", "buf<u8>[2]",
        "%q[1] = 255", "inf", "inf", "inf"]
    lines, _ = follow(text, arguments, (0,))
    assert lines[1].endswith("-> [0.1, nan, -0.0, inf]") and lines[-1].endswith("yield %z -> 0.1")
    assert lines[2].endswith("-> %y[1 :+ 4] = [0.1, nan, -0.0, inf]")


GRAPH = """private leaf @inc(in %x: buf<i32>[%n], out %y: buf<i32>[%n]) grid(%i < %n) {
  %a = load %x[%i]
  %b = add %a, 1
  store %b, %y[%i]
}
private leaf @sum(in %x: buf<i32>[%n], out %y: buf<i32>[1]) {
  %a = load %x[0]
  store %a, %y[0]
}
graph @main(in %x: buf<i32>[%n], out %y: buf<i32>[1]) {
  %t = node @inc(%x)
  %u = node @twice(%t)
  %v = node @sum(%u)
  yield %v
}
private graph @twice(in %x: buf<i32>[%n], out %y: buf<i32>[%n]) {
  %t = node @inc(%x)
  %u = node @inc(%t)
  yield %u
}
"""


def test_nodes_of_a_graph() -> None:
    arguments = {"x": np.array([1, 2], np.int32)}
    heads = ["main/inc 1:", "main/twice/inc 1:", "main/twice/inc 1:"]
    for instance in (1, "1", (1,), "inc:1", "@inc:1", ("inc", (1,)), ("inc", np.int64(1))):
        lines, _ = follow(GRAPH, arguments, instance)
        assert [" ".join(line.split()[:2]) for line in lines if " instance " in line] == heads
        assert [line.rpartition(" ")[2] for line in lines if "add" in line] == ["3", "4", "5"]
    lines, _ = follow(GRAPH, arguments, "main/twice/inc:0")
    assert {line.split()[0] for line in lines} == {"main/twice/inc"} and len(lines) == 8
    for instance in ((), "sum:", ("sum", ())):
        lines, _ = follow(GRAPH, arguments, instance)
        assert lines == ["main/sum 6: @sum, no grid: %n = 2", "main/sum 7: %a = load %x[0] -> 4",
                         "main/sum 8: store %a, %y[0] -> %y[0] = 4"]


@pytest.mark.parametrize("instance, text", [
    (2, "had no instance [2] to follow: its grid was [2]"), ("inc:7", "`inc` had no instance [7]"),
    ((0, 0), "no leaf has a grid of 2 ids"), ("inc:0,0", "the grid of `@inc` has 1 id, 2 given"),
    (-1, "had no instance [-1]"), ("sum:0", "the grid of `@sum` has 0 ids, 1 given"),
    ("twice:0", "there is no leaf `@twice`"), ("ink:0", "did you mean `inc`?"),
    ("main/inc/inc:0", "it was not launched"), ("x", "names no instance"), (1.5, "names no instance"),
    (True, "names no instance"), ({}, "names no instance"), ("inc:a", "names no instance")])
def test_instances_that_are_not_there(instance: Any, text: str) -> None:
    entry = hvisa.load(GRAPH).entry()
    y = np.full(1, 9, np.int32)
    with pytest.raises(hvisa.HvisaError) as caught:
        entry.run({"x": np.array([1, 2], np.int32)}, out={"y": y}, trace_instance=instance)
    assert caught.value.codes == ["HV1011"] and text in str(caught.value)
    assert caught.value.diagnostics[0].help and y.tolist() == [9]


def test_only_reference_follows() -> None:
    arguments = {"x": np.array([1, 2], np.int32)}
    lines: list[str] = []
    entry = hvisa.load(GRAPH, print_sink=lines.append, device="x86").entry()
    for device in (None, "x86", "nothing"):
        with pytest.raises(hvisa.HvisaError) as caught:
            entry.run(arguments, device=device, trace_instance=0)
        assert caught.value.codes == ["HV1001"] and "`reference` only" in str(caught.value)
    assert entry.run(arguments, device="reference", trace_instance=0).tolist() == [4] and lines


def test_bytecode_has_names_and_no_lines() -> None:
    lines: list[str] = []
    module = parse(LOOPS)
    for value in (v for d in module.definitions.values() for v in d.ids):
        assert value.name == "i"
    data = encode(module)
    assert decode(data)
    hvisa.load(data, print_sink=lines.append).entry().run({"x": np.zeros(3, np.float32)},
                                                           trace_instance=1)
    assert "f: store %w, %y[%i] -> %y[1] = 5" in lines
    assert "f:   round 0: %k = 0, %a = 0" in lines


def test_an_interpreter_may_follow_again() -> None:
    lines: list[str] = []
    found = Interpreter(parse(LOOPS), trace_instance=("", (1,)), trace_sink=lines.append)
    found.run("f", {"x": np.zeros(2, np.float32)})
    first = list(lines)
    with pytest.raises(hvisa.HvisaError, match="no instance"):
        found.run("f", {"x": np.zeros(1, np.float32)})
    found.run("f", {"x": np.zeros(2, np.float32)})
    assert lines == first * 2 and first[-1] == "f <text>:13: store -> %y[1] = 5"


@pytest.mark.parametrize("order", [None, "reverse", "random:3"])
def test_blocks_and_orders(order: str | None) -> None:
    lines: list[str] = []
    found = Interpreter(parse(LOOPS), trace_instance=("f", (70000,)), trace_sink=lines.append,
                        lane_order=order)
    text = LOOPS.replace("0 .. %i", "0 .. 2")
    found = Interpreter(parse(text), trace_instance=("f", (70000,)), trace_sink=lines.append,
                        lane_order=order)
    found.run("f", {"x": np.zeros(70001, np.float32)})
    assert [line.partition(" ")[2] for line in lines if "instance" in line or "store" in line] == [
        "<text>:1: @f, instance [70000] of grid [70001]: %n = 70001, %i = 70000",
        "<text>:13: store -> %y[70000] = 6"]


def test_collectives_give_the_instance_its_own() -> None:
    text = """leaf @f(in %x: buf<i32>[%n]) -> (i32) grid(%i < %n) {
  %v = load %x[%i]
  %s = group_scan.add.inclusive %v
  barrier
  yield %s
}
"""
    lines, _ = follow(text, {"x": np.array([4, 5, 6], np.int32)}, 1)
    assert lines[2:] == ["f 3: %s = group_scan.add %v -> 9", "f 4: barrier", "f 5: yield %s -> 9"]
