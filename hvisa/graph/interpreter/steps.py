"""Which maker turns each instruction of leaves and functions into a step."""

from __future__ import annotations

from collections.abc import Callable

from hvisa.graph.interpreter import collectives, control, memory, plain, reduction
from hvisa.graph.interpreter.machine import Machine, Step
from hvisa.graph.model import Instr
from hvisa.spec.definitions import Level
from hvisa.spec.table import ROWS

MAKERS: dict[str, Callable[[Machine, Instr], tuple[Step, bool]]] = {
    **{name: plain.plain for name, row in ROWS.items() if row.semantics is not None},
    **collectives.MAKERS,
    "assert": plain.assertion, "print": plain.printing,
    "load": memory.load, "store": memory.store, "update": memory.update, "atomic": memory.atomic,
    "compare_exchange": memory.exchange, "extent": memory.extent, "set_extent": memory.set_extent,
    "local": memory.local,
    "if": control.branch, "for": control.counted, "while": control.repeated, "call": control.call,
    "reduce": reduction.reduction}

_MISSING = [name for name, row in ROWS.items() if name not in MAKERS and not row.terminator
            and not row.reserved and row.level & Level.BODY and row.level != Level.GRAPH]
assert _MISSING in ([], ["loop"]), _MISSING
