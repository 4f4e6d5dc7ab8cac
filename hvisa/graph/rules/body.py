"""The pass over leaves and functions: one walk forward that feeds every rule about instructions.

`Body` holds what the rules share; `control` and `memory` have a handler for each row that needs
one. Most rows need none: their results vary as their operands do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hvisa.graph.facts import CONSTANT, EXACT, INEXACT, VARYING, DefinitionFacts, Facts
from hvisa.graph.model import Definition, DimValue, Instr, Module, Region, Value
from hvisa.graph.rules import control, memory
from hvisa.graph.rules.attributes import has_licence
from hvisa.graph.rules.control import Frame
from hvisa.graph.rules.report import Report
from hvisa.graph.rules.structure import Expressions
from hvisa.spec.definitions import InstrDef

Handler = Callable[["Body", Instr], None]


class Body:
    """The state of the pass over one definition."""

    def __init__(self, report: Report, module: Module, facts: Facts, definition: Definition,
                 expressions: Expressions, base: int, varying: frozenset[str],
                 observed: frozenset[str]):
        self.report = report
        self.module = module
        self.facts = facts
        self.mine: DefinitionFacts = facts[definition.name]
        self.definition = definition
        self.expressions = expressions
        self.base = base  # class of ports and symbols
        self.uniformity: dict[Value, int] = self.mine.uniformity
        self.frames: list[Frame] = []
        self.control = CONSTANT
        self.loops = 0
        self.branches = 0  # open regions other than those of `for`
        self.reduces = 0
        self.condition_frame: Frame | None = None  # innermost `while` whose first region is open
        self.effect = EXACT
        self.cause: Instr | None = None
        self.effect_note = ""
        self.externs: set[str] = set()
        self.local_bytes = self.callee_bytes = 0
        self.defined: dict[Value, Instr] = {}  # where index arithmetic looks for definitions
        self.counters: dict[Value, Instr] = {}
        self.in_loop: set[Value] = set()
        self.places = memory.places(definition, observed)
        self._classes(varying)

    def _classes(self, varying: frozenset[str]) -> None:
        """Classes of ports, symbols and ids. A function's ports are taken to vary."""
        definition, classes = self.definition, self.uniformity
        function = definition.kind == "func"
        for value in definition.symbols.values():
            classes[value] = VARYING if function else self.base
        for port in definition.ports:
            vary = function or port.name in varying
            classes[port.value] = VARYING if vary else self.base
        single = all(e.constant == 1 for e in definition.grid)
        for value in definition.ids:
            classes[value] = CONSTANT if single else VARYING

    def run(self) -> None:
        """Walk the body; leave facts and messages."""
        region = self.definition.body
        assert region is not None
        self.report.span = self.definition.span
        if has_licence(self.definition.attributes):
            self.raise_effect(INEXACT, None, "it has a licence")
        stack: list[Iterator[Instr]] = [iter(region.body)]
        find, frames, plain_ = HANDLERS.get, self.frames, plain
        while stack:
            for instr in stack[-1]:
                find(instr.row, plain_)(self, instr)
                if instr.fast or instr.attributes:
                    self._licensed(instr)
                if instr.regions:
                    stack.append(iter(self._open(instr).body))
                    break
            else:
                stack.pop()
                if frames and (following := self._close()) is not None:
                    stack.append(iter(following.body))
        self._finish()

    def _open(self, instr: Instr) -> Region:
        frame = self.frames[-1]  # made by the handler
        assert frame.instr is instr
        return instr.regions[0]

    def _close(self) -> Region | None:
        frame = self.frames[-1]
        instr = frame.instr
        if frame.number + 1 < len(instr.regions):
            frame.number += 1
            control.second_region(self, frame)
            return instr.regions[frame.number]
        self.frames.pop()
        control.leave(self, frame)
        return None

    def _finish(self) -> None:
        mine = self.mine
        mine.externs = frozenset(self.externs)
        mine.local_bytes = self.local_bytes + self.callee_bytes
        mine.effect = max(self.effect, self.definition.effect)
        self.report.span = self.definition.span
        self.report.limit("local_bytes", mine.local_bytes)
        memory.finish(self)

    def _licensed(self, instr: Instr) -> None:
        if instr.fast:
            self.raise_effect(INEXACT, instr, "it has a `fast` flag")
        elif has_licence(instr.attributes):
            self.raise_effect(INEXACT, instr, "it has a licence")

    # -- for handlers ------------------------------------------------------------------------------

    def operand_class(self, instr: Instr, position: int) -> int:
        """How one operand varies."""
        operand = instr.operands[position]
        if type(operand) is Value:
            return self.uniformity[operand]
        if type(operand) is DimValue:
            return max(map(self.uniformity.__getitem__, self.expressions[instr, position]),
                       default=CONSTANT)
        return CONSTANT

    def join(self, instr: Instr, start: int = 0, stop: int | None = None) -> int:
        """How the operands from `start` on vary together."""
        classes = self.uniformity
        found = CONSTANT
        for position, operand in enumerate(instr.operands[start:stop], start):
            if type(operand) is Value:
                mine = classes[operand]
            elif type(operand) is DimValue:
                mine = self.operand_class(instr, position)
            else:
                continue
            if mine > found:
                found = mine
        return found

    def give(self, instr: Instr, class_: int) -> None:
        """Set the class of every result."""
        for value in instr.results:
            self.uniformity[value] = class_
            self.defined[value] = instr
            if self.loops:
                self.in_loop.add(value)

    def raise_effect(self, effect: int, instr: Instr | None, note: str) -> None:
        if effect > self.effect:
            self.effect = effect
            self.cause = instr
            self.effect_note = note


def plain(body: Body, instr: Instr) -> None:
    """Results vary as the operands do."""
    classes = body.uniformity
    found = CONSTANT
    for position, operand in enumerate(instr.operands):
        if type(operand) is Value:
            mine = classes[operand]
            if mine > found:
                found = mine
        elif type(operand) is DimValue:
            found = max(found, body.operand_class(instr, position))
    for value in instr.results:
        classes[value] = found
        body.defined[value] = instr
        if body.loops:
            body.in_loop.add(value)


HANDLERS: dict[InstrDef, Handler] = {**control.HANDLERS, **memory.HANDLERS}
