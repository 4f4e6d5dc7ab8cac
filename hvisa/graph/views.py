"""networkx views of a module: the only importer of networkx (it costs 0.1 s, so nothing on the way of a
launch imports this)."""

from __future__ import annotations

from typing import Any

import networkx as nx

from hvisa.graph.model import (
    ENTER,
    GlobalRef,
    Instr,
    InternalNode,
    NodeDetail,
    Operand,
    Region,
    Value,
    walk,
)
from hvisa.spec.operations import EDGE_KINDS
from hvisa.spec.types import GridType, StreamType

Node = tuple[str, Any]  # ("in", name), ("node", position), ("out", position), ("constant", name)


def region_view(region: Region, inputs: list[Value], outputs: list[str]) -> nx.MultiDiGraph:
    """The constructs of one region of a graph, as nodes with the attribute `instr`, and their edges.

    Values from outside are nodes ("in", name), what the region yields nodes ("out", number). An edge has
    `value`, `label` (the type) and `kind`: all, one or stream. What a construct uses inside its own
    regions counts as its use.
    """
    view = nx.MultiDiGraph()
    makers: dict[Value, Node] = {}
    for value in inputs:
        view.add_node(("in", value.name), title=f"%{value.name}", label=str(value.type))
        makers[value] = ("in", value.name)
    for number, instr in enumerate(region.body):
        if instr.row.terminator:
            continue
        node = ("node", number)
        view.add_node(node, instr=instr)
        makers |= dict.fromkeys([*instr.results], node)
    for number, instr in enumerate(region.body):
        if instr.row.terminator:
            for position, operand in enumerate(instr.operands):
                out = ("out", position)
                title = outputs[position] if position < len(outputs) else f"result {position}"
                view.add_node(out, title=title, label=str(operand.type))
                _edge(view, makers, operand, out, "all")
            continue
        for operand, kind in _uses(instr):
            _edge(view, makers, operand, ("node", number), kind)
    return view


def _uses(instr: Instr) -> list[tuple[Operand, str]]:
    """Operands of an instruction and of everything inside it, with the kind of edge."""
    found: list[tuple[Operand, str]] = []
    for position, operand in enumerate(instr.operands):
        kind = "stream" if isinstance(operand.type, StreamType) else \
            "one" if isinstance(operand.type, GridType) else "all"
        if isinstance(instr.detail, NodeDetail) and position < len(instr.detail.arguments) \
                and instr.detail.arguments[position].edge:
            kind = EDGE_KINDS[instr.detail.arguments[position].edge]
        found.append((operand, kind))
    for region in instr.regions:
        inner = {v for e, i, r in walk(region) for v in
                 (r.parameters if e == ENTER and r is not None else i.results)}
        inner |= set(region.parameters)
        found += [(o, "all") for e, i, _ in walk(region) if e == 0 for o in i.operands
                  if o not in inner]
    return found


def _edge(view: nx.MultiDiGraph, makers: dict[Value, Node], operand: Operand,
          target: Node, kind: str) -> None:
    if isinstance(operand, GlobalRef):
        source: Node = ("constant", operand.name)
        view.add_node(source, title=f"@{operand.name}", label=str(operand.type))
        view.add_edge(source, target, label=str(operand.type), kind=kind, value=operand.name)
    elif isinstance(operand, Value) and operand in makers:
        view.add_edge(makers[operand], target, label=str(operand.type), kind=kind,
                      value=operand.name)


def graph_view(graph: InternalNode) -> nx.MultiDiGraph:
    """The body of a graph: its ports, constructs and edges."""
    assert graph.body is not None
    inputs = [p.value for p in graph.taken] + list(graph.symbols.values())
    names = [f"%{p.name}" for p in graph.written] + [
        f"%{n}" if n else f"result {k}" for k, n in enumerate(graph.result_names)]
    view = region_view(graph.body, inputs, names)
    view.remove_nodes_from([("in", s) for s in graph.symbols if view.degree(("in", s)) == 0])
    return view


def layers(view: nx.MultiDiGraph) -> list[list[Node]]:
    """Nodes in layers such that edges go down, few edges crossing; edges of delays are left out.

    Source: Sugiyama, Tagawa, Toda, "Methods for visual understanding of hierarchical system
    structures", section 3 (barycentre method).
    """
    acyclic = nx.DiGraph()
    acyclic.add_nodes_from(view.nodes)
    for a, b in view.edges():
        instr = view.nodes[b].get("instr")
        back = instr is not None and instr.row.mnemonic == "delay" and a[0] == "node" and a[1] > b[1]
        if not back and a != b:
            acyclic.add_edge(a, b)
    depth: dict[Node, int] = {}
    for node in nx.topological_sort(acyclic):
        above = [depth[p] for p in acyclic.predecessors(node)]
        depth[node] = 0 if node[0] == "in" else 1 + max(above, default=0)
    if not depth:
        return []
    bottom = max([depth[n] for n in depth if n[0] != "out"], default=0) + 1
    for node in depth:
        if node[0] == "out":
            depth[node] = bottom
        elif node[0] == "constant":
            depth[node] = max(0, min((depth[s] for s in acyclic.successors(node)), default=1) - 1)
    rows: list[list[Node]] = [[] for _ in range(bottom + 1)]
    for node, level in depth.items():
        rows[level].append(node)
    _order(rows, acyclic)
    return [row for row in rows if row]


def _order(rows: list[list[Node]], graph: nx.DiGraph) -> None:
    """A few sweeps of sorting each layer by the mean position of its neighbours."""
    for sweep in range(8):
        down = sweep % 2 == 0
        place = {n: i / max(1, len(row)) for row in rows for i, n in enumerate(row)}
        for row in rows if down else reversed(rows):
            near = graph.predecessors if down else graph.successors
            weight = {n: _mean([place[m] for m in near(n)], place[n]) for n in row}
            row.sort(key=weight.__getitem__)
            place |= {n: i / max(1, len(row)) for i, n in enumerate(row)}


def _mean(values: list[float], default: float) -> float:
    return sum(values) / len(values) if values else default
