"""A graph over streams as a graph over one item, with its delay edges as state (semantics 8).

`per_item(module, entry)` gives a module whose entry takes one item of each stream, the state of every
delay edge, and whether this is the first item; it gives one item of each result and the next state.
Calling it once an item, in order, is what the stream means. Counts other than one item per firing do
not fit this form; `unfit` names them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hvisa.graph.inference import complete
from hvisa.graph.model import (
    Argument,
    Definition,
    Instr,
    InternalNode,
    Module,
    NodeDetail,
    Output,
    Port,
    Region,
    Value,
    walk,
)
from hvisa.graph.numbering import number_module
from hvisa.spec import types as ty
from hvisa.spec.table import ROWS
from hvisa.spec.types import BufferType, StreamType, Type

FIRST = "first.item"


def has_streams(definition: Definition) -> bool:
    return any(isinstance(t, StreamType) for t in
               [p.type for p in definition.ports] + definition.results)


def unfit(module: Module, entry: str) -> Iterator[Instr | Port]:
    """What keeps an entry from running item by item: counts that are not one."""
    for name in _closure(module, entry):
        definition = module.definitions[name]
        yield from (p for p in definition.ports if p.count != 1)
        if not isinstance(definition, InternalNode) or definition.body is None:
            continue
        for event, instr, _ in walk(definition.body):
            if event == 0 and isinstance(instr.detail, NodeDetail) and (
                    any(a.consume != 1 for a in instr.detail.arguments)
                    or any(o.produce != 1 for o in instr.detail.outputs)):
                yield instr


def _closure(module: Module, entry: str) -> list[str]:
    """The entry and every definition that it reaches, callees after callers."""
    found: dict[str, None] = {entry: None}
    work = [entry]
    while work:
        definition = module.definitions[work.pop()]
        if definition.body is None:
            continue
        for _, instr, _ in walk(definition.body):
            if instr.callee is not None and instr.callee in module.definitions \
                    and instr.callee not in found:
                found[instr.callee] = None
                work.append(instr.callee)
    return list(found)


def _item(type_: Type) -> Type:
    return type_.item if isinstance(type_, StreamType) else type_


class _Copy:
    """One graph being copied; `states` lists the delays of it and of the graphs it calls."""

    def __init__(self, source: InternalNode, known: dict[str, _Copy]):
        self.source = source
        self.known = known
        self.target = InternalNode(source.name, source.span)
        self.values: dict[Value, Value] = {}
        self.states: list[tuple[Value, Value]] = []  # (state taken, state given)
        self.first: Value | None = None

    def value(self, old: Value) -> Value:
        new = self.values.get(old)
        if new is None:
            new = self.values[old] = Value(old.name, _item(old.type))
        return new

    def run(self) -> InternalNode:
        source, target = self.source, self.target
        for slot in ("public", "effect", "attributes", "implements", "grid"):
            setattr(target, slot, getattr(source, slot))
        target.ids = [self.value(v) for v in source.ids]
        target.symbols = {n: self.value(v) for n, v in source.symbols.items()}
        target.ports = [self._port(p) for p in source.ports]
        target.results = [_item(t) for t in source.results]
        target.result_names = list(source.result_names)
        assert source.body is not None
        needs_state = any(i.row.mnemonic == "delay" or (i.callee in self.known and
                          self.known[i.callee or ""].states) for _, i, _ in walk(source.body))
        if needs_state:
            self.first = Value(FIRST, ty.I1)
            target.ports.append(Port(self.first))
        target.body = self._region(source.body)
        self._add_states()
        return target

    def _port(self, old: Port) -> Port:
        new = Port(self.value(old.value), old.direction, old.span)
        for slot in ("mode", "operator", "strided", "source"):
            setattr(new, slot, getattr(old, slot))
        return new

    def _region(self, region: Region) -> Region:
        """The same region with items; regions inside it are rebuilt as they close."""
        built: dict[int, Region] = {}
        order = [region, *(r for e, _, r in walk(region) if e == 1 and r is not None)]
        for found in reversed(order):
            new = Region([self.value(v) for v in found.parameters])
            for instr in found.body:
                new.body += self._instr(instr, built)
            built[id(found)] = new
        return built[id(region)]

    def _instr(self, old: Instr, built: dict[int, Region]) -> list[Instr]:
        if old.row.mnemonic == "delay":
            return self._delay(old)
        operands = [self.value(o) if isinstance(o, Value) else o for o in old.operands]
        new = Instr(old.row, operands, [self.value(v) for v in old.results], old.span)
        for slot in ("type_argument", "immediates", "offsets", "fast", "callee", "uniform", "detail",
                     "attributes"):
            setattr(new, slot, getattr(old, slot))
        new.regions = tuple(built[id(r)] for r in old.regions)
        if isinstance(old.detail, NodeDetail):
            self._node(new, old.detail)
        return [new]

    def _node(self, instr: Instr, old: NodeDetail) -> None:
        detail = NodeDetail(old.grid, [self.value(v) for v in old.ids], list(old.arguments),
                            list(old.outputs), old.effect)
        instr.detail = detail
        callee = self.known.get(instr.callee or "")
        if callee is None or callee.first is None:
            return
        assert self.first is not None
        instr.operands.append(self.first)
        detail.arguments.append(Argument())
        written = len(callee.source.written)
        scalars: list[Value] = []
        at = written
        for taken, given in callee.states:
            name = f"{instr.callee}.{len(self.states)}.{taken.name}"
            state, following = Value(name, taken.type), Value(f"{name}.next", given.type)
            instr.operands.append(state)
            detail.arguments.append(Argument())
            self.states.append((state, following))
            if isinstance(taken.type, BufferType):
                instr.results.insert(at, following)
                detail.outputs.insert(at, Output())
                at += 1
            else:
                scalars.append(following)
        instr.results += scalars
        detail.outputs += [Output() for _ in scalars]

    def _delay(self, old: Instr) -> list[Instr]:
        """The state, or before the first item the initial value."""
        init, following = old.operands
        assert isinstance(following, Value)
        result = self.value(old.results[0])
        state = Value(f"{result.name}.state", result.type)
        self.states.append((state, self.value(following)))
        assert self.first is not None
        choose = Instr(ROWS["if"], [self.first], [result], old.span)
        start = self.value(init) if isinstance(init, Value) else init
        choose.regions = (Region([], [Instr(ROWS["yield"], [start], [], old.span)]),
                          Region([], [Instr(ROWS["yield"], [state], [], old.span)]))
        return [choose]

    def _add_states(self) -> None:
        """States become ports, and what follows them results."""
        target = self.target
        assert target.body is not None
        final = target.body.body[-1]
        at = len(self.source.written)
        for state, following in self.states:
            if isinstance(state.type, BufferType):
                port = Port(state, 1, target.span)
                out = Port(Value(f"{state.name}.out", following.type), 2, target.span)
                target.ports += [port, out]
                final.operands.insert(at, following)
                at += 1
            else:
                target.ports.append(Port(state, 0, target.span))
                target.results.append(following.type)
                target.result_names.append(f"{state.name}.out")
                final.operands.append(following)


def per_item(module: Module, entry: str) -> Module:
    """The module with every stream graph that `entry` reaches turned into its item form. The entry's
    states are the ports after `first item`, each with an `.out` counterpart."""
    out = Module(module.name, module.span)
    out.constants = module.constants
    out.features, out.math_version = list(module.features), module.math_version
    known: dict[str, _Copy] = {}
    for name in reversed(_order(module, entry)):
        definition = module.definitions[name]
        if not isinstance(definition, InternalNode) or definition.body is None:
            out.definitions[name] = definition
            continue
        copy = _Copy(definition, known)
        out.definitions[name] = copy.run()
        known[name] = copy
    errors = complete(out)
    assert not errors, errors
    number_module(out)
    return out


def _order(module: Module, entry: str) -> list[str]:
    """Callers before callees (the verifier has refused cycles)."""
    depth: dict[str, int] = {entry: 0}
    work = [entry]
    while work:
        name = work.pop()
        definition = module.definitions[name]
        if definition.body is None:
            continue
        for _, instr, _ in walk(definition.body):
            callee = instr.callee
            if callee in module.definitions and depth.get(callee, -1) <= depth[name]:
                depth[callee] = depth[name] + 1
                work.append(callee)
    return sorted(depth, key=lambda n: depth[n])
