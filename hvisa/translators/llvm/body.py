"""Lowering of a leaf's or function's body: values, traps, calls; the hub that the other parts share.

One `Body` writes one IR function. Control flow is structured, so regions are written in place; the
nesting limit of the format bounds how deep that goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hvisa.graph.model import Constant, DimValue, GlobalRef, Instr, Literal, Operand, Region, Value
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Atom, Dim
from hvisa.spec.table import ROWS as TABLE
from hvisa.spec.types import BufferType, ScalarType, Type
from hvisa.translators.llvm.emit import FunctionText, constant_text, llvm_type, memory_type
from hvisa.translators.llvm.floats import Floats
from hvisa.translators.llvm.rows import LOWER
from hvisa.translators.llvm.work import BETWEEN_POLLS, FIRST_BUDGET

if TYPE_CHECKING:
    from hvisa.translators.llvm.lowering import Lowering

DENSE, ROWS, STRIDED = "dense", "rows", "strided"


class Buffer:
    """A buffer in IR: address, extents and strides (in elements) as i64 values.

    `layout` says what is known of the strides: `dense`, `rows` (the innermost is 1) or `strided`.
    `owner` is the table of `own checked`; `count` where a set extent is written; `exclusive` tells
    that no other thread sees it.
    """

    __slots__ = ("count", "element", "exclusive", "extents", "layout", "owner", "pointer", "strides",
                 "written")

    def __init__(self, element: ScalarType, pointer: str, extents: list[str], strides: list[str],
                 layout: str = DENSE, written: bool = False, exclusive: bool = False):
        self.element = element
        self.pointer = pointer
        self.extents = extents
        self.strides = strides
        self.layout = layout
        self.written = written
        self.exclusive = exclusive
        self.owner: str | None = None
        self.count: str | None = None


class Body:
    """Writes the instructions of one IR function."""

    def __init__(self, lowering: Lowering, f: FunctionText, path: str):
        self.lowering = lowering
        self.module = lowering.text
        self.f = f
        self.path = path  # name of the definition, for trap sites
        self.floats = Floats(lowering.text, f, lowering.has)
        self.env: dict[Value, str] = {}
        self.buffers: dict[Value, Buffer] = {}
        self.symbols: dict[str, str] = {}
        self.instance = "0"
        self.budget: str | None = None  # where the stop check counts down
        self.place: Instr | None = None  # the definition's header, for what no instruction is to blame
        # Ends the function after a trap; the argument is the status.
        self.leave: Callable[[str], None] = lambda status: f.do(f"ret i32 {status}")

    # -- operands ------------------------------------------------------------------------------

    def define(self, value: Value, text: str) -> None:
        self.env[value] = text
        if value.type is ty.INDEX and value.name:
            self.symbols[value.name] = text

    def value(self, operand: Operand) -> str:
        if isinstance(operand, Value):
            return self.env[operand]
        if isinstance(operand, Constant):
            return constant_text(operand)
        if isinstance(operand, DimValue):
            return self.dim(operand.dim) if self._in_graph() else self._sum(operand.dim, None)
        assert isinstance(operand, GlobalRef) and not isinstance(operand, Literal)
        return self.lowering.scalar_constant(operand.name)

    def typed(self, operand: Operand) -> str:
        return f"{llvm_type(operand.type)} {self.value(operand)}"

    def buffer(self, operand: Operand) -> Buffer:
        if isinstance(operand, GlobalRef):
            return self.lowering.global_buffer(operand.name)
        assert isinstance(operand, Value)
        return self.buffers[operand]

    # -- dimensions ----------------------------------------------------------------------------

    def dim(self, dim: Dim) -> str:
        """A dimension as an i64. Leaves with HV1005 where a step of it does not fit."""
        over: list[str] = []
        total = self._sum(dim, over)
        if over:
            self.trap_if(self.any_of(over), "HV1005", self.header(), "0", "3")
        return total

    def _in_graph(self) -> bool:
        """Whether operands are dimensions, which are exact; those of leaves and functions are index
        expressions, which wrap (semantics 21)."""
        return self.lowering.module.definitions[self.path].kind == "graph"

    def _sum(self, dim: Dim, over: list[str] | None) -> str:
        """Wraps where `over` is None, else appends whether each step did."""
        if dim.symbol is not None:
            return self.symbols[dim.symbol]
        total: str | None = None
        for monomial, coefficient in dim.terms:
            product: str | None = None if coefficient == 1 and monomial else str(coefficient)
            for atom in monomial:
                factor = self.symbols[atom] if isinstance(atom, str) else self._atom(atom, over)
                product = factor if product is None else self._step("mul", product, factor, over)
            assert product is not None
            total = product if total is None else self._step("add", total, product, over)
        return total if total is not None else "0"

    def _step(self, op: str, a: str, b: str, over: list[str] | None) -> str:
        if over is None:
            return self.f.op(f"{op} i64 {a}, {b}")  # no `nsw`: bounds are checked after a wrap
        value, flag = self.overflowing(f"s{op}", a, b)
        over.append(flag)
        return value

    def overflowing(self, op: str, a: str, b: str) -> tuple[str, str]:
        """The wrapped i64 result of `sadd`, `umul` ... and whether it wrapped."""
        name = f"llvm.{op}.with.overflow.i64"
        self.module.declare(name, f"{{ i64, i1 }} @{name}(i64, i64)")
        pair = self.f.op(f"call {{ i64, i1 }} @{name}(i64 {a}, i64 {b})")
        return (self.f.op(f"extractvalue {{ i64, i1 }} {pair}, 0"),
                self.f.op(f"extractvalue {{ i64, i1 }} {pair}, 1"))

    def header(self) -> Instr:
        """A stand-in for the definition's header, where no instruction is to blame."""
        if self.place is None:
            definition = self.lowering.module.definitions.get(self.path)
            self.place = Instr(TABLE["node"], [], [], definition.span if definition else None)
            self.lowering.keep.append(self.place)
        return self.place

    def _atom(self, atom: Atom, over: list[str] | None) -> str:
        values = [self._sum(o, over) for o in atom.operands]
        if atom.kind in ("min", "max"):
            out = values[0]
            for value in values[1:]:
                out = self.floats.intrinsic(f"s{atom.kind}", "i64", [out, value])
            return out
        a, b = values
        if not b.isdigit():
            self.trap_if(self.f.op(f"icmp slt i64 {b}, 1"), "HV1005", self.header(), b, "2")
        rest = self.f.op(f"srem i64 {a}, {b}")
        negative = self.f.op(f"icmp slt i64 {rest}, 0")
        if atom.kind == "mod":
            return self.f.op(f"select i1 {negative}, i64 "
                             f"{self.f.op(f'add i64 {rest}, {b}')}, i64 {rest}")
        quotient = self.f.op(f"sdiv i64 {a}, {b}")
        return self.f.op(f"select i1 {negative}, i64 "
                         f"{self.f.op(f'sub i64 {quotient}, 1')}, i64 {quotient}")

    # -- traps ---------------------------------------------------------------------------------

    def any_lane(self, mask: str, lanes: int) -> str:
        """Whether any lane of a mask is set."""
        if not lanes:
            return mask
        name = f"llvm.vector.reduce.or.v{lanes}i1"
        self.module.declare(name, f"i1 @{name}(<{lanes} x i1>)")
        return self.f.op(f"call i1 @{name}(<{lanes} x i1> {mask})")

    def any_of(self, flags: Sequence[str]) -> str:
        """Whether one of some i1 values is set."""
        found = flags[0]
        for flag in flags[1:]:
            found = self.f.op(f"or i1 {found}, {flag}")
        return found

    def trap_if(self, condition: str, code: str, instr: Instr, a: str = "0", b: str = "0") -> None:
        """Leave through a trap where the condition holds."""
        bad, fine = self.f.label("trap"), self.f.label("fine")
        self.f.branch(condition, bad, fine, likely=False)
        self.f.start(bad)
        self.trap(code, instr, a, b)
        self.f.start(fine)

    def trap(self, code: str, instr: Instr, a: str = "0", b: str = "0") -> None:
        site = self.lowering.site(code, self.path, instr)
        status = self.f.op(f"call i32 @hv.trap(ptr %ctx, i32 {int(code[2:])}, i32 {site}, "
                           f"i64 {self.instance}, i64 {a}, i64 {b})")
        self.leave(status)

    def check_status(self, status: str) -> None:
        """Leave where a callee did not end well."""
        bad, fine = self.f.label("failed"), self.f.label("went")
        self.f.branch(self.f.op(f"icmp ne i32 {status}, 0"), bad, fine, likely=False)
        self.f.start(bad)
        self.leave(status)
        self.f.start(fine)

    def poll(self) -> None:
        """See whether the launch is to stop, and leave if so. Costs some ten nanoseconds."""
        if not self.lowering.options.stop_checks:
            return
        status = self.f.op("call i32 @hv.poll(ptr %ctx)")
        stop, on = self.f.label("stop"), self.f.label("on")
        self.f.branch(self.f.op(f"icmp ne i32 {status}, 0"), stop, on, likely=False)
        self.f.start(stop)
        self.leave("2")
        self.f.start(on)

    def stop_check(self, work: int) -> None:
        """At the back edge of a round of at most so many instructions: poll every so often. A function
        begins with a small budget, since its callers may not look after short ones."""
        if not self.lowering.options.stop_checks:
            return
        if work > FIRST_BUDGET:
            self.poll()
            return
        if self.budget is None:
            self.budget = self.f.alloca("i64")
            self.f.allocas.append(f"  store i64 {FIRST_BUDGET}, ptr {self.budget}")
        left = self.f.op(f"sub i64 {self.f.op(f'load i64, ptr {self.budget}')}, {work}")
        self.f.do(f"store i64 {left}, ptr {self.budget}")
        ask, on = self.f.label("ask"), self.f.label("on")
        self.f.branch(self.f.op(f"icmp sle i64 {left}, 0"), ask, on, likely=False)
        self.f.start(ask)
        self.f.do(f"store i64 {BETWEEN_POLLS}, ptr {self.budget}")
        self.poll()
        self.f.jump(on)
        self.f.start(on)

    # -- instructions --------------------------------------------------------------------------

    def region(self, region: Region) -> list[str]:
        """Write a region; the values it yields (the condition, for `check`)."""
        for instr in region.body:
            if instr.row.terminator:
                return [self.value(o) for o in instr.operands]
            self.instruction(instr)
        return []

    def instruction(self, instr: Instr) -> None:
        lower = LOWER.get(instr.row.mnemonic)
        if lower is None:
            self.lowering.special[instr.row.mnemonic](self, instr)
            return
        found = lower(self, instr, [self.value(o) for o in instr.operands])
        results = (found,) if isinstance(found, str) else found
        for value, text in zip(instr.results, results, strict=True):
            self.define(value, text)

    # -- memory cells --------------------------------------------------------------------------

    def load_cell(self, type_: Type, pointer: str) -> str:
        """Read a scalar or vector value in its memory form."""
        element = ty.element_of(type_)
        assert element is not None
        lanes = ty.lanes_of(type_)
        text = f"<{lanes} x {memory_type(element)}>" if lanes else memory_type(element)
        raw = self.f.op(f"load {text}, ptr {pointer}, align {element.size_bytes}")
        if element is not ty.I1:
            return raw
        zero = "zeroinitializer" if lanes else "0"
        return self.f.op(f"icmp ne {text} {raw}, {zero}")

    def store_cell(self, type_: Type, value: str, pointer: str) -> None:
        element = ty.element_of(type_)
        assert element is not None
        lanes = ty.lanes_of(type_)
        text = f"<{lanes} x {memory_type(element)}>" if lanes else memory_type(element)
        if element is ty.I1:
            value = self.f.op(f"zext {llvm_type(type_)} {value} to {text}")
        self.f.do(f"store {text} {value}, ptr {pointer}, align {element.size_bytes}")

    def cell(self, element: ScalarType, pointer: str, index: str, lanes: int = 0) -> str:
        """Address of element `index` of a plain array of scalars (or of vectors of `lanes`)."""
        if lanes:
            index = self.f.op(f"mul nsw i64 {index}, {lanes}")
        return self.f.op(f"getelementptr inbounds {memory_type(element)}, ptr {pointer}, i64 {index}")

    def dense_strides(self, extents: Sequence[str]) -> list[str]:
        """Strides of a row-major array, in elements."""
        strides = ["1"] * len(extents)
        for axis in range(len(extents) - 2, -1, -1):
            below, extent = strides[axis + 1], extents[axis + 1]
            strides[axis] = extent if below == "1" else self.f.op(f"mul nsw i64 {below}, {extent}")
        return strides

    def product(self, factors: Sequence[str]) -> str:
        out = "1"
        for factor in factors:
            out = factor if out == "1" else self.f.op(f"mul nsw i64 {out}, {factor}")
        return out

    def bind_shape(self, type_: BufferType, extents: Sequence[str]) -> None:
        """Symbols that stand alone in a shape take its extents."""
        for dim, extent in zip(type_.shape, extents, strict=True):
            if dim.symbol is not None:
                self.symbols.setdefault(dim.symbol, extent)
