"""Actions of regions and plain statements."""

from __future__ import annotations

import difflib
from typing import Any, cast

from lark import Token

from hvisa.assembler.header_actions import HeaderActions
from hvisa.assembler.parse_state import Access, Frame, Skip, Tail
from hvisa.diagnostics import HvisaError
from hvisa.graph import model
from hvisa.graph.model import (
    DimValue,
    Instr,
    Literal,
    Region,
)
from hvisa.spec import dimensions as dims, operations, types as ty
from hvisa.spec.definitions import Form, ImmediateKind, InstrDef
from hvisa.spec.dimensions import Dim
from hvisa.spec.limits import LIMITS
from hvisa.spec.table import ROWS
from hvisa.spec.types import Type


class StatementActions(HeaderActions):
    """Actions of regions and plain statements."""

    # -- regions and statements ----------------------------------------------------------------

    def open(self, c: list[Any]) -> None:
        state = self.state
        parameters, names, holds = state.pending
        state.pending = ([], [], False)
        if len(state.frames) >= LIMITS["nesting"].value:
            raise HvisaError(LIMITS["nesting"].diagnostic(
                len(state.frames) + 1, state.definition.span if state.definition else None))
        region = Region(parameters)
        region.start_line = c[0].line or 0
        state.frames.append(Frame(region, names, holds))

    def block(self, c: list[Any]) -> Region:
        state = self.state
        frame = state.frames.pop()
        frame.region.end_line = c[-1].line or 0
        depth = len(state.frames)
        body = frame.region.body
        if not frame.holds and not (body and body[-1].row.terminator):
            # The text leaves out a yield of nothing; in the model each region ends in a terminator.
            span = body[-1].span if body else state.definition.span if state.definition else None
            body.append(Instr(ROWS["yield"], [], [], span))
        while state.forward and state.forward[-1][3] == depth + 1:
            instr, position, token, _ = state.forward.pop()
            instr.operands[position] = self.lookup(token)
        if frame.holds:
            state.held.append(frame.names)
            return frame.region
        self._forget(frame.names)
        body = frame.region.body
        if not body or not body[-1].row.terminator:  # an empty `yield` may be left out
            last = body[-1].span if body else None
            body.append(Instr(ROWS["yield"], [], [], last or (
                state.definition.span if state.definition else None)))
        return frame.region

    def _forget(self, names: list[str]) -> None:
        for name in names:
            self.state.scope.pop(name, None)

    def typed_target(self, c: list[Any]) -> tuple[Token, Type]:
        return c[0], c[1]

    def targets(self, c: list[Any]) -> list[Any]:
        return c

    def statement(self, c: list[Any]) -> None:
        state = self.state
        instr = c[-1]
        frame = state.frames[-1]
        frame.region.body.append(instr)
        state.count += 1
        if len(c) == 1:
            return
        for part in c[0]:
            token, type_ = part if type(part) is tuple else (part, ty.ERROR)
            instr.results.append(self.declare(token, type_, frame.names, self._again_help(
                instr, token)))
        first = c[0][0]
        token = first[0] if type(first) is tuple else first
        instr.span = self.span(token)

    def _again_help(self, instr: Instr, token: Token) -> str:
        """What to do instead of defining a name again."""
        known = self.state.scope.get(token[1:])
        if known is None or not any(o is known for o in instr.operands):
            return "give one of them another name"
        if len(self.state.frames) > 1:
            return (f"a value never changes; a loop carries it: `for ... carry ({token} = ...)`, with "
                    "the next one in `yield`")
        return "a value never changes: give the new one another name"

    def _row(self, name: Token, form: Form | None = None) -> InstrDef:
        row = ROWS.get(name)
        if row is None or row.reserved:
            close = difflib.get_close_matches(name, [r for r in ROWS if not ROWS[r].reserved], 1)
            why = "is reserved for a later version" if row else "is no instruction"
            self.error("HV0104", f"`{name}` {why}", name,
                       help=f"did you mean `{close[0]}`?" if close else "see docs/spec/instructions.md")
            raise Skip
        return row

    def _suffixes(self, instr: Instr, suffixes: list[Token]) -> None:
        """`.zero`, `.add`, `.fast(...)`: choices in the row's order, then fast flags."""
        row = instr.row
        values: list[Any] = [i.default for i in row.immediates]
        choices = [n for n, i in enumerate(row.immediates) if i.kind is ImmediateKind.CHOICE]
        for suffix in suffixes:
            word, _, inside = suffix[1:].partition("(")
            if word == "fast" and row.fast:
                instr.fast = self._fast_mask(suffix, inside)
                continue
            slot = next((n for n in choices if word in row.immediates[n].choices), None)
            if slot is None:
                allowed = [w for n in choices for w in row.immediates[n].choices]
                allowed += ["fast"] if row.fast else []
                self.error("HV0105", f"`{row.mnemonic}` has no form `.{word}`", suffix,
                           help=f"forms are .{' .'.join(allowed)}" if allowed else
                           f"write `{row.mnemonic}` alone")
                continue
            values[slot] = row.immediates[slot].choices.index(word)
            choices.remove(slot)
        missing = [row.immediates[n] for n in choices if row.immediates[n].name == "operator"]
        if missing:
            token = suffixes[0] if suffixes else instr.span
            self.error("HV0105", f"`{row.mnemonic}` needs an operator", cast(Any, token),
                       help=f"for example `{row.mnemonic}.{missing[0].choices[0]}`")
        instr.immediates = tuple(values)

    def _fast_mask(self, token: Token, inside: str) -> int:
        if not inside:
            return operations.ALL_FAST
        mask = 0
        for word in inside.rstrip(")").replace(",", " ").split():
            if word not in operations.FAST_FLAGS:
                self.error("HV0105", f"`{word}` is no fast flag", token,
                           help=f"flags are {' '.join(operations.FAST_FLAGS)}")
            else:
                mask |= 1 << operations.FAST_FLAGS.index(word)
        return mask

    def access(self, c: list[Any]) -> Access:
        return c[0], c[1]

    def box(self, c: list[Any]) -> list[Any]:
        return c

    def box_range(self, c: list[Any]) -> tuple[Any, Any]:
        return c[0], c[1]

    def call_argument(self, c: list[Any]) -> tuple[str, Token, list[Any]]:
        return "call", c[0], c[1:]

    def text_argument(self, c: list[Any]) -> tuple[str, str]:
        return "text", self._string(c[0])

    def ints_argument(self, c: list[Any]) -> tuple[str, tuple[int, ...]]:
        return "ints", tuple(self._count(t) for t in c)

    def plain(self, c: list[Any]) -> Instr:
        name = c[0]
        span = self.span(name)
        try:
            row = self._row(name)
        except Skip:
            return Instr(ROWS["yield"], [], [], span)
        instr = Instr(row, [], [], span)
        at = 1
        while at < len(c) and type(c[at]) is Token and c[at].type == "SUFFIX":
            at += 1
        if at > 1 or row.immediates:
            self._suffixes(instr, c[1:at])
        if at < len(c) and isinstance(c[at], Type):
            instr.type_argument = c[at]
            at += 1
        for part in c[at:]:
            self._add_part(instr, part, name)
        self._check_plain(instr, name)
        return instr

    def _check_plain(self, instr: Instr, name: Token) -> None:
        row = instr.row
        if row.form is Form.CALL and instr.callee is None:
            self.error("HV0106", "`call` needs a function", name,
                       help="for example `%y = call @gelu(%x)`")
            instr.callee = ""
        elif row.form is Form.BOX and instr.detail is None:
            self.error("HV0106", f"`{row.mnemonic}` needs a box", name,
                       help=f"for example `{row.mnemonic} %x[0 :+ 8]`")
            instr.detail = ()
        elif row.form not in (Form.PLAIN, Form.ACCESS, Form.CALL, Form.BOX, Form.BUFFER):
            self.error("HV0106", f"`{row.mnemonic}` is not written like this", name)
        filled = sum(i.kind is not ImmediateKind.CHOICE for i in row.immediates)
        if filled and row.form is Form.PLAIN:
            self._take_ints(instr, name)

    def _take_ints(self, instr: Instr, name: Token) -> None:
        """Integer immediates are written as the last operands."""
        slots = [n for n, i in enumerate(instr.row.immediates) if i.kind is ImmediateKind.INT]
        values = list(instr.immediates)
        for slot in reversed(slots):
            last = instr.operands[-1] if instr.operands else None
            if not isinstance(last, Literal) or not last.text.isdigit():
                what = instr.row.immediates[slot].name
                self.error("HV0106", f"`{instr.row.mnemonic}` ends with the number of the {what}", name)
                return
            values[slot] = min(int(last.text), (1 << 31) - 1)
            instr.operands.pop()
        instr.immediates = tuple(values)

    def _add_part(self, instr: Instr, part: Any, name: Token) -> None:
        if type(part) is Tail:
            instr.attributes += part.attributes
        elif type(part) is not tuple:
            instr.operands.append(self.operand(part))
        elif part[0] == "call":
            if instr.row.form is not Form.CALL:
                self.error("HV0106", f"`{instr.row.mnemonic}` does not call a function", name)
                return
            instr.callee = part[1][1:]
            instr.operands += [self.operand(p) for p in part[2]]
        elif part[0] in ("text", "ints"):
            kind = ImmediateKind.TEXT if part[0] == "text" else ImmediateKind.INTS
            slot = next((n for n, i in enumerate(instr.row.immediates) if i.kind is kind), None)
            if slot is None:
                self.error("HV0106", f"`{instr.row.mnemonic}` takes no {part[0]} here", name)
                return
            values = list(instr.immediates)
            values[slot] = part[1]
            instr.immediates = tuple(values)
        elif instr.row.form is Form.BOX:
            instr.operands.append(self.operand(part[0]))
            instr.detail = self._box(part[1])
        elif instr.row.form is Form.ACCESS:
            names = [o.name for o in instr.row.signature.operands]
            before = names[:names.index("buffer")]
            if len(instr.operands) != len(before):
                self.error("HV0106", f"the operands of `{instr.row.mnemonic}` are in another order",
                           part[0], help=f"the order is `{instr.row.mnemonic} "
                           f"{', '.join([*before, f'{part[0]}[...]'])}`")
            instr.operands.append(self.operand(part[0]))
            self._indices(instr, part[1], name)
        else:
            self.error("HV0106", f"`{instr.row.mnemonic}` takes values, not elements of a buffer",
                       part[0], help=f"load it first: `%e = load {part[0]}[...]`")

    def _indices(self, instr: Instr, parts: list[Any], name: Token) -> None:
        """Indices of an access: a value or constant, and an added constant displacement."""
        offsets: list[int] = []
        for part in parts:
            offset = 0
            if type(part) is tuple:
                self.error("HV0106", "an index is one position, not a range", name)
                part = part[0]
            if isinstance(part, Dim) and part.constant is None:
                rest = part - part.offset()
                if rest.symbol is not None:
                    offset = part.offset()
                    instr.operands.append(self.state.scope.get(rest.symbol)
                                          or self.lookup(Token.new_borrow_pos(
                                              "VALUE", f"%{rest.symbol}", name)))
                else:
                    instr.operands.append(DimValue(part))
            else:
                instr.operands.append(self.operand(part))
            if abs(offset) > LIMITS["displacement"].value:
                self.error("HV0003", f"the displacement {offset} is beyond 2^31", name)
                offset = 0
            offsets.append(offset)
        if any(offsets):
            instr.offsets = tuple(offsets)

    def _box(self, parts: list[Any]) -> model.Box:
        return tuple((self.dim(p[0]), self.dim(p[1])) if type(p) is tuple
                     else (self.dim(p), dims.constant(1)) for p in parts)
