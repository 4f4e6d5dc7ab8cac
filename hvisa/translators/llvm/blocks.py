"""Buffers of a graph in IR: who owns which memory, views, copies on write (semantics 1, 10).

Every buffer value of a graph holds one reference to a *block* (see `support.BLOCKS`). A version that is
written is taken in place when its block has no other reference and may be written, else it is copied.
References are given and dropped at places known statically, counted at run time.
"""

from __future__ import annotations

from collections.abc import Sequence

from hvisa.graph.model import Box, Definition, Instr
from hvisa.spec.types import BufferType, ScalarType
from hvisa.translators.llvm.body import DENSE, ROWS as ROW_LAYOUT, Body, Buffer
from hvisa.translators.llvm.emit import memory_type
from hvisa.translators.llvm.loops import Loop
from hvisa.translators.llvm.support import BLOCK_HEADER

WRITABLE, OWNED = 1, 2


class Held(Buffer):
    """A buffer of a graph with the block that it holds a reference to."""

    __slots__ = ("block",)

    def __init__(self, element: ScalarType, pointer: str, extents: list[str], strides: list[str],
                 block: str, layout: str = DENSE, exclusive: bool = False):
        super().__init__(element, pointer, extents, strides, layout, True, exclusive)
        self.block = block

    def fields(self) -> list[str]:
        """IR values that change from version to version, with their types."""
        out = [f"ptr {self.pointer}", f"ptr {self.block}"]
        return out + [f"i64 {e}" for e in self.extents]


class Blocks:
    """Emits block handling into one graph function."""

    def __init__(self, body: Body, definition: Definition, frame: str):
        self.body = body
        self.definition = definition
        self.frame = frame
        self._static: str | None = None

    def header(self, flags: int, references: int = 1) -> str:
        """A block of memory that somebody else owns, for the length of this call."""
        f = self.body.f
        block = f.alloca(f"[{BLOCK_HEADER} x i8]", 64)
        f.allocas.append(f"  call void @hv.block.init(ptr {block}, i64 {flags})")
        if references != 1:
            f.allocas.append(f"  store i64 {references}, ptr {block}")
        return block

    def static(self) -> str:
        """The block of module constants."""
        if self._static is None:
            self._static = self.header(0, 1 << 40)
        return self._static

    def retain(self, held: Held) -> None:
        self.body.f.do(f"call void @hv.block.retain(ptr {held.block})")

    def release(self, block: str) -> None:
        self.body.f.do(f"call void @hv.block.release(ptr %ctx, ptr {block})")

    # -- memory --------------------------------------------------------------------------------

    def size(self, extents: Sequence[str], element_bytes: int, place: Instr) -> str:
        """Bytes of an array; leaves with HV1005 where an extent or the whole is out of range."""
        body, f = self.body, self.body.f
        total = str(element_bytes)
        for extent in extents:
            if extent.isdigit() and total.isdigit() and int(extent) * int(total) < 1 << 47:
                total = str(int(extent) * int(total))
                continue
            body.trap_if(f.op(f"icmp ugt i64 {extent}, {1 << 48}"), "HV1005", place, extent, "0")
            total, over = body.overflowing("umul", total, extent)
            large = f.op(f"icmp ugt i64 {total}, {1 << 62}")
            body.trap_if(f.op(f"or i1 {over}, {large}"), "HV1005", place, extent, "1")
        return total

    def new(self, element: ScalarType, extents: list[str], place: Instr, zero: bool,
            lanes: int = 0) -> Held:
        """A dense buffer of its own."""
        body, f = self.body, self.body.f
        size = self.size(extents, element.size_bytes * max(1, lanes), place)
        block = f.op(f"call ptr @hv.block.new(ptr %ctx, ptr {self.frame}, i64 {size})")
        body.trap_if(f.op(f"icmp eq ptr {block}, null"), "HV0910", place, size)
        pointer = f.op(f"getelementptr inbounds i8, ptr {block}, i64 {BLOCK_HEADER}")
        if zero:
            body.lowering.zero(body, pointer, size)
        return Held(element, pointer, extents, body.dense_strides(extents), block)

    def copy_into(self, source: Held, target: Held) -> None:
        """Copy all elements; both have the same extents."""
        body = self.body
        if source.layout == DENSE and target.layout == DENSE:
            size = body.product([*source.extents, str(source.element.size_bytes)])
            body.lowering.copy(body, target.pointer, source.pointer, size)
        else:
            copy_elements(body, source.element, source, target)

    def dense(self, held: Held, place: Instr) -> Held:
        """The same elements in a dense layout; takes and gives one reference."""
        if held.layout == DENSE:
            return held
        copy = self.new(held.element, held.extents, place, False)
        self.copy_into(held, copy)
        self.release(held.block)
        return copy

    def unique(self, held: Held, place: Instr) -> Held:
        """A version that may be written: in place if nobody else sees the block, else a copy. Takes
        and gives one reference."""
        f = self.body.f
        references = f.op(f"load i64, ptr {held.block}")
        flags = f.op(f"load i64, ptr "
                     f"{f.op(f'getelementptr inbounds i8, ptr {held.block}, i64 8')}")
        alone = f.op(f"icmp eq i64 {references}, 1")
        writable = f.op(f"trunc i64 {flags} to i1")
        copy_, done = f.label("copy"), f.label("version")
        start = f.block
        f.branch(f.op(f"and i1 {alone}, {writable}"), done, copy_)
        f.start(copy_)
        copy = self.new(held.element, held.extents, place, False)
        self.copy_into(held, copy)
        self.release(held.block)
        end = f.block
        f.jump(done)
        f.start(done)
        pointer = f.phi("ptr", [(held.pointer, start), (copy.pointer, end)])
        block = f.phi("ptr", [(held.block, start), (copy.block, end)])
        strides = held.strides
        if held.layout != DENSE:
            strides = [f.phi("i64", [(a, start), (b, end)])
                       for a, b in zip(held.strides, copy.strides, strict=True)]
        return Held(held.element, pointer, held.extents, strides, block, held.layout, held.exclusive)

    # -- views ---------------------------------------------------------------------------------

    def view(self, held: Held, type_: BufferType, box: Box, place: Instr) -> Held:
        """The part of a buffer inside a box, clipped at the far end; shares the block and takes no
        reference. Leaves with HV0907 where the box starts outside."""
        body, f = self.body, self.body.f
        pointer, extents = "0", list[str]()
        for (offset, length), extent, stride in zip(box, held.extents, held.strides, strict=True):
            at, size = body.dim(offset), body.dim(length)
            if at != "0":
                body.trap_if(f.op(f"icmp ugt i64 {at}, {extent}"), "HV0907", place, at, extent)
            if not size.isdigit():
                body.trap_if(f.op(f"icmp slt i64 {size}, 0"), "HV1005", place, size, "0")
            rest = extent if at == "0" else f.op(f"sub nsw i64 {extent}, {at}")
            extents.append(rest if size == rest else body.floats.intrinsic("smin", "i64", [size, rest]))
            if at != "0":
                part = at if stride == "1" else f.op(f"mul nsw i64 {at}, {stride}")
                pointer = part if pointer == "0" else f.op(f"add nsw i64 {pointer}, {part}")
        if pointer != "0":
            pointer = f.op(f"getelementptr inbounds {memory_type(held.element)}, ptr {held.pointer}, "
                           f"i64 {pointer}")
        else:
            pointer = held.pointer
        layout = held.layout
        if layout == DENSE and not _leading_only(type_, box):
            layout = ROW_LAYOUT
        strides = body.dense_strides(extents) if layout == DENSE else held.strides
        return Held(held.element, pointer, extents, strides, held.block, layout, held.exclusive)


def _leading_only(type_: BufferType, box: Box) -> bool:
    """Whether a box keeps all dimensions but the first whole, so that the view stays dense."""
    return all(offset.constant == 0 and length == extent
               for (offset, length), extent in zip(box[1:], type_.shape[1:], strict=True))


def copy_elements(body: Body, element: ScalarType, source: Buffer | None, target: Buffer) -> None:
    """Copy a strided array element by element; zeros without a source."""
    f = body.f
    text = memory_type(element)
    total = body.product(target.extents)
    loop = Loop(body, [("i64", "0")])
    index = loop.names[0]
    loop.leave_unless(f.op(f"icmp slt i64 {index}, {total}"))
    rest, to, from_ = index, "0", "0"
    for axis in range(len(target.extents) - 1, -1, -1):
        part = rest
        if axis:
            part = f.op(f"urem i64 {rest}, {target.extents[axis]}")
            rest = f.op(f"udiv i64 {rest}, {target.extents[axis]}")
        to = f.op(f"add i64 {to}, {f.op(f'mul i64 {part}, {target.strides[axis]}')}")
        if source is not None:
            from_ = f.op(f"add i64 {from_}, {f.op(f'mul i64 {part}, {source.strides[axis]}')}")
    value = "0.0" if text in ("float", "double") else "0"
    if source is not None:
        at = f.op(f"getelementptr inbounds {text}, ptr {source.pointer}, i64 {from_}")
        value = f.op(f"load {text}, ptr {at}, align {element.size_bytes}")
    at = f.op(f"getelementptr inbounds {text}, ptr {target.pointer}, i64 {to}")
    f.do(f"store {text} {value}, ptr {at}, align {element.size_bytes}")
    loop.close([f.op(f"add nuw nsw i64 {index}, 1")])

