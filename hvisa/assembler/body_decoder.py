"""Bytes to bodies: the mirror of `body_encoder`, with every number checked.

What forms with parts of their own add is in `forms_decoder`.
"""

from __future__ import annotations

from functools import cache
from typing import NoReturn

from hvisa.assembler.attributes import read_listed
from hvisa.assembler.forms_decoder import FORMS
from hvisa.assembler.layout import (
    GENERIC,
    PLANS,
    SIMPLE,
    Plan,
    parameter_counts,
    terminator,
)
from hvisa.assembler.operand_decoder import read_generic, read_pooled
from hvisa.assembler.reader import Reader
from hvisa.assembler.scope import Scope
from hvisa.assembler.tables_decoder import Tables
from hvisa.graph.model import Attribute, Definition, Instr, Region, Value
from hvisa.spec import operations, types as ty
from hvisa.spec.definitions import Form, InstrDef
from hvisa.spec.limits import LIMITS
from hvisa.spec.table import BY_OPCODE

_ERROR = ty.ERROR

# Row, kind, whether there is a fast mask, its operands, number of results.
Hot = tuple[InstrDef, int, bool, range, int]


@cache
def hot_rows(version: tuple[int, int]) -> dict[int, Hot]:
    """What the loop looks at, by opcode, for the rows of a version of the format."""
    return {p.row.opcode: (p.row, p.kind, p.fast, range(p.fixed), p.results)
            for p in PLANS.values() if p.row.since <= version}


class Frame:
    """A region being read. `segments` are the ranges of values that go out of scope with it."""

    __slots__ = ("extents", "later", "owner", "position", "region", "segments", "start")

    def __init__(self, owner: Instr | None, region: Region, start: int):
        self.owner = owner
        self.position = 0
        self.region = region
        self.start = start
        self.segments: list[tuple[int, int]] = []
        self.extents: list[int] = []  # values that brought the symbol of their extent
        self.later: list[tuple[Instr, int, int]] = []  # delays whose `next` is further down


class BodyDecoder:
    """One definition, whose header's values are in `scope`; `read` gives its body.

    `instrs` has every instruction in order, `starts` the place of each, `attributes` those that the
    body lists. `is_here` tells whether there is a body.
    """

    def __init__(self, tables: Tables, definition: Definition, scope: Scope, is_here: bool):
        self.tables = tables
        self.definition = definition
        self.scope = scope
        self.reader = scope.reader
        self.is_here = is_here
        self.instrs: list[Instr] = []
        self.starts: list[int] = []
        self.attributes: dict[int, tuple[Attribute, ...]] = {}
        self.extent_names_used = 0
        self.nodes = self.edges = 0
        self.frames: list[Frame] = []

    def own_extent(self, number: int, name: str) -> None:
        """Let a dimension refer to the leading extent of a value, until its region ends."""
        self.scope.own_extent(number, name)
        self.frames[-1].extents.append(number)

    # -- the walk ------------------------------------------------------------------------------

    def read(self, reader: Reader) -> Region:
        """The body, whose bytes are those of `reader`."""
        self.reader = self.scope.reader = reader
        start = reader.at
        stated = [reader.count("instructions")]
        reader.limit(LIMITS["instructions"], stated[0])
        if self.definition.kind == "graph":
            for name in ("nodes", "edges"):
                stated.append(reader.count(name))
                reader.limit(LIMITS[name], stated[-1])
        self.attributes = dict(read_listed(reader, self.tables.strings))
        region = Region()
        self.frames = [Frame(None, region, len(self.scope.values))]
        try:
            self._walk(stated[0])
        except IndexError:
            at = self.starts[-1] if self.starts else reader.at
            reader.fail("HV0836", "an operand, or the rest of the instruction, is missing", at)
        found = [len(self.instrs), self.nodes, self.edges][:len(stated)]
        if found != stated:
            reader.fail("HV0841", f"{found} instructions, nodes, edges; {stated} stated", start)
        reader.done("the body")
        return region

    def _walk(self, most: int) -> None:
        reader, data, end = self.reader, self.reader.data, self.reader.end
        values, names, taken = self.scope.values, self.scope.names.values, self.scope.taken
        pool, used = self.tables.pool, self.tables.pool_used
        instrs, starts, frames = self.instrs, self.starts, self.frames
        hot = hot_rows(self.tables.version)
        ordinals = iter(range(most))
        at = reader.at
        while frames:
            body = frames[-1].region.body
            for _ in ordinals:
                starts.append(at)
                opcode = data[at]
                at += 1
                if opcode > 127:
                    reader.at = at - 1
                    opcode = reader.number()
                    at = reader.at
                found = hot.get(opcode)
                if found is None:
                    self._no_row(opcode, starts[-1])
                row, kind, fast, fixed, results = found
                instr = Instr(row, [], [])
                body.append(instr)
                instrs.append(instr)
                if kind != SIMPLE:
                    reader.at = at
                    changed = self._larger(instr, PLANS[row])
                    at = reader.at
                    if changed:
                        break
                    continue
                if fast:
                    instr.fast = data[at]
                    if data[at] > operations.ALL_FAST:
                        reader.fail("HV0835", f"fast mask {data[at]}", at)
                    at += 1
                operands = instr.operands
                for _ in fixed:
                    code = data[at]
                    at += 1
                    if code > 127:
                        reader.at = at - 1
                        code = reader.number()
                        at = reader.at
                    if code & 1:
                        operand = pool[code >> 1]
                        used[code >> 1] = 1
                        if operand is None:
                            operand = read_pooled(self, code >> 1, at)
                    else:
                        operand = values[-(code >> 1)] if code else None
                        if operand is None:
                            reader.fail("HV0836", f"{code >> 1} values back", at - 1)
                    operands.append(operand)
                if results:
                    number = len(values)
                    name = names.get(number) or str(number)
                    if name in taken:
                        self.scope.enter_name(name)
                    taken.add(name)
                    value = Value(name, _ERROR)
                    instr.results.append(value)
                    values.append(value)
                if at > end:
                    reader.fail("HV0821", "inside an instruction", end)
            else:
                reader.fail("HV0841", f"more than the {most} instructions stated", at)

    def _no_row(self, opcode: int, at: int) -> NoReturn:
        row = BY_OPCODE.get(opcode)
        if row is None:
            self.reader.fail("HV0834", f"opcode {opcode}", at)
        major, minor = row.since
        self.reader.fail("HV0834", f"`{row.mnemonic}` is reserved for a later version"
                         if row.reserved else f"`{row.mnemonic}` came with {major}.{minor}", at)

    def _larger(self, instr: Instr, plan: Plan) -> bool:
        """Read an instruction that is not SIMPLE; whether another region is now being read."""
        if plan.kind != GENERIC:
            count = FORMS[plan.form](self, instr, plan)
            if count is None:
                self._open(instr, plan)
                return True
        else:
            read_generic(self, instr, plan)
            if plan.row.terminator:
                self._close(instr)
                return True
            count = plan.by_choice[instr.immediates[0]] if plan.by_choice else plan.results
        if count:
            instr.results = [self.scope.define() for _ in range(count)]
        return False

    # -- regions -------------------------------------------------------------------------------

    def _open(self, instr: Instr, plan: Plan) -> None:
        """Begin the regions of a construct. The first one's parameters are in it already."""
        self.reader.limit(LIMITS["nesting"], len(self.frames))
        wanted = parameter_counts(plan.form, len(instr.operands))
        if not instr.regions:
            instr.regions = tuple(Region() for _ in wanted)
            self.enter_region(instr)
            instr.regions[0].parameters = [self.scope.define() for _ in range(wanted[0])]

    def enter_region(self, instr: Instr) -> None:
        """Begin the first region of a construct; its parameters are defined by the caller."""
        outer, count = self.frames[-1], len(self.scope.values)
        outer.segments.append((outer.start, count))
        self.frames.append(Frame(instr, instr.regions[0], count))

    def _close(self, last: Instr) -> None:
        """End a region: go on with the next one of its construct, or behind it."""
        frame = self.frames[-1]
        owner = frame.owner
        wanted = terminator(owner.row.form if owner else None, frame.position)
        if last.row is not wanted:
            self.reader.fail("HV0837", f"a region ends with `{last.row.mnemonic}`, not "
                             f"`{wanted.mnemonic}`", self.starts[-1])
        self._settle_delays(frame)
        if owner is None:
            self._end_scope(frame)
            self.frames.pop()
            return
        ends = frame.position + 1 == len(owner.regions)
        if ends or owner.row.form is not Form.WHILE:
            self._end_scope(frame)
        if not ends:
            frame.position += 1
            frame.region = owner.regions[frame.position]
            return
        self.frames.pop()
        self.frames[-1].start = len(self.scope.values)
        owner.results = [self.scope.define() for _ in range(self._result_count(owner))]

    @staticmethod
    def _result_count(owner: Instr) -> int:
        plan = PLANS[owner.row]
        if plan.form is Form.IF:
            return len(owner.regions[0].body[-1].operands)
        if plan.form is Form.REDUCE:
            return plan.by_choice[owner.immediates[0]]
        return len(owner.regions[0].parameters) - (plan.form is Form.FOR)

    def _settle_delays(self, frame: Frame) -> None:
        """Give delays what follows: a value of this region that is in scope at its end."""
        for instr, number, at in frame.later:
            value = self.scope.values[number] if number < len(self.scope.values) else None
            if value is None:
                self.reader.fail("HV0836", f"`next` is value {number}", at)
            instr.operands[1] = value

    def _end_scope(self, frame: Frame) -> None:
        count = len(self.scope.values)
        for first, last in frame.segments:
            self.scope.forget(first, last)
        self.scope.forget(frame.start, count)
        self.scope.forget_extents(frame.extents)
        frame.segments, frame.extents, frame.later, frame.start = [], [], [], count
