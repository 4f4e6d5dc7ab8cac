"""How much a body computes: for the size of chunks, and for where a running launch has to be polled."""

from __future__ import annotations

from collections.abc import Sequence

from hvisa.graph.model import Constant, Definition, Function, Instr, Module
from hvisa.spec.definitions import Effect, Form
from hvisa.spec.literals import integer_value

LOOP_ROUNDS = 16  # assumed of a loop whose bounds are not known
ENDLESS = 1 << 62
BETWEEN_POLLS = 1 << 24  # instructions, some milliseconds
FIRST_BUDGET = 1 << 16  # instructions until a function polls for the first time
PRINTING = 1 << 14  # a line for debugging: a call of the host
SHORT = 1 << 12  # instructions of a round that is not polled by itself


class Work:
    """Counts of instructions, of the functions of a module once each."""

    def __init__(self, module: Module):
        self.module = module
        self._known: dict[tuple[str, int], int] = {}

    def likely(self, definition: Definition) -> int:
        """A rough count of one instance."""
        assert definition.body is not None
        return max(1, self._count(definition.body.body, LOOP_ROUNDS))

    def most(self, body: Sequence[Instr]) -> int:
        """More than these instructions and all in them are never run; ENDLESS if nobody knows."""
        return self._count(body, ENDLESS)

    def _count(self, body: Sequence[Instr], unknown: int) -> int:
        total, stack = 0, [(i, 1) for i in body]
        while stack and total < ENDLESS:
            instr, weight = stack.pop()
            total += weight * (self._function(instr.callee, unknown) if instr.callee is not None else
                               PRINTING if instr.row.effect is Effect.PRINT else 1)
            inner = min(weight * _rounds(instr, unknown), ENDLESS)
            stack += [(i, inner) for region in instr.regions for i in region.body]
        return min(total, ENDLESS)

    def _function(self, name: str, unknown: int) -> int:
        """Of a function; as deep as calls may be nested."""
        found = self._known.get((name, unknown))
        if found is None:
            definition = self.module.definitions[name]
            found = unknown if not isinstance(definition, Function) or definition.body is None else \
                1 + self._count(definition.body.body, unknown)
            self._known[name, unknown] = found
        return found


def _rounds(instr: Instr, unknown: int) -> int:
    """Of a loop; 1 of anything else that has regions."""
    form, rounds = instr.row.form, 1
    if form is Form.WHILE:
        return unknown
    count = 1 if form is Form.FOR else len(instr.operands) // 2 if form is Form.REDUCE else 0
    for low, high in zip(instr.operands[0:2 * count:2], instr.operands[1:2 * count:2], strict=True):
        if not (isinstance(low, Constant) and isinstance(high, Constant)):
            return unknown
        rounds *= max(0, integer_value(high.bits, high.type) - integer_value(low.bits, low.type))
    return rounds
