"""Who uses whom: no recursion, bounded depth, an order with callees first, sizes when written out.

Works on names alone, without recursion of its own. Definitions may be shared, so everything is
counted once for each definition (semantics 28).
"""

from __future__ import annotations

from itertools import pairwise

from hvisa.graph.facts import SATURATED, Facts
from hvisa.graph.model import Definition, Instr, Module, instructions
from hvisa.graph.rules.report import Report, label
from hvisa.spec.limits import LIMITS
from hvisa.spec.table import ROWS

_CALLS = (ROWS["call"], ROWS["node"])


class Uses:
    """The uses in one definition: the first one of each callee, and how many there are."""

    __slots__ = ("count", "first")

    def __init__(self, definition: Definition):
        self.first: dict[str, Instr] = {}
        self.count: dict[str, int] = {}
        if definition.body is None:
            return
        for instr in instructions(definition.body):
            if instr.row in _CALLS and instr.callee is not None:
                self.first.setdefault(instr.callee, instr)
                self.count[instr.callee] = self.count.get(instr.callee, 0) + 1


def order(report: Report, module: Module, facts: Facts, sane: set[str]) -> None:
    """Fill in callees, order, depth and expanded sizes; report recursion and chains too long.

    Only definitions in `sane` are looked into. With recursion `facts.order` is incomplete.
    """
    uses = {name: Uses(module.definitions[name]) for name in module.definitions if name in sane}
    done: list[str] = []
    state: dict[str, int] = {}  # 1 on the path, 2 done
    for root in module.definitions:
        if root not in state:
            _visit(report, module, uses, root, state, done)
    facts.order = tuple(done)
    for name in done:
        _measure(report, module, facts, uses.get(name), name)


def _visit(report: Report, module: Module, uses: dict[str, Uses], root: str, state: dict[str, int],
           done: list[str]) -> None:
    """Depth first from `root`, with a stack of its own."""
    state[root] = 1
    path = [root]
    stack = [iter(uses[root].first if root in uses else ())]
    while stack:
        callee = next(stack[-1], None)
        if callee is None:
            stack.pop()
            name = path.pop()
            state[name] = 2
            done.append(name)
        elif state.get(callee) == 1:
            _cycle(report, uses, path, callee)
        elif callee in module.definitions and callee not in state:
            state[callee] = 1
            path.append(callee)
            stack.append(iter(uses[callee].first if callee in uses else ()))


def _cycle(report: Report, uses: dict[str, Uses], path: list[str], callee: str) -> None:
    cycle = [*path[path.index(callee):], callee]
    labels = [part for caller, used in pairwise(cycle[1:])
              for part in label(uses[caller].first[used], f"`@{caller}` uses `@{used}`")]
    report.at("HV0110", f"`@{callee}` uses itself: {' -> '.join('@' + n for n in cycle)}",
              uses[cycle[0]].first[cycle[1]], labels=labels[:8],
              help="repeat with `for`, `while` or `loop` instead of recursion")


def _measure(report: Report, module: Module, facts: Facts, uses: Uses | None, name: str) -> None:
    mine = facts[name]
    if uses is None:
        return
    mine.callees = tuple(n for n in uses.first if n in module.definitions)
    known = [facts[n] for n in mine.callees]
    mine.depth = 1 + max((f.depth for f in known), default=0)
    mine.expanded = min(SATURATED, 1 + sum(uses.count[f.name] * f.expanded for f in known))
    if mine.depth == LIMITS["call_depth"].value + 1:  # one message for a chain
        report.limit("call_depth", mine.depth, module.definitions[name].span)
