"""The test at the end of the rules: an `exact` node gives equal bits in place, out of place, with its
instances in any order, split in two and merged, and run again after it was stopped half way."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import numpy as np
import pytest

from hvisa.diagnostics import HvisaTrap
from hvisa.graph.interpreter import Interpreter
from hvisa.runtime.arguments import Bound, bind
from hvisa.runtime.launch import NativeLauncher
from hvisa.spec.types import Type
from hvisa.translators.native import part_symbol
from tests.conformance.harness import canonical
from tests.conformance.native import make_launcher
from tests.differential.generator import Program, make

SEEDS = 150


class Parts:
    """The code of a leaf whose instances are run in ranges of our choice."""

    def __init__(self, program: Program):
        self.program = program
        module = program.module
        self.launcher: NativeLauncher = make_launcher("x86", module, "entry", parts=True)
        definition = module.definitions["entry"]
        self.types: list[Type] = [p.type for p in definition.written] + definition.results
        address = self.launcher.loaded.address(part_symbol())
        self.function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p,
                                         ctypes.c_int64, ctypes.c_int64)(address)

    def bound(self, copy: bool = True) -> Bound:
        found = bind(self.launcher.signature, self.program.arguments, None, copy)
        for port in self.launcher.signature.written:
            if port.direction == "out":
                found.values[port.name][...] = np.zeros((), port.dtype)
        return found

    def run(self, bound: Bound, ranges: list[tuple[int, int]]) -> list[Any]:
        """Written ports and results after running the ranges in order."""
        launcher = self.launcher
        state = launcher.new_state()
        arrays = launcher._fill(state, bound)
        for begin, end in ranges:
            status = self.function(ctypes.addressof(state.context), ctypes.addressof(state.slots),
                                   begin, end)
            assert status == 0
        return bound.publish({}) + launcher._results(state, bound, arrays)

    def seen(self, values: list[Any]) -> list[Any]:
        return [canonical(v, t) for v, t in zip(values, self.types, strict=True)]


def wanted(program: Program) -> list[Any] | None:
    """What the interpreter gives; None if it traps."""
    try:
        return list(Interpreter(program.module).run("entry", program.arguments).values())
    except HvisaTrap:
        return None


def leaves() -> list[int]:
    """Seeds of programs that are one leaf without collectives."""
    return [s for s in range(10_000, 10_000 + 4 * SEEDS)
            if {"leaf"} <= (f := make(s).features) and "group" not in f][:SEEDS]


@pytest.mark.parametrize("first", range(0, SEEDS, 30))
def test_exact_leaves_do_not_depend_on_how_they_are_launched(first: int) -> None:
    for seed in leaves()[first:first + 30]:
        program = make(seed)
        expected = wanted(program)
        if expected is None:
            continue
        parts = Parts(program)
        bits = parts.seen(expected)
        shape = next((np.shape(a) for a in program.arguments.values() if np.ndim(a)), ())
        total = int(np.prod(shape))
        _check(parts, bits, total, random.Random(seed), seed)


def _check(parts: Parts, bits: list[Any], total: int, rng: random.Random, seed: int) -> None:
    whole = [(0, total)]
    before = {n: np.copy(a) for n, a in parts.program.arguments.items()}
    assert parts.seen(parts.run(parts.bound(), whole)) == bits, f"{seed}: out of place"
    for name, array in before.items():
        assert array.tobytes() == np.asarray(parts.program.arguments[name]).tobytes(), \
            f"{seed}: an argument changed"
    single = [(k, k + 1) for k in range(total)]
    assert parts.seen(parts.run(parts.bound(), single[::-1])) == bits, f"{seed}: reversed"
    rng.shuffle(single)
    assert parts.seen(parts.run(parts.bound(), single)) == bits, f"{seed}: shuffled"
    cut = rng.randrange(total + 1)
    left = parts.run(parts.bound(), [(0, cut)])
    right = parts.run(parts.bound(), [(cut, total)])
    merged = [_merge(a, b, cut) for a, b in zip(left, right, strict=True)]
    assert parts.seen(merged) == bits, f"{seed}: split and merged"
    parts.run(parts.bound(), [(0, cut)])  # lost on the way
    assert parts.seen(parts.run(parts.bound(), whole)) == bits, f"{seed}: run again"
    arguments = {n: np.copy(a) for n, a in parts.program.arguments.items()}
    parts.program.arguments = arguments
    in_place = parts.run(parts.bound(copy=False), whole)
    assert parts.seen(in_place) == bits, f"{seed}: in place"
    donated = [p.name for p in parts.launcher.signature.written if p.direction == "inout"]
    for name, value in zip([p.name for p in parts.launcher.signature.written], in_place, strict=False):
        assert name not in donated or value is arguments[name] or np.shares_memory(
            value, arguments[name]), f"{seed}: `{name}` was not updated in place"


def _merge(left: Any, right: Any, cut: int) -> Any:
    """Instances below the cut from one run, the others from the other; each owns one element."""
    if np.ndim(left) == 0:
        return left if cut else right
    flat = np.concatenate([np.ravel(left)[:cut], np.ravel(right)[cut:]])
    return flat.reshape(np.shape(left))
