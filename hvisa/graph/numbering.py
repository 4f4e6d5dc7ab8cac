"""Numbers of values: the order that bytecode uses, and names for what has none.

Order in a definition: header symbols, ports, instance ids, then the body in order; before an
instruction's results come a node's ids, the parameters of its regions and everything in them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hvisa.graph.model import ENTER, LEAVE, Definition, Module, NodeDetail, Value, walk


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
