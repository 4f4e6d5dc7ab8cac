"""What each grammar rule does: the model is built as the parser reduces, so no tree is made.

Types are not known here (a callee may stand further down): numbers stay `Literal`, results have the
type ERROR, and `hvisa.graph.inference` completes them. The methods lie in files by what they read,
each class adding its own to the one before.
"""

from __future__ import annotations

from typing import Any

from lark import Token

from hvisa.assembler.parse_state import Carry, Tail, merged_tail
from hvisa.assembler.statement_actions import StatementActions
from hvisa.graph.model import (
    Argument,
    Instr,
    Literal,
    NodeDetail,
    Output,
    Region,
    Value,
)
from hvisa.spec import operations, types as ty
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType, Type


class Actions(StatementActions):
    """One method for each rule or alias of the grammar; each takes the list of children."""

    # -- constructs with regions ---------------------------------------------------------------

    def step(self, c: list[Any]) -> tuple[str, Any]:
        return "step", c[0]

    init = step

    def carry(self, c: list[Any]) -> Carry:
        uniform = operations.UNIFORMITY.index("varying")
        if c[0].type == "UNIFORM":
            uniform = operations.UNIFORMITY.index("parent" if c[0] == "uniform" else "launch")
            c = c[1:]
        return Carry(c[0], c[1] if len(c) == 3 else None, c[-1], uniform)

    def carries(self, c: list[Any]) -> list[Carry]:
        return c

    def _begin(self, name: Token, instr: Instr, leading: list[Token], carries: list[Carry],
               holds: bool = False) -> Instr:
        """Inits, then the parameters of the region that opens next."""
        for carry in carries:
            init = self.operand(carry.init)
            if isinstance(init, Literal) and isinstance(carry.type, ScalarType):
                init.type = carry.type
            instr.operands.append(init)
        names: list[str] = []
        parameters = [self.declare(token, ty.ERROR, names) for token in leading]
        parameters += [self.declare(c.token, c.type or ty.ERROR, names) for c in carries]
        instr.uniform = tuple(c.uniform for c in carries)
        self.state.pending = (parameters, names, holds)
        return instr

    def for_head(self, c: list[Any]) -> Instr:
        name, counter, low, high, *rest = c
        token, type_ = counter if type(counter) is tuple else (counter, ty.ERROR)
        instr = Instr(ROWS["for"], [], [], self.span(name))
        step = next((p[1] for p in rest if type(p) is tuple), None)
        carries = next((p for p in rest if type(p) is list), [])
        instr.operands = [self.operand(low), self.operand(high),
                          Literal("1") if step is None else self.operand(step)]
        self._begin(name, instr, [token], carries)
        self.state.pending[0][0].type = type_
        return instr

    def while_head(self, c: list[Any]) -> Instr:
        return self._begin(c[0], Instr(ROWS["while"], [], [], self.span(c[0])), [], c[1:], True)

    def loop_head(self, c: list[Any]) -> Instr:
        name, *carries, until = c
        instr = Instr(ROWS["loop"], [], [], self.span(name))
        position = next((n for n, carry in enumerate(carries) if carry.token == until), None)
        if position is None:
            self.error("HV0402", f"`until {until}` names no carried value", until,
                       help="carry the condition: `loop (..., %done = false) until %done`")
            position = 0
        instr.immediates = (position,)
        return self._begin(name, instr, [], carries)

    def range(self, c: list[Any]) -> list[Any]:
        return c

    def reduce_head(self, c: list[Any]) -> Instr:
        name = c[0]
        instr = Instr(ROWS["reduce"], [], [], self.span(name))
        self._suffixes(instr, [p for p in c[1:] if type(p) is Token])
        instr.type_argument = next(p for p in c if isinstance(p, Type))
        ranges = [p for p in c if type(p) is list]
        for _, low, high in ranges:
            instr.operands += [self.operand(low), self.operand(high)]
        instr.operands += [self.operand(p[1]) for p in c if type(p) is tuple]
        return self._begin(name, instr, [r[0] for r in ranges], [])

    def _finish(self, c: list[Any]) -> Instr:
        instr = c[0]
        instr.attributes = merged_tail(c).attributes
        instr.regions = tuple(p for p in c if type(p) is Region)
        return instr

    for_op = loop_op = reduce_op = _finish

    def while_op(self, c: list[Any]) -> Instr:
        self._forget(self.state.held.pop())
        return self._finish(c)

    def if_op(self, c: list[Any]) -> Instr:
        instr = Instr(ROWS["if"], [self.operand(c[1])], [], self.span(c[0]))
        instr.attributes = merged_tail(c).attributes
        regions = [p for p in c if type(p) is Region]
        if len(regions) == 1:
            regions.append(Region([], [Instr(ROWS["yield"], [], [], instr.span)]))
        instr.regions = tuple(regions)
        return instr

    # -- graph constructs ----------------------------------------------------------------------

    def node_argument(self, c: list[Any]) -> tuple[Any, Argument]:
        argument = Argument()
        if type(c[0]) is Token and c[0].type == "ONE":
            argument.edge = operations.EDGE_KINDS.index("one")
            c = c[1:]
        if len(c) == 2:
            argument.consume = max(1, self._count(c[1]))
        part = c[0]
        if type(part) is tuple and type(part[0]) is Token:
            argument.box = self._box(part[1])
            part = part[0]
        return part, argument

    def output_plain(self, c: list[Any]) -> Output:
        return Output(produce=max(1, self._count(c[1])) if len(c) > 1 else 1)

    def output_box(self, c: list[Any]) -> Output:
        return Output(whole=c[0], box=self._box(c[1]))

    def output_collect(self, c: list[Any]) -> Output:
        return Output(form=operations.OUTPUT_FORMS.index("collect"))

    def output_reduce(self, c: list[Any]) -> Output:
        word = c[1][1:]
        if word not in operations.REDUCTIONS or word.startswith("arg"):
            self.error("HV0105", f"`{word}` does not join the results of a grid", c[1],
                       help=f"operators are {' '.join(operations.REDUCTIONS)}")
            word = "add"
        return Output(form=operations.OUTPUT_FORMS.index("reduce"),
                      operator=operations.REDUCTIONS.index(word))

    def outputs(self, c: list[Any]) -> tuple[str, list[Output]]:
        return "outputs", c

    def node_op(self, c: list[Any]) -> Instr:
        name, callee, *rest = c
        state = self.state
        state.nodes += 1
        self.limit("nodes", state.nodes, name)
        instr = Instr(ROWS["node"], [], [], self.span(name))
        instr.callee = callee[1:]
        parts = [p for p in rest if type(p) is tuple]
        axes = next((p[1] for p in parts if p[0] == "grid"), [])
        outputs = next((p[1] for p in parts if p[0] == "outputs"), [])
        names: list[str] = []
        ids = [self.declare(token, ty.INDEX, names) for token, _ in axes]
        tail = merged_tail(rest)
        detail = NodeDetail(tuple(e for _, e in axes), ids, [], outputs, max(tail.effect, 0))
        for part, argument in (p for p in parts if isinstance(p[1], Argument)):
            if type(part) is tuple:
                self.error("HV0106", "a node takes values, views and numbers", name)
                continue
            instr.operands.append(self.operand(part))
            detail.arguments.append(argument)
        state.edges += len(instr.operands)
        self.limit("edges", state.edges, name)
        self._forget(names)
        instr.detail = detail
        instr.attributes = tail.attributes
        return instr

    def split_op(self, c: list[Any]) -> Instr:
        name, value, axis, *points = c
        instr = Instr(ROWS["split"], [self.operand(value)], [], self.span(name))
        instr.immediates = (self._count(axis),)
        instr.detail = tuple(self.dim(p) for p in points if type(p) is not Tail)
        instr.attributes = merged_tail(points).attributes
        return instr

    def match_op(self, c: list[Any]) -> Instr:
        name, left, right, *tails = c
        instr = Instr(ROWS["match"], [], [], self.span(name))
        instr.attributes = merged_tail(tails).attributes
        instr.detail = (self.dim(left), self.dim(right))
        symbol = instr.detail[0].symbol
        if symbol is not None and symbol not in self.state.scope and type(left) is Token:
            # A new symbol: the match defines it.
            instr.results.append(self.declare(left, ty.INDEX, self.state.frames[-1].names))
        return instr

    def delay_op(self, c: list[Any]) -> Instr:
        name, init, following, *tails = c
        placeholder = Value(following[1:], ty.ERROR)
        instr = Instr(ROWS["delay"], [self.operand(init), placeholder], [], self.span(name))
        instr.attributes = merged_tail(tails).attributes
        self.state.forward.append((instr, 1, following, len(self.state.frames)))
        return instr
