"""Instructions whose meaning stands in their row, and `assert` and `print`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hvisa.graph.interpreter import values
from hvisa.graph.interpreter.lanes import Frame
from hvisa.graph.interpreter.machine import Machine, Step
from hvisa.graph.interpreter.values import Array
from hvisa.graph.model import Instr
from hvisa.spec import numerics, types as ty
from hvisa.spec.literals import format_literal
from hvisa.spec.types import Type, VectorType

# Rows that compute bf16 in f32 and leave the one rounding to us; the other rows of arithmetic are
# exact, or round for themselves.
ROUNDED = frozenset({"add", "sub", "mul", "div", "sqrt"})

_TRAPS: dict[str, tuple[str, str]] = {
    "HV0901": ("division by zero",
               "keep the divisor away from zero: `%d = select %is_zero, 1, %d0`")}


def options(instr: Instr) -> dict[str, Any]:
    """The keyword arguments that the row's semantics take besides operands and immediates."""
    row = instr.row
    first = instr.operands[0].type if instr.operands else ty.ERROR
    if row.typed:
        return {"element": ty.element_of(first)}
    if row.type_argument != "needed":
        return {}
    target: Type | None = instr.type_argument
    if row.mnemonic != "splat" and isinstance(target, VectorType):
        target = target.element
    return {"source": ty.element_of(first), "target": target}


def plain(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    """The step of an instruction that has semantics in its row."""
    row, results = instr.row, instr.results
    semantics = row.semantics
    assert semantics is not None, row
    getters = [machine.getter(o) for o in instr.operands]
    immediates, keywords = instr.immediates, options(instr)
    rounds = row.mnemonic in ROUNDED and ty.element_of(results[0].type) is ty.BF16
    tests = list(row.traps.items())

    def step(frame: Frame) -> None:
        operands = [get(frame) for get in getters]
        for code, test in tests:
            assert test is not None
            bad = test(*operands)
            if bad.any():
                what, help = _TRAPS[code]
                frame.lanes.trap(bad, code, instr, what, help)
        found = semantics(*operands, *immediates, **keywords)
        if rounds:
            found = numerics.round_bf16(found)
        if len(results) == 1:
            frame.values[results[0]] = found
        else:
            frame.values.update(zip(results, found, strict=True))
    return step, False


def assertion(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    get = machine.getter(instr.operands[0])
    message = instr.immediates[0] or "an assertion failed"

    def step(frame: Frame) -> None:
        holds = get(frame)
        if not holds.all():
            frame.lanes.trap(~holds, "HV0903", instr, f"assertion failed: {message}",
                             "`hvisa run --diagnose` shows the values of this instance")
    return step, False


def bits_of(value: Array, type_: Type) -> int:
    """The pattern of one number, given as an array of one element."""
    element = values.element_type(type_)
    stored = np.ascontiguousarray(values.to_storage(value, element))
    return int(stored.reshape(1).view(f"uint{element.size_bytes * 8}")[0])


def show(value: Any, type_: Type, lane: int) -> str:
    """One lane of a value as text, every bit included; a buffer as its type."""
    if not isinstance(value, np.ndarray):
        return str(type_)
    row = value[min(lane, len(value) - 1)]
    element = values.element_type(type_)
    if row.ndim == 0:
        return format_literal(bits_of(row, type_), element)
    return "[" + ", ".join(format_literal(bits_of(x, type_), element) for x in row) + "]"


def formatted(template: str, texts: list[str]) -> str:
    """The template with each `{}` replaced by the next text; texts left over follow."""
    parts = template.split("{}")
    out = parts[0]
    for number, part in enumerate(parts[1:]):
        out += (texts[number] if number < len(texts) else "{}") + part
    return " ".join([out, *texts[len(parts) - 1:]])


def printing(machine: Machine, instr: Instr) -> tuple[Step, bool]:
    getters = [machine.getter(o) for o in instr.operands]
    types = [o.type for o in instr.operands]
    template: str = instr.immediates[0]
    sink: Callable[[str], None] = machine.options.print_sink

    def step(frame: Frame) -> None:
        operands = [get(frame) for get in getters]
        for lane in np.flatnonzero(frame.lanes.active()):
            sink(formatted(template, [show(o, t, int(lane))
                                      for o, t in zip(operands, types, strict=True)]))
    return step, False
