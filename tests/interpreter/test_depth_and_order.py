"""Deep programs at Python's default limits, and results that no order of lanes may change."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError, HvisaTrap
from hvisa.graph.interpreter import Interpreter
from tests.conformance.directives import Directive, arguments_of
from tests.conformance.harness import all_directives, canonical, load

DEPTH = 250


@pytest.fixture(autouse=True)
def default_recursion_limit():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


def test_a_deep_chain_of_calls() -> None:
    functions = ["func @f0(%x: i32) -> (i32) { %y = add %x, 1; yield %y }"]
    functions += [f"func @f{n}(%x: i32) -> (i32) {{ %y = call @f{n - 1}(%x); yield %y }}"
                  for n in range(1, DEPTH)]
    text = "\n".join([*functions, f"leaf @f(%x: i32) -> (i32) {{ %y = call @f{DEPTH - 1}(%x)",
                      "yield %y }"])
    assert Interpreter(parse(text)).run("f", {"x": 1})["result0"] == 2


def test_deep_regions() -> None:
    opened = [f"%r{n} = if %c {{" for n in range(DEPTH)]
    closed = []
    for n in reversed(range(DEPTH)):
        inner = "%x" if n == DEPTH - 1 else f"%r{n + 1}"
        closed += [f"yield {inner}", "} else { yield 0 }"]
    text = "\n".join(["leaf @f(%x: i32, %c: i1) -> (i32) {", *opened, *closed, "yield %r0", "}"])
    assert Interpreter(parse(text)).run("f", {"x": 7, "c": True})["result0"] == 7


def test_deep_graphs() -> None:
    graphs = ["leaf @g0(%x: i32) -> (i32) { %y = add %x, 1; yield %y }"]
    graphs += [f"graph @g{n}(%x: i32) -> (i32) {{ %y = node @g{n - 1}(%x); yield %y }}"
               for n in range(1, DEPTH)]
    module = parse("\n".join(graphs))
    assert Interpreter(module).run(f"g{DEPTH - 1}", {"x": 1})["result0"] == 2


ORDERS = ["reverse", "random:1", "random:7"]
EXACT = [d for d in all_directives() if d.kind == "run"]


@pytest.mark.parametrize("order", ORDERS)
def test_no_order_of_lanes_changes_a_result(order: str) -> None:
    """Every conformance program that is exact, and even those that say no more than sums."""
    for directive in EXACT:
        _compare(directive, order)


def _compare(directive: Directive, order: str) -> None:
    module = load(directive.file)
    definition = module.definitions[directive.entry]
    types = [p.type for p in definition.written] + definition.results
    arguments = arguments_of(module, directive)
    quiet = {"print_sink": lambda line: None}
    first = Interpreter(module, **quiet).run(directive.entry, arguments)
    second = Interpreter(module, lane_order=order, **quiet).run(directive.entry, arguments)
    for a, b, type_ in zip(first.values(), second.values(), types, strict=True):
        assert canonical(a, type_) == canonical(b, type_), f"{directive.name} in order {order}"


@pytest.mark.parametrize("order", ORDERS)
def test_whether_a_launch_traps_does_not_depend_on_the_order(order: str) -> None:
    for directive in (d for d in all_directives() if d.kind != "run"):
        module = load(directive.file)
        with pytest.raises(HvisaError) as error:
            Interpreter(module, lane_order=order, print_sink=lambda line: None).run(
                directive.entry, arguments_of(module, directive))
        assert directive.code in error.value.codes
        assert isinstance(error.value, HvisaTrap) == (directive.kind == "trap")


def test_a_wrong_order_is_refused() -> None:
    with pytest.raises(ValueError, match="lane_order"):
        Interpreter(parse("leaf @f() { }"), lane_order="sideways")


def test_many_blocks_and_few_lanes_left() -> None:
    """More instances than a block has, with one that loops long after the others."""
    text = """leaf @f(in %x: buf<i32>[%n], out %y: buf<i32>[%n]) grid(%i < %n) {
  %v = load %x[%i]
  %r, %c = while (%a: i32 = %v, %k: i32 = 0) { %g = gt %a, 0; check %g } do {
    %b = sub %a, 1
    %s = reduce.add i32 over (%j in 0 .. 3) { %w = convert i32 %j; yield %w }
    %d = add %k, %s
    yield %b, %d
  }
  %u = for %j in 0 .. %v carry (%e: i32 = %c) { %h = add %e, 1; yield %h }
  store %u, %y[%i]
}"""
    x = np.arange(70001, dtype=np.int32) % 3
    x[12345], x[70000], x[0] = 500, 90, 31
    y = Interpreter(parse(text)).run("f", {"x": x})["y"]
    assert (y == x * 4).all()


def test_reductions_are_batched_without_changing_the_order() -> None:
    text = """leaf @f(in %x: buf<f32>[%m, %n], out %y: buf<f32>[%m]) grid(%i < %m) {
  %t = local buf<f32>[4096]
  %s = reduce.add f32 over (%k in 0 .. %n) { %v = load %x[%i, %k]; yield %v }
  store %s, %y[%i]
}
leaf @g(in %x: buf<f32>[%m, %n], out %y: buf<f32>[%m]) grid(%i < %m) {
  %s = reduce.add f32 over (%k in 0 .. %n) { %v = load %x[%i, %k]; yield %v }
  store %s, %y[%i]
}"""
    x = np.random.default_rng(3).standard_normal((37, 5001)).astype(np.float32)
    module = Interpreter(parse(text))
    # Private arrays leave room for few lanes, so a block of elements comes in pieces.
    assert (module.run("f", {"x": x})["y"] == module.run("g", {"x": x})["y"]).all()
