"""How the ports of a definition arrive in IR: parameters of a function, and what they bind."""

from __future__ import annotations

from collections.abc import Sequence

from hvisa.graph.model import Definition, LeafNode, Port, instructions
from hvisa.spec.operations import DIRECTIONS, MODES
from hvisa.spec.types import BufferType
from hvisa.translators.llvm.body import DENSE, STRIDED, Body, Buffer
from hvisa.translators.llvm.emit import llvm_type

EXTENT = f"range(i64 0, {-1 << 63}) "  # extents are not negative: what bounds tests simplify by


class Parameter:
    """How one port of a variant arrives.

    `layout` of a buffer; `each` for a scalar given per instance (an array); `exclusive` for memory that
    one thread alone sees.
    """

    __slots__ = ("each", "exclusive", "layout")

    def __init__(self, layout: str = DENSE, each: bool = False, exclusive: bool = False):
        self.layout = layout
        self.each = each
        self.exclusive = exclusive

    def key(self) -> tuple[object, ...]:
        return (self.layout, self.each, self.exclusive)


def synchronises(leaf: LeafNode) -> bool:
    """Whether a leaf has a barrier or another collective."""
    assert leaf.body is not None
    return any(i.row.collective for i in instructions(leaf.body))


def has_owner(port: Port) -> bool:
    return MODES[port.mode] == "own checked" and port.written


def has_count(port: Port) -> bool:
    return isinstance(port.type, BufferType) and port.type.capacity is not None \
        and DIRECTIONS[port.direction] == "out"


def parameter_list(port: Port, number: int, how: Parameter) -> list[str]:
    """IR parameters of a port: `%p3`, `%p3.e0`, `%p3.s0`, ..."""
    p = f"%p{number}"
    if not isinstance(port.type, BufferType):
        return [f"ptr noalias readonly {p}" if how.each else f"{llvm_type(port.type)} {p}"]
    attributes = "noalias" if port.written else "noalias readonly"
    out = [f"ptr {attributes} {p}"]
    out += [f"i64 {EXTENT}{p}.e{axis}" for axis in range(port.type.rank)]
    out += [f"i64 {p}.s{axis}" for axis in range(port.type.rank)]
    if has_owner(port):
        out.append(f"ptr {p}.owner")
    if has_count(port):
        out.append(f"ptr {p}.count")
    return out


def parameter_names(port: Port, number: int, how: Parameter) -> list[str]:
    """The same as arguments: `ptr %p3`, `i64 %p3.e0`, ..."""
    return [p.replace("noalias ", "").replace("readonly ", "").replace(EXTENT, "") for p in
            parameter_list(port, number, how)]


def bind_parameter(body: Body, port: Port, number: int, how: Parameter) -> None:
    """Make a port's value, and the symbols that its shape binds, known to the body."""
    p = f"%p{number}"
    if not isinstance(port.type, BufferType):
        if not how.each:
            body.define(port.value, p)
        return
    rank = port.type.rank
    extents = [f"{p}.e{axis}" for axis in range(rank)]
    if not has_count(port):  # equal symbols are one value, so that equal tests are one test
        extents = [str(d.constant) if d.constant is not None else
                   body.symbols.get(d.symbol, e) if d.symbol is not None else e
                   for d, e in zip(port.type.shape, extents, strict=True)]
    if how.layout == STRIDED:
        strides = [f"{p}.s{axis}" for axis in range(rank)]
    elif how.layout == DENSE:
        strides = body.dense_strides(extents)
    else:
        strides = [*(f"{p}.s{axis}" for axis in range(rank - 1)), "1"][:rank]
    buffer = Buffer(port.type.element, p, extents, strides, how.layout, port.written, how.exclusive)
    if has_owner(port):
        buffer.owner = f"{p}.owner"
    if has_count(port):
        buffer.count = f"{p}.count"
    body.buffers[port.value] = buffer
    body.bind_shape(port.type, extents)


def bind_ports(body: Body, definition: Definition, parameters: Sequence[Parameter]) -> None:
    """Make all ports and header symbols known."""
    for number, (port, how) in enumerate(zip(definition.ports, parameters, strict=True)):
        bind_parameter(body, port, number, how)
    for name, value in definition.symbols.items():
        if name in body.symbols:
            body.env[value] = body.symbols[name]


def result_parameters(definition: Definition) -> list[str]:
    return [f"ptr noalias %r{n}" for n in range(len(definition.results))]
