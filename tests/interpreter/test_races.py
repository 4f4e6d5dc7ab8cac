"""`check_races`: two instances that touch one element without order."""

from __future__ import annotations

import numpy as np
import pytest

from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError
from hvisa.graph.interpreter import Interpreter

HEAD = "leaf @f(inout shared %t: buf<i32>[%n]) grid(%i < %n) nondeterministic {\n"
RACES = {
    "two writers": "  store 1, %t[0]",
    "write, then read by another": "  store 1, %t[%i]\n  %v = load.zero %t[%i - 1]",
    "read, then written by another": "  %v = load.clamp %t[%i + 1]\n  store 1, %t[%i]",
    "read by many, then written by one of them":
        "  %v = load %t[2]\n  %c = eq %i, 1\n  if %c { store 1, %t[2] }",
    "after the barrier": "  store 1, %t[%i]\n  barrier\n  store 2, %t[%i]\n  %v = load %t[2]",
}
ORDERED = {
    "own elements": "  store 1, %t[%i]\n  %v = load %t[%i]",
    "all read": "  %v = load %t[0]",
    "a barrier between": "  store 1, %t[%i]\n  barrier\n  %v = load.zero %t[%i - 1]\n  barrier\n"
                         "  store 2, %t[%i]",
    "atomics": "  %v = atomic.add 1, %t[0]",
    "not on the path": "  %c = eq %i, 0\n  if %c { store 1, %t[0] }",
}


def run(body: str, head: str = HEAD, **options) -> dict:
    module = parse(f"{head}{body}\n}}\n", "race.hvasm")
    return Interpreter(module, check_races=True, **options).run(
        "f", {"t": np.zeros(4, np.int32)})


@pytest.mark.parametrize("name", RACES)
@pytest.mark.parametrize("order", [None, "reverse", "random:3"])
def test_races_are_found(name: str, order: str | None) -> None:
    with pytest.raises(HvisaError) as error:
        run(RACES[name], lane_order=order)
    assert error.value.codes == ["HV0320"]


@pytest.mark.parametrize("name", ORDERED)
def test_what_is_ordered_passes(name: str) -> None:
    run(ORDERED[name])


def test_the_message_names_both_sides() -> None:
    with pytest.raises(HvisaError) as error:
        run(RACES["write, then read by another"])
    text = str(error.value)
    assert "instances (0,) and (1,) of `@f`" in text and "element [0] of `%t`" in text
    assert "race.hvasm:2" in text and "race.hvasm:3" in text


def test_an_own_port_is_touched_by_one_instance_only() -> None:
    head = "leaf @f(inout %t: buf<i32>[%n]) grid(%i < %n) {\n"
    run("  %v = load %t[%i]\n  store %v, %t[%i]", head)
    with pytest.raises(HvisaError):
        run("  %v = load %t[0]", head)
