"""What the uses of a definition say about it: collected over all graphs before bodies are looked
at."""

from __future__ import annotations

from hvisa.graph.model import Instr, Module, NodeDetail, Value, instructions
from hvisa.spec.operations import EDGE_KINDS
from hvisa.spec.table import ROWS
from hvisa.spec.types import GridType

_NODE = ROWS["node"]
_ONE = EDGE_KINDS.index("one")


class Uses:
    """By definition name: `varying` value ports that a one-to-one edge feeds, `observed` buffer
    ports of which a `one` edge needs the accesses, and `replicated`: what lies inside a replicated
    graph."""

    __slots__ = ("observed", "replicated", "varying")

    def __init__(self) -> None:
        self.varying: dict[str, frozenset[str]] = {}
        self.observed: dict[str, frozenset[str]] = {}
        self.replicated: set[str] = set()

    def _add(self, table: dict[str, frozenset[str]], callee: str, port: str) -> None:
        table[callee] = table.get(callee, frozenset()) | {port}


def collect(module: Module, sane: set[str]) -> Uses:
    """The uses in all sound graphs."""
    found = Uses()
    inside: dict[str, list[str]] = {}
    todo: list[str] = []
    for name, definition in module.definitions.items():
        if name not in sane or definition.kind != "graph" or definition.body is None:
            continue
        made: dict[Value, tuple[str, str]] = {}  # what a node's written port gave
        for instr in instructions(definition.body):
            if instr.row is not _NODE or instr.callee not in module.definitions:
                continue
            inside.setdefault(name, []).append(instr.callee)
            detail: NodeDetail = instr.detail
            if detail.grid:
                todo.append(instr.callee)
            _node(module, found, instr, detail, made)
    while todo:
        name = todo.pop()
        if name not in found.replicated:
            found.replicated.add(name)
            todo += inside.get(name, [])
    return found


def _node(module: Module, found: Uses, instr: Instr, detail: NodeDetail,
          made: dict[Value, tuple[str, str]]) -> None:
    callee = module.definitions[instr.callee or ""]
    for port, operand, argument in zip(callee.taken, instr.operands, detail.arguments,
                                       strict=False):
        if isinstance(operand.type, GridType) and not isinstance(port.type, GridType):
            found._add(found.varying, callee.name, port.name)
        if argument.edge == _ONE:
            found._add(found.observed, callee.name, port.name)
            if isinstance(operand, Value) and operand in made:
                found._add(found.observed, *made[operand])
    for port, value in zip(callee.written, instr.results, strict=False):
        made[value] = callee.name, port.name
