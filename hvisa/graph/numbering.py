"""Numbers of values: the order that bytecode uses, and names for what has none.

Order in a definition: header symbols, ports, instance ids, then the body in order; before an
instruction's results come a node's ids, the parameters of its regions and everything in them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hvisa.graph.model import ENTER, LEAVE, Definition, Module, NodeDetail, Value, walk
from hvisa.spec.dimensions import Dim
from hvisa.spec.types import BufferType, GridType, StreamType, Type


def type_dims(type_: Type) -> Iterator[Dim]:
    """The dimensions of a type in order, a capacity after the shape."""
    if isinstance(type_, StreamType):
        type_ = type_.item
    if isinstance(type_, BufferType):
        yield from type_.shape
        if type_.capacity is not None:
            yield type_.capacity
    elif isinstance(type_, GridType):
        yield from type_.extents


def header_dims(definition: Definition) -> Iterator[Dim]:
    """The dimensions of ports, results and grid, in order."""
    for port in definition.ports:
        yield from type_dims(port.type)
    for type_ in definition.results:
        yield from type_dims(type_)
    yield from definition.grid


def header_symbols(definition: Definition) -> list[str]:
    """The header's symbols in canonical order: as they first stand alone.

    Where a symbol stands alone does not depend on names, as the order within an expression does; so
    two definitions that differ in names only number their symbols alike. Symbols that never stand
    alone are not listed; nothing can bind them.
    """
    others = {p.value.name for p in definition.ports} | {v.name for v in definition.ids}
    found = [s for d in header_dims(definition) if (s := d.symbol) is not None and s not in others]
    return list(dict.fromkeys(found))


def values(definition: Definition) -> Iterator[Value]:
    """Every value of a definition, in number order."""
    yield from definition.symbols.values()
    for port in definition.ports:
        yield port.value
    yield from definition.ids
    if definition.body is None:
        return
    for event, instr, region in walk(definition.body):
        if event == ENTER:
            assert region is not None
            yield from region.parameters
        elif event == LEAVE:
            if region is instr.regions[-1]:
                yield from instr.results
        elif not instr.regions:
            if isinstance(instr.detail, NodeDetail):
                yield from instr.detail.ids
            yield from instr.results


def number(definition: Definition) -> int:
    """Set `Value.index` of every value and name the unnamed after their number; the count."""
    count = 0
    unnamed: list[Value] = []
    taken: set[str] = set()
    for value in values(definition):
        value.index = count
        count += 1
        if value.name is None:
            unnamed.append(value)
        elif value.name.isdigit():
            taken.add(value.name)
    for value in unnamed:
        name = str(value.index)
        while name in taken:
            name += ".0"
        taken.add(name)
        value.name = name
    return count


def number_module(module: Module) -> None:
    for definition in module.definitions.values():
        number(definition)
