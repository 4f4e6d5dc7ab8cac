"""Bytes to bodies: the mirror of `body_encoder`, with every number checked.

Types are not known here (inference finds them), so whether a value that a dimension names has type
`index` is noted in `pending` and checked afterwards.
"""

from __future__ import annotations

from functools import cache
from typing import NoReturn

from hvisa.assembler.names import DefinitionNames, default_value_name
from hvisa.assembler.attributes import read_listed
from hvisa.assembler.forms_decoder import FORMS
from hvisa.assembler.layout import (GENERIC, INT, INTS, PLANS, SIMPLE, TEXT, Plan, parameter_counts,
                                    terminator)
from hvisa.assembler.reader import Reader, Strings
from hvisa.assembler.shapes import TypeReader, read_dim
from hvisa.graph.model import (Attribute, Definition, DimValue, Instr, Operand, Port, Region,
                               Value)
from hvisa.spec import dimensions as dims
from hvisa.spec import operations
from hvisa.spec import types as ty
from hvisa.spec.definitions import Form, InstrDef
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.limits import LIMITS
from hvisa.spec.table import BY_OPCODE
from hvisa.spec.types import Type

MAX_INTEGER = 1 << 31
_ERROR = ty.ERROR

# Row, kind, whether there is a fast mask, its operands, number of results.
Hot = tuple[InstrDef, int, bool, range, int]


@cache
def hot_rows(version: tuple[int, int]) -> dict[int, Hot]:
    """What the loop looks at, by opcode, for the rows of a version of the format."""
    return {p.row.opcode: (p.row, p.kind, p.fast, range(p.fixed), p.results)
            for p in PLANS.values() if p.row.since <= version}


class Tables:
    """What the bodies of a module refer to. Entries of `pool` are None where `dims` has a dimension,
    which each definition sees with its own symbols."""

    def __init__(self, strings: Strings, types: TypeReader, version: tuple[int, int],
                 budget: int):
        self.strings = strings
        self.types = types
        self.version = version
        self.pool: list[Operand | None] = []
        self.pool_used = bytearray()
        self.dims: dict[int, tuple[Dim, frozenset[int]]] = {}
        self.definitions: list[Definition] = []
        self._budget = budget
        self._ports: dict[str, tuple[int, list[Port]]] = {}

    def charge(self, reader: Reader, size: int) -> None:
        """Count what shared entries come to when written out, which must stay linear in the file."""
        self._budget -= size
        if self._budget < 0:
            reader.fail("HV0843", "no more is written out for a file of this size")

    def ports(self, callee: Definition) -> tuple[int, list[Port]]:
        """How many ports of a callee take something, and those that give a version back."""
        found = self._ports.get(callee.name)
        if found is None:
            found = self._ports[callee.name] = len(callee.taken), callee.written
        return found


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


class Pending:
    """What can be checked when types are known: each with its place."""

    def __init__(self) -> None:
        self.symbols: list[tuple[Value, int]] = []
        self.extents: list[tuple[Value, str, int]] = []
        self.typed: list[tuple[Value, Operand, int]] = []


class BodyDecoder:
    """One definition: the values of its header, then its body by `read`.

    `values` has None for what is out of scope; `scope` has every name in scope; `extents` the symbols
    of leading extents, by the number of the value that they belong to.
    """

    def __init__(self, tables: Tables, definition: Definition, names: DefinitionNames,
                 reader: Reader, symbols: int):
        self.tables = tables
        self.definition = definition
        self.names = names
        self.reader = reader
        self.symbols = symbols
        self.values: list[Value | None] = []
        self.scope: set[str] = set()
        self.extents: dict[int, str] = {}
        self.pending = Pending()
        self.in_header = True
        self.is_here = False  # whether the body is in this file
        self._types: dict[int, Type] = {}  # those of the header, by entry
        self.instrs: list[Instr] = []
        self.starts: list[int] = []
        self.attributes: dict[int, tuple[Attribute, ...]] = {}
        self.extent_names_used = 0
        self.nodes = self.edges = 0
        self.frames: list[Frame] = []

    # -- values and symbols --------------------------------------------------------------------

    def define(self, type_: Type = _ERROR) -> Value:
        """The next value."""
        count = len(self.values)
        name = self.names.values.get(count) or default_value_name(count, self.symbols)
        value = Value(name, type_)
        self.enter_name(name)
        self.values.append(value)
        return value

    def enter_name(self, name: str) -> None:
        if name in self.scope:
            self.reader.fail("HV0840", f"`%{name}` in `@{self.definition.name}`")
        self.scope.add(name)

    def own_extent(self, number: int, name: str) -> None:
        """Let a dimension refer to the leading extent of a value."""
        self.enter_name(name)
        self.extents[number] = name
        self.frames[-1].extents.append(number)

    def forget(self, first: int, last: int) -> None:
        """End the scope of a range of values, all of which are in scope."""
        values, drop = self.values, self.scope.discard
        for number in range(first, last):
            value = values[number]
            if value is not None:
                drop(value.name or "")
                values[number] = None

    def symbol(self, number: int, at: int) -> str:
        """The name of the dimension symbol with this number."""
        value = self.values[number] if number < len(self.values) else None
        if value is None:
            self.reader.fail("HV0842", f"value {number} is not in scope", at)
        extent = self.extents.get(number)
        if extent is not None:
            return extent
        if value.type is _ERROR and not self.in_header:
            self.pending.symbols.append((value, at))
        elif value.type is not ty.INDEX:
            self.reader.fail("HV0842", f"value {number} of `@{self.definition.name}`", at)
        assert value.name is not None
        return value.name

    def _replacement(self, symbols: frozenset[int], at: int) -> dict[str, Dim]:
        named = {str(n): self.symbol(n, at) for n in sorted(symbols)}
        return {n: dims.symbol(name) for n, name in named.items() if n != name}

    def rename(self, dim: Dim, symbols: frozenset[int], at: int) -> Dim:
        """A dimension whose symbols are named by their numbers, in the names of the definition."""
        replace = self._replacement(symbols, at)
        try:
            return dim.substitute(replace) if replace else dim
        except DimError as error:
            self.reader.fail("HV0833", str(error), at)

    def dim(self) -> Dim:
        at = self.reader.at
        return self.rename(*read_dim(self.reader), at)

    def type(self, number: int, at: int) -> Type:
        """The type of an entry, in the names of the definition."""
        entry = self.tables.types.entries[number]
        if not entry.symbols:
            return entry.type
        known = self._types.get(number)
        if known is not None:
            return known
        self.tables.charge(self.reader, entry.size)
        replace = self._replacement(entry.symbols, at)
        try:
            found = ty.substitute(entry.type, replace) if replace else entry.type
        except DimError as error:
            self.reader.fail("HV0833", str(error), at)
        if self.in_header:
            self._types[number] = found
        return found

    # -- operands ------------------------------------------------------------------------------

    def operand(self) -> Operand:
        """The operand that stands next."""
        at = self.reader.at
        code = self.reader.number()
        if code & 1:
            return self.pooled(code >> 1, at)
        distance = code >> 1
        value = self.values[-distance] if 0 < distance <= len(self.values) else None
        if value is None:
            self.reader.fail("HV0836", f"{distance} values back", at)
        return value

    def pooled(self, number: int, at: int) -> Operand:
        tables = self.tables
        if number >= len(tables.pool):
            self.reader.fail("HV0830", f"constant {number}; there are {len(tables.pool)}", at)
        tables.pool_used[number] = 1
        found = tables.pool[number]
        if found is not None:
            return found
        dim, symbols = tables.dims[number]
        tables.charge(self.reader, dim.size)
        return DimValue(self.rename(dim, symbols, at))

    def generic(self, instr: Instr, plan: Plan) -> None:
        """Everything but the opcode, as the plan says."""
        reader = self.reader
        if plan.immediates:
            instr.immediates = tuple(self._immediate(kind) for kind in plan.immediates)
        if plan.fast:
            instr.fast = reader.below(operations.ALL_FAST + 1, "fast mask")
        if plan.type_argument:
            self._type_argument(instr, plan)
        if plan.access:
            self._access(instr, plan)
            return
        count = plan.fixed + (reader.count("operands") if plan.variadic else 0)
        operand = self.operand
        instr.operands = [operand() for _ in range(count)]

    def _immediate(self, kind: int) -> object:
        reader = self.reader
        if kind > 0:
            return reader.below(kind, "choice")
        if kind == TEXT:
            return self.tables.strings.get(reader)
        if kind == INT:
            return reader.below(MAX_INTEGER, "immediate")
        return tuple(reader.below(MAX_INTEGER, "immediate")
                     for _ in range(reader.count("immediates")))

    def _type_argument(self, instr: Instr, plan: Plan) -> None:
        at = self.reader.at
        if plan.type_argument == 2:
            number = self.reader.below(len(self.tables.types.entries) + 1, "type", "HV0830") - 1
            if number < 0:
                return
            self.tables.types.used[number] = 1
        else:
            number = self.tables.types.lookup(self.reader)
        instr.type_argument = self.type(number, at)

    def _access(self, instr: Instr, plan: Plan) -> None:
        reader = self.reader
        head = reader.number()
        indices = head >> 1
        if indices > reader.end - reader.at:
            reader.fail("HV0826", f"{indices} indices, {reader.end - reader.at} bytes left")
        start = reader.at
        operand = self.operand
        operands = instr.operands = [operand() for _ in range(plan.fixed + indices)]
        for index in operands[plan.fixed:]:
            if index.__class__ is DimValue and self._displaced(index):
                reader.fail("HV0839", "a symbol plus a constant is a displaced value", start)
        if not head & 1:
            return
        start = reader.at
        offsets = tuple(reader.signed() for _ in range(indices))
        if not any(offsets):
            reader.fail("HV0839", "no displacement differs from 0", start)
        for index, offset in zip(operands[plan.fixed:], offsets, strict=True):
            if offset and index.__class__ is not Value:
                reader.fail("HV0839", "a displacement stands on a constant", start)
            reader.limit(LIMITS["displacement"], abs(offset))
        instr.offsets = offsets

    @staticmethod
    def _displaced(index: Operand) -> bool:
        assert isinstance(index, DimValue)
        return (index.dim - index.dim.offset()).symbol is not None

    # -- the walk ------------------------------------------------------------------------------

    def read(self, reader: Reader) -> Region:
        """The body, whose bytes are those of `reader`."""
        self.reader = reader
        self.in_header = False
        start = reader.at
        stated = [reader.count("instructions")]
        reader.limit(LIMITS["instructions"], stated[0])
        if self.definition.kind == "graph":
            for name in ("nodes", "edges"):
                stated.append(reader.count(name))
                reader.limit(LIMITS[name], stated[-1])
        self.attributes = dict(read_listed(reader, self.tables.strings))
        region = Region()
        self.frames = [Frame(None, region, len(self.values))]
        try:
            self._walk(stated[0])
        except IndexError:
            at = self.starts[-1] if self.starts else reader.at
            reader.fail("HV0836", "an operand of this instruction is not there, or the file ends", at)
        found = [len(self.instrs), self.nodes, self.edges][:len(stated)]
        if found != stated:
            reader.fail("HV0841", f"{found} instructions, nodes, edges; {stated} stated", start)
        reader.done("the body")
        return region

    def _walk(self, most: int) -> None:
        reader, data, end = self.reader, self.reader.data, self.reader.end
        values, names, scope = self.values, self.names.values, self.scope
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
                            operand = self.pooled(code >> 1, at)
                    else:
                        operand = values[-(code >> 1)] if code else None
                        if operand is None:
                            reader.fail("HV0836", f"{code >> 1} values back", at - 1)
                    operands.append(operand)
                if results:
                    number = len(values)
                    name = names.get(number) or str(number)
                    if name in scope:
                        self.enter_name(name)
                    scope.add(name)
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
            self.generic(instr, plan)
            if plan.row.terminator:
                self._close(instr)
                return True
            count = plan.by_choice[instr.immediates[0]] if plan.by_choice else plan.results
        if count:
            instr.results = [self.define() for _ in range(count)]
        return False

    # -- regions -------------------------------------------------------------------------------

    def _open(self, instr: Instr, plan: Plan) -> None:
        """Begin the regions of a construct. The first one's parameters are in it already."""
        self.reader.limit(LIMITS["nesting"], len(self.frames))
        wanted = parameter_counts(plan.form, len(instr.operands))
        if not instr.regions:
            instr.regions = tuple(Region() for _ in wanted)
            self.enter_region(instr)
            instr.regions[0].parameters = [self.define() for _ in range(wanted[0])]

    def enter_region(self, instr: Instr) -> None:
        """Begin the first region of a construct; its parameters are defined by the caller."""
        outer, count = self.frames[-1], len(self.values)
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
        ends = owner is None or frame.position + 1 == len(owner.regions)
        if ends or owner.row.form is not Form.WHILE:
            self._end_scope(frame)
        if not ends:
            frame.position += 1
            frame.region = owner.regions[frame.position]
            return
        self.frames.pop()
        if owner is not None:
            self.frames[-1].start = len(self.values)
            owner.results = [self.define() for _ in range(self._result_count(owner))]

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
            value = self.values[number] if number < len(self.values) else None
            if value is None:
                self.reader.fail("HV0836", f"`next` is value {number}", at)
            instr.operands[1] = value

    def _end_scope(self, frame: Frame) -> None:
        count = len(self.values)
        for first, last in frame.segments:
            self.forget(first, last)
        self.forget(frame.start, count)
        for number in frame.extents:
            self.scope.discard(self.extents.pop(number))
        frame.segments, frame.extents, frame.later, frame.start = [], [], [], count
