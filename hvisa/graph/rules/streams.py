"""Streams: who may take them, and how many items flow where (semantics 8).

Every stream has a rate: items for each round of the graph, in which a stream port takes or gives
the count written on it. A node that takes `consume` items of one stream and gives `produce` of
another ties their rates. Paths that meet must agree; a delay changes no rate.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hvisa.graph.model import Definition, Instr, Value
from hvisa.graph.rules import nodes
from hvisa.spec.table import ROWS
from hvisa.spec.types import StreamType

if TYPE_CHECKING:
    from hvisa.graph.rules.graphs import Graph

_NODE, _DELAY, _YIELD = ROWS["node"], ROWS["delay"], ROWS["yield"]
_MAX_RATE = 1 << 62
_ROUND = "one round"


class Streams:
    """Rates as a union-find with ratios: `parent[x] = (y, r)` says rate(x) = r * rate(y)."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.parent: dict[object, tuple[object, Fraction]] = {}
        self.delays: list[Instr] = []
        self.present = False
        for port in graph.definition.ports:
            if isinstance(port.type, StreamType) and port.taken:
                self.present = True
                self.parent[port.value] = _ROUND, Fraction(port.count)

    def _find(self, key: object) -> tuple[object, Fraction]:
        """The representative, and the rate relative to it. Paths are halved, so they stay short."""
        ratio = Fraction(1)
        while key in self.parent:
            above, factor = self.parent[key]
            if above in self.parent:
                higher, more = self.parent[above]
                above, factor = higher, factor * more
                self.parent[key] = above, factor
            ratio *= factor
            key = above
        return key, ratio

    def _tie(self, instr: Instr, first: object, second: object, ratio: Fraction) -> None:
        """State rate(first) = ratio * rate(second)."""
        a, ra = self._find(first)
        b, rb = self._find(second)
        wanted = ratio * rb / ra
        if max(wanted.numerator, wanted.denominator) > _MAX_RATE:
            self.graph.report.at("HV0511", "the item counts of this graph grow without "
                                           "bound", instr,
                                 help="use smaller counts")
        elif a != b:
            self.parent[a] = b, wanted
        elif wanted != 1:
            shown = f"{wanted.numerator} to {wanted.denominator}"
            self.graph.report.at("HV0511", "streams that meet here have unequal counts", instr,
                                 note=f"they differ by {shown}",
                                 help="state how many items a firing takes and gives: `%s by 4`, "
                                 "`-> (_ by 4)`, and on ports `%s: stream<f32> by 4`")

    # -- uses --------------------------------------------------------------------------------------

    def used(self, instr: Instr, position: int, operand: Value) -> None:
        """A stream is taken by nodes, delays and the graph's own yield, outside loops and
        branches."""
        allowed = instr.row in (_NODE, _YIELD) or (instr.row is _DELAY and position == 1)
        if not allowed or self.graph.frames:
            self.graph.report.at("HV0510", f"`{instr.row.mnemonic}` can't take the stream "
                                 f"`%{operand.name}` here", instr, position,
                                 note="only nodes and `delay` do, outside loops and branches",
                                 help="pass it to a node, which runs once for each item")

    def node(self, instr: Instr, callee: Definition) -> None:
        found = [n for n, o in enumerate(instr.operands) if isinstance(o.type, StreamType)]
        if not found:
            if any(isinstance(v.type, StreamType) for v in instr.results):
                for value in instr.results:
                    if isinstance(value.type, StreamType):
                        self._tie(instr, value, instr, Fraction(1))
            return
        self.present = True
        lifted = nodes.lifted(instr, callee)
        taken, detail = callee.taken, instr.detail
        if lifted and any(isinstance(taken[n].type, StreamType) for n in found):
            self.graph.report.at("HV0510", f"`@{callee.name}` takes some streams item by item and "
                                           "others "
                                 "whole", instr, help="use two nodes")
            return
        for position in found:
            count = detail.arguments[position].consume * taken[position].count
            self._tie(instr, instr.operands[position], instr, Fraction(count))
        written = callee.written
        for number, value in enumerate(instr.results):
            if isinstance(value.type, StreamType):
                count = written[number].count if number < len(written) else 1
                self._tie(instr, value, instr, Fraction(detail.outputs[number].produce * count))

    def delay(self, instr: Instr) -> None:
        self.present = True
        self.delays.append(instr)
        if self.graph.frames:
            self.graph.report.at("HV0510", "`delay` stands outside loops and branches", instr,
                                 help="move it to the top of the graph")

    def yielded(self, instr: Instr) -> None:
        ports = self.graph.definition.written
        for number, operand in enumerate(instr.operands):
            if isinstance(operand.type, StreamType) and self.present:
                count = ports[number].count if number < len(ports) else 1
                self._tie(instr, operand, _ROUND, Fraction(count))

    def finish(self) -> None:
        """Tie each delay to what follows it; both have the same items."""
        for instr in self.delays:
            result, following = instr.results[0], instr.operands[1]
            if result.type is not following.type:
                self.graph.report.at("HV0505", "`delay` and what follows carry different "
                                               "items", instr,
                                     note=f"the item is {result.type}, `next` is {following.type}",
                                     help="start from a value of the same type")
            else:
                self._tie(instr, result, following, Fraction(1))
