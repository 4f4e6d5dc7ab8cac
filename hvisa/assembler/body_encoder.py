"""Bodies to bytes: one walk over the instructions, in a loop that calls nothing for the usual ones.

What most instructions have is written by `operand_encoder`, what forms add by `forms_encoder`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from hvisa.assembler import layout
from hvisa.assembler.attributes import write_listed
from hvisa.assembler.forms_encoder import FORMS
from hvisa.assembler.layout import GENERIC, PLANS, SIMPLE
from hvisa.assembler.leb128 import unsigned, zigzag
from hvisa.assembler.operand_encoder import write_generic, write_operand
from hvisa.assembler.problems import unencodable
from hvisa.assembler.shapes import TypeTable
from hvisa.assembler.writer import Table, Writer
from hvisa.diagnostics import HvisaError, Span
from hvisa.graph.model import (
    Attribute,
    Definition,
    Instr,
    Module,
    Region,
    Value,
)
from hvisa.spec import types as ty
from hvisa.spec.definitions import Form, InstrDef
from hvisa.spec.limits import LIMITS

# What the loop looks at for each row: kind, whether there is a fast mask, number of operands.
_HOT = {row: (plan.kind, plan.fast, plan.fixed) for row, plan in PLANS.items()}


class Tables:
    """The tables that all bodies of a module share, and the rows that it uses."""

    def __init__(self, module: Module):
        self.strings = Table()
        self.types = TypeTable()
        self.pool = Table()
        self.module = module
        self.definitions = {name: n for n, name in enumerate(module.definitions)}
        self.constants = {name: n for n, name in enumerate(module.constants)}
        self.rows: set[InstrDef] = set()


class Delays:
    """Distances to values that may be defined after their use, known when the body is done."""

    def __init__(self) -> None:
        self.index: dict[Instr, int] = {}


class Frame:
    """A region being encoded; `mark` is how many symbols were in scope before its construct."""

    __slots__ = ("mark", "owner", "position", "region", "stream")

    def __init__(self, owner: Instr | None, region: Region, mark: int):
        self.owner = owner
        self.position = 0
        self.region = region
        self.stream = iter(region.body)
        self.mark = mark


class BodyEncoder:
    """One definition: its header's values, and after `run` its instructions.

    `numbers` has the number of every value so far, `names` those of the dimension symbols in scope.
    `extents` has the symbol of each leading extent that is known only at run time, by the number
    of its value; `own_extents` those that a carried value brings with it. `attributes` and `spans`
    (one for each instruction) are kept for the annotations.
    """

    def __init__(self, tables: Tables, definition: Definition, header: Iterable[Value]):
        self.tables = tables
        self.definition = definition
        self.head = Writer()
        self.writer = Writer()
        self.numbers: dict[Value, int] = {v: n for n, v in enumerate(header)}
        ids = set(definition.ids)
        self.names: dict[str, int] = {v.name: n for v, n in self.numbers.items()
                                      if v.type is ty.INDEX and v.name and v not in ids}
        self.added: list[str] = []  # names of the body, in the order in which they came into scope
        self.header = len(self.numbers)
        self.extents: dict[int, str] = {}
        self.own_extents: dict[int, str] = {}
        self.attributes: list[tuple[int, tuple[Attribute, ...]]] = []
        self.spans: list[Span | None] = []
        self.delays = Delays()
        self.later: list[tuple[Instr, int]] = []
        self.nodes = self.edges = 0
        self.instr: Instr | None = None

    def error(self, detail: str) -> HvisaError:
        instr = self.instr
        what = f"`{instr.row.mnemonic}` in " if instr else ""
        return unencodable(f"{what}`@{self.definition.name}`: {detail}",
                           instr.span if instr else self.definition.span)

    def run(self) -> None:
        """Encode the body into `writer`."""
        assert self.definition.body is not None
        for value in self.definition.ids:
            self.name(value.name, self.numbers[value])
        try:
            self._walk(Frame(None, self.definition.body, 0))
            for instr, count in self.later:
                distance = count - self.numbers[cast(Value, instr.operands[1])]
                self.delays.index[instr] = zigzag(distance)
        except KeyError as error:
            lost = error.args[0]
            raise self.error(f"operand {lost!r} is not defined before" if isinstance(lost, Value)
                             else f"`%{lost}` is no dimension here") from None
        self.instr = None
        found = {"instructions": len(self.spans), "nodes": self.nodes, "edges": self.edges}
        for name, count in found.items():
            if count > LIMITS[name].value:
                raise self.error(f"{count} {LIMITS[name].doc}")
        self.head.number(len(self.spans))
        if self.definition.kind == "graph":
            self.head.number(self.nodes)
            self.head.number(self.edges)
        write_listed(self.head, self.tables.strings, self.attributes)

    def assemble(self) -> bytes:
        """The body with its counts and its size, once the tables are settled."""
        body = self.head.finish() + self.writer.finish()
        return unsigned(len(body)) + body

    # -- the walk ------------------------------------------------------------------------------

    def _walk(self, first: Frame) -> None:
        hot, numbers, spans, rows = _HOT, self.numbers, self.spans, self.tables.rows
        out = self.writer.out
        append = out.append
        index = ty.INDEX
        frames = [first]
        while frames:
            frame = frames[-1]
            count = len(numbers)
            for instr in frame.stream:
                row = instr.row
                if row not in rows:
                    self._new_row(instr)
                kind, fast, fixed = hot[row]
                if row.opcode < 128:
                    append(row.opcode)
                else:
                    out += unsigned(row.opcode)
                if instr.attributes:
                    self.attributes.append((len(spans), instr.attributes))
                spans.append(instr.span)
                self.instr = instr
                if kind == SIMPLE:
                    if fast:
                        append(instr.fast)
                    operands = instr.operands
                    if len(operands) != fixed:
                        raise self.error(f"{len(operands)} operands")
                    for operand in operands:
                        if operand.__class__ is Value:
                            distance = count - numbers[operand] << 1  # type: ignore[index]
                            if distance < 128:
                                append(distance)
                            elif distance < 16384:
                                append(distance & 127 | 128)
                                append(distance >> 7)
                            else:
                                out += unsigned(distance)
                        else:
                            write_operand(self, operand)
                elif kind == GENERIC:
                    write_generic(self, instr, PLANS[row])
                    if row.terminator and instr is not frame.region.body[-1]:
                        raise self.error("it stands in the middle of a region")
                else:
                    mark = len(self.added)
                    FORMS[row.form](self, instr, PLANS[row])
                    if instr.regions:
                        frames.append(self._open(instr, mark, len(frames)))
                        break
                    count = len(numbers)
                    continue
                for value in instr.results:
                    numbers[value] = count
                    if value.type is index:
                        self.name(value.name, count)
                    count += 1
            else:
                self._close(frames)

    def _new_row(self, instr: Instr) -> None:
        if instr.row.reserved:
            self.instr = instr
            raise self.error("it is reserved for a later version")
        self.tables.rows.add(instr.row)

    def _open(self, instr: Instr, mark: int, depth: int) -> Frame:
        """Begin the first region of a construct."""
        wanted = layout.parameter_counts(instr.row.form, len(instr.operands))
        if [len(r.parameters) for r in instr.regions] != list(wanted):
            raise self.error(f"{len(instr.regions)} regions whose parameters do not fit")
        if depth > LIMITS["nesting"].value:
            raise self.error(f"{depth} regions inside each other")
        self.define(instr.regions[0].parameters)
        return Frame(instr, instr.regions[0], mark)

    def _close(self, frames: list[Frame]) -> None:
        """End a region: go on with the next one of its construct, or behind it."""
        frame = frames[-1]
        owner = self.instr = frame.owner
        self._terminate(frame)
        if owner is None:
            frames.pop()
            return
        last = frame.position + 1 == len(owner.regions)
        if last or owner.row.form is not Form.WHILE:
            for name in self.added[frame.mark:]:
                del self.names[name]
            del self.added[frame.mark:]
        if last:
            frames.pop()
            self.define(owner.results)
            return
        frame.position += 1
        frame.region = owner.regions[frame.position]
        frame.stream = iter(frame.region.body)
        self.define(frame.region.parameters)

    def _terminate(self, frame: Frame) -> None:
        """Check the end of a region. One without a terminator ends in a yield of nothing."""
        last = frame.region.body[-1].row if frame.region.body else None
        wanted = layout.terminator(frame.owner.row.form if frame.owner else None, frame.position)
        if last is not None and last.terminator:
            if last is not wanted:
                raise self.error(f"a region ends with `{last.mnemonic}`, not `{wanted.mnemonic}`")
            return
        if wanted is not layout.YIELD:
            raise self.error(f"a region does not end with `{wanted.mnemonic}`")
        self.writer.out += unsigned(wanted.opcode) + b"\0"
        self.tables.rows.add(wanted)
        self.spans.append(None)

    # -- values and symbols --------------------------------------------------------------------

    def define(self, values: Iterable[Value]) -> None:
        """Give values the next numbers."""
        for value in values:
            count = self.numbers[value] = len(self.numbers)
            if value.type is ty.INDEX:
                self.name(value.name, count)

    def name(self, name: str | None, number: int) -> None:
        """Bring a symbol into scope; one without a name can't be written anywhere."""
        if name is None:
            return
        if name in self.names:
            raise self.error(f"the name `%{name}` is taken")
        self.names[name] = number
        self.added.append(name)
