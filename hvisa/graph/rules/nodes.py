"""Uses of nodes: grids, forms of results, written parts, one-to-one edges (semantics 3 to 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.graph import signatures
from hvisa.graph.affine import Component, Footprint
from hvisa.graph.model import Definition, Instr, NodeDetail, Port, Value
from hvisa.graph.rules import boxes
from hvisa.spec import dimensions as dims
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.operations import DIRECTIONS, EDGE_KINDS, EFFECT_CLASSES, MODES, OUTPUT_FORMS
from hvisa.spec.types import BufferType, GridType, StreamType

if TYPE_CHECKING:
    from hvisa.graph.rules.graphs import Graph

_ONE = EDGE_KINDS.index("one")
_OWN, _CHECKED = MODES.index("own"), MODES.index("own checked")


def node(graph: Graph, instr: Instr) -> None:
    """All rules about one use of a node."""
    callee = graph.module.definitions[instr.callee or ""]
    detail: NodeDetail = instr.detail
    taken, written = callee.taken, callee.written
    ids = frozenset(v.name or "" for v in detail.ids)
    graph.check_dims(instr, detail.grid)
    for position, argument in enumerate(detail.arguments):
        if argument.box is not None:
            graph.check_dims(instr, [d for part in argument.box for d in part], position, ids)
    for output in detail.outputs:
        if output.box is not None:
            graph.check_dims(instr, [d for part in output.box for d in part], ids=ids)
        if output.whole is not None:
            graph.check_types(instr, output.whole)
    for position, port in enumerate(taken):
        _argument(graph, instr, callee, detail, port, position)
    for number, port in enumerate(written):
        graph.producers[instr.results[number]] = instr, number
        if port.direction == 2:
            _out(graph, instr, callee, detail, port, number)
    _forms(graph, instr, callee, detail)
    for value in instr.results:
        graph.check_types(instr, value.type, fresh=True)
    graph.versions.node(instr, taken, written)
    graph.streams.node(instr, callee)
    _effect(graph, instr, callee, detail)


def _argument(graph: Graph, instr: Instr, callee: Definition, detail: NodeDetail, port: Port,
              position: int) -> None:
    argument = detail.arguments[position]
    operand = instr.operands[position]
    if port.policy:
        graph.report.at("HV0512", f"`%{port.name}` of `@{callee.name}` may drop items, inside a "
                                  "graph",
                        instr, position, note="paths that meet again would no longer fit",
                        help=f"remove the policy from `%{port.name}`")
    if argument.edge == _ONE and isinstance(operand.type, BufferType):
        _one_to_one(graph, instr, callee, port, position)
    elif argument.edge == _ONE and not isinstance(operand.type, GridType):
        graph.report.at("HV0509", f"`one` does not hold for `%{port.name}` of "
                                  f"`@{callee.name}`", instr,
                        position, note="this is one value for all instances", help="remove `one`")
    if not port.written:
        return
    if operand in graph.views:
        graph.report.at("HV0312", f"`%{operand.name}` is a read-only view, and `%{port.name}` of "
                        f"`@{callee.name}` is written", instr, position,
                        help="`split` the buffer, pass the part, and `join` the parts again")
    if argument.box is not None and not detail.grid:
        graph.report.at("HV0508", f"`%{port.name}` of `@{callee.name}` is written through a box, "
                        "and the node is not replicated", instr, position,
                        help="`split` the buffer, pass the part, and `join` the parts again")
    elif detail.grid and isinstance(operand.type, BufferType):
        if argument.box is not None:
            if port.mode != _CHECKED:
                boxes.disjoint(graph, instr, detail, argument.box, port, position)
        elif port.mode in (_OWN, _CHECKED):
            _needs_box(graph, instr, callee, port, position)


def _needs_box(graph: Graph, instr: Instr, callee: Definition, port: Port, position: int) -> None:
    operand = instr.operands[position] if position >= 0 else None
    ids = instr.detail.ids
    first = f"32*%{ids[0].name} :+ 32"
    rank = port.type.rank if isinstance(port.type, BufferType) else 1
    box = ", ".join([first] + ["0 :+ %n"] * (rank - 1))
    what = f"-> ({port.type} at [{box}])"
    if isinstance(operand, Value):
        what = f"%{operand.name}[{box}]"
    graph.report.at("HV0506", f"every instance of `@{callee.name}` would write all of "
                              f"`%{port.name}`",
                    instr, position, note=f"the port is `{DIRECTIONS[port.direction]} "
                    f"{MODES[port.mode]}`, and the node is replicated",
                    help=f"give each instance its box, for example `{what}`")


def _out(graph: Graph, instr: Instr, callee: Definition, detail: NodeDetail, port: Port,
         number: int) -> None:
    output = detail.outputs[number]
    if not detail.grid:
        if output.box is not None:
            graph.report.at("HV0508", f"`%{port.name}` of `@{callee.name}` has a box, and the node "
                            "is not replicated", instr, help="write `_` for it")
    elif output.box is None:
        _needs_box(graph, instr, callee, port, -1)
    else:
        if port.mode != _CHECKED:
            boxes.disjoint(graph, instr, detail, output.box, port, -1)
        if boxes.tile(detail, output) and port.name in graph.facts[callee.name].covered:
            graph.tiled.add(instr.results[number])


def _forms(graph: Graph, instr: Instr, callee: Definition, detail: NodeDetail) -> None:
    """`collect` and `reduce` need a grid; boxes stand on `out` ports only."""
    grid = callee.grid if callee.kind == "leaf" else detail.grid
    written = callee.written
    for number, output in enumerate(detail.outputs):
        if output.form and not grid:
            graph.report.at("HV0503", f"`{OUTPUT_FORMS[output.form]}` joins the results of a grid, "
                            f"and `@{callee.name}` has none here", instr, help="write `_` for it")
        if output.box is not None and (number >= len(written) or written[number].direction != 2):
            graph.report.at("HV0508", "only an `out` port has a box among the results", instr,
                            help="write `_` for it")


def _effect(graph: Graph, instr: Instr, callee: Definition, detail: NodeDetail) -> None:
    found = graph.facts[callee.name].effect
    if detail.effect and detail.effect < found:
        graph.report.at("HV0701", f"`@{callee.name}` is {EFFECT_CLASSES[found]}, and this use says "
                        f"{EFFECT_CLASSES[detail.effect]}", instr,
                        help=f"write `{EFFECT_CLASSES[found]}`, or nothing")
    if max(found, detail.effect):
        graph.raise_effect(max(found, detail.effect), instr,
                           f"`@{callee.name}` is {EFFECT_CLASSES[max(found, detail.effect)]}")


# -- one-to-one buffer edges -----------------------------------------------------------------------

def _one_to_one(graph: Graph, instr: Instr, callee: Definition, port: Port, position: int) -> None:
    """Each instance reads only what the same instance of the producer made."""
    operand = instr.operands[position]
    made = graph.producers.get(operand) if isinstance(operand, Value) else None
    producer = graph.module.definitions[made[0].callee or ""] if made else None
    if made is None or producer is None or producer.kind != "leaf" or callee.kind != "leaf":
        problem = "it joins two leaves, and this buffer does not come from one"
    elif instr.detail.arguments[position].box is not None:
        problem = "it takes the whole buffer, and this is a box"
    elif producer.written[made[1]].mode != _OWN:
        problem = f"`%{producer.written[made[1]].name}` of `@{producer.name}` is not `own`"
    else:
        problem = _reads_elsewhere(graph, instr, callee, port, made[0], producer,
                                   producer.written[made[1]])
    if problem:
        graph.report.at("HV0509", f"`one` does not hold for `%{port.name}` of "
                                  f"`@{callee.name}`", instr,
                        position, note=problem, help="remove `one`: the whole buffer is passed "
                                                     "then")


def _reads_elsewhere(graph: Graph, instr: Instr, callee: Definition, port: Port, maker: Instr,
                     producer: Definition, source: Port) -> str:
    """Why reads may leave the producer's footprint of the same instance; empty if they do not."""
    try:
        mine, theirs = signatures.binding_of(instr, callee), signatures.binding_of(maker, producer)
        grids = [tuple(d.substitute(b) for d in c.grid) for c, b in ((callee, mine),
                                                                      (producer, theirs))]
    except DimError as error:
        return str(error)
    if grids[0] != grids[1]:
        return f"the grids differ: ({_list(grids[0])}) and ({_list(grids[1])})"
    reads = graph.facts[callee.name].footprints.get(port.name)
    writes = graph.facts[producer.name].footprints.get(source.name)
    if reads is None or writes is None:
        return "the accesses are not known"
    return _compare(reads, writes, _renaming(callee, mine), _renaming(producer, theirs))


def _list(grid: tuple[Dim, ...]) -> str:
    return ", ".join(map(str, grid))


def _renaming(definition: Definition, binding: dict[str, Dim]) -> dict[str, Dim]:
    """A leaf's symbols in those of the graph; ids by their position."""
    return {**binding, **{v.name or "": dims.symbol(f"#{n}") for n, v in enumerate(definition.ids)}}


def _compare(reads: Footprint, writes: Footprint, mine: dict[str, Dim],
             theirs: dict[str, Dim]) -> str:
    for axis, (read, write) in enumerate(zip(reads.components, writes.components, strict=False)):
        if write.form is None or not write.form.ids:
            continue  # this index does not tell instances apart, so nothing else is read through it
        if read.form is None or not _inside(read, write, mine, theirs):
            return f"index {axis} reaches what other instances made"
    return ""


def _inside(read: Component, write: Component, mine: dict[str, Dim],
            theirs: dict[str, Dim]) -> bool:
    assert read.form is not None and write.form is not None
    try:
        same = read.form.renamed(mine) == write.form.renamed(theirs)
    except DimError:
        return False
    return same and not read.form.counters and write.low <= read.low and read.high <= write.high


def lifted(instr: Instr, callee: Definition) -> bool:
    """Whether the node runs once for each item of its streams."""
    return any(isinstance(o.type, StreamType) and not isinstance(p.type, StreamType)
               for o, p in zip(instr.operands, callee.taken, strict=False))
