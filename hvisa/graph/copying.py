"""Copies of definitions: the same meaning, nothing shared that a pass could change."""

from __future__ import annotations

from collections.abc import Mapping

from hvisa.graph.model import (
    ENTER,
    Argument,
    Definition,
    Function,
    GlobalRef,
    Instr,
    NodeDetail,
    Operand,
    Output,
    Port,
    Region,
    Value,
    walk,
)


class _Copier:
    def __init__(self, rename: Mapping[str, str]):
        self.rename = rename
        self.values: dict[Value, Value] = {}

    def value(self, old: Value) -> Value:
        new = self.values.get(old)
        if new is None:
            new = self.values[old] = Value(old.name, old.type)
        return new

    def operand(self, old: Operand) -> Operand:
        if isinstance(old, Value):
            return self.value(old)
        if isinstance(old, GlobalRef) and old.name in self.rename:
            return GlobalRef(self.rename[old.name], old.type)
        return old

    def region(self, region: Region) -> Region:
        """Regions are rebuilt from the inside out, so that nesting needs no recursion."""
        built: dict[int, Region] = {}
        order = [region, *(r for event, _, r in walk(region) if event == ENTER and r is not None)]
        for old in reversed(order):
            new = Region([self.value(v) for v in old.parameters])
            new.body = [self.instr(i, built) for i in old.body]
            built[id(old)] = new
        return built[id(region)]

    def instr(self, old: Instr, built: Mapping[int, Region]) -> Instr:
        new = Instr(old.row, [self.operand(o) for o in old.operands],
                    [self.value(v) for v in old.results], old.span)
        for slot in ("type_argument", "immediates", "offsets", "fast", "uniform", "detail", "attributes"):
            setattr(new, slot, getattr(old, slot))
        new.callee = self.rename.get(old.callee, old.callee) if old.callee is not None else None
        new.regions = tuple(built[id(r)] for r in old.regions)
        if isinstance(old.detail, NodeDetail):
            detail: NodeDetail = old.detail
            new.detail = NodeDetail(
                detail.grid, [self.value(v) for v in detail.ids],
                [Argument(a.box, a.edge, a.consume) for a in detail.arguments],
                [Output(o.form, o.operator, o.whole, o.box, o.produce) for o in detail.outputs],
                detail.effect)
        return new

    def port(self, old: Port) -> Port:
        new = Port(self.value(old.value), old.direction, old.span)
        for slot in ("mode", "operator", "strided", "source", "policy", "count"):
            setattr(new, slot, getattr(old, slot))
        return new


def copy_definition(old: Definition, name: str, rename: Mapping[str, str]) -> Definition:
    """A copy under another name, with callees and constants renamed."""
    copier = _Copier(rename)
    new = type(old)(name, old.span)
    for slot in ("public", "grid", "effect", "attributes", "implements", "source_module"):
        setattr(new, slot, getattr(old, slot))
    if isinstance(old, Function) and isinstance(new, Function):
        new.external = old.external
    new.symbols = {n: copier.value(v) for n, v in old.symbols.items()}
    new.ports = [copier.port(p) for p in old.ports]
    new.ids = [copier.value(v) for v in old.ids]
    new.results, new.result_names = list(old.results), list(old.result_names)
    new.body = copier.region(old.body) if old.body is not None else None
    return new
