"""Pictures of graphs as SVG: the hierarchy as nested boxes, with ports, grids and edges.

Each graph is laid out in layers from top to bottom; a node that is a graph is drawn with its own body
inside, down to `depth` levels and `MAX_BOXES` boxes. Hovering an edge shows its type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import networkx as nx

from hvisa.graph.model import (
    Definition,
    Instr,
    InternalNode,
    LeafNode,
    Module,
    NodeDetail,
    Region,
    Value,
    walk,
)
from hvisa.graph.views import Node, graph_view, layers, region_view
from hvisa.spec.dimensions import Dim
from hvisa.spec.operations import EFFECT_CLASSES

MAX_BOXES = 600
CHARACTER = 6.6  # width of a character of the text font, in pixels
LINE = 16
PAD = 14
LAYER_GAP = 46
BOX_GAP = 22
LANE = 10

STYLE = """
text { font: 11px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1c2733; }
.title { font-weight: bold; } .note { fill: #5c6b7a; } .port { fill: #0b5c8a; }
rect { stroke-width: 1.2; } .graph { fill: #f5f8fb; stroke: #7d93a8; }
.leaf { fill: #e3f1e6; stroke: #3f8f58; } .control { fill: #fdf4e1; stroke: #b98a2e; }
.value { fill: #ffffff; stroke: #9aa7b4; } .pill { fill: #e4eef7; stroke: #5a8ab5; }
path { fill: none; stroke: #51606f; stroke-width: 1.3; } path:hover { stroke: #d0402b; stroke-width: 2.4; }
.one { stroke: #3f8f58; } .stream { stroke: #8a4fb0; stroke-dasharray: 6 3; }
"""


@dataclass
class Box:
    """A rectangle with lines of text and, for graphs, boxes and edges inside (relative positions)."""

    kind: str
    lines: list[tuple[str, str]]
    width: float = 0
    height: float = 0
    x: float = 0
    y: float = 0
    inside: list[Box] = field(default_factory=list)
    edges: list[tuple[list[tuple[float, float]], str, str]] = field(default_factory=list)

    def fit(self) -> Box:
        """Size from the text alone."""
        longest = max((len(t) for t, _ in self.lines), default=0)
        self.width = max(self.width, longest * CHARACTER + 2 * PAD)
        self.height = max(self.height, len(self.lines) * LINE + PAD)
        return self


class Drawing:
    def __init__(self, module: Module, depth: int):
        self.module = module
        self.depth = depth
        self.boxes = 0

    # -- boxes ---------------------------------------------------------------------------------

    def definition(self, definition: Definition, level: int) -> Box:
        """A definition on its own."""
        lines = [(f"{definition.kind} @{definition.name}", "title"), *_grid_line(definition.ids,
                                                                                 definition.grid)]
        lines += [(f"{_direction(p.direction)}%{p.name}: {p.type}", "port") for p in definition.ports]
        if definition.effect:
            lines.append((EFFECT_CLASSES[definition.effect], "note"))
        if not isinstance(definition, InternalNode) or definition.body is None:
            return Box("leaf", lines).fit()
        box = Box("graph", lines)
        self._fill(box, graph_view(definition), level)
        return box

    def instr(self, instr: Instr, level: int) -> Box:
        self.boxes += 1
        if instr.row.mnemonic == "node":
            return self._node(instr, level)
        if instr.regions:
            return self._control(instr, level)
        names = ", ".join(f"%{v.name}" for v in instr.results)
        lines = [(instr.row.mnemonic, "title")]
        if instr.results:
            lines.append((f"{names}: {instr.results[0].type}", "note"))
        return Box("value", lines).fit()

    def _node(self, instr: Instr, level: int) -> Box:
        detail: NodeDetail = instr.detail
        callee = self.module.definitions.get(instr.callee or "")
        lines = [(f"@{instr.callee}", "title")]
        if detail.ids:
            lines += _grid_line(detail.ids, detail.grid)
        elif callee is not None and callee.ids:
            lines += _grid_line(callee.ids, callee.grid)
        lines += [(f"{a.name} = {a.value}", "note") for a in instr.attributes]
        if isinstance(callee, InternalNode) and callee.body is not None:
            if level < self.depth and self.boxes < MAX_BOXES:
                box = Box("graph", lines)
                self._fill(box, graph_view(callee), level + 1)
                return box
            lines.append(("...", "note"))
            return Box("graph", lines).fit()
        return Box("leaf" if isinstance(callee, LeafNode) else "value", lines).fit()

    def _control(self, instr: Instr, level: int) -> Box:
        words = {"for": "for", "loop": "loop until", "if": "if"}
        title = words.get(instr.row.mnemonic, instr.row.mnemonic)
        box = Box("control", [(title, "title")])
        if level >= self.depth or self.boxes >= MAX_BOXES:
            box.lines.append(("...", "note"))
            return box.fit()
        x = float(PAD)
        for number, region in enumerate(instr.regions):
            inner = Box("control", [("then" if number == 0 else "else", "note")]
                        if instr.row.mnemonic == "if" else [])
            self._fill(inner, _region(region), level + 1)
            inner.x, inner.y = x, LINE + PAD
            x += inner.width + BOX_GAP
            box.inside.append(inner)
        box.width = x - BOX_GAP + PAD
        box.height = max(b.y + b.height for b in box.inside) + PAD
        return box.fit()

    # -- layout --------------------------------------------------------------------------------

    def _fill(self, box: Box, view: nx.MultiDiGraph, level: int) -> None:
        """Place the nodes of a view inside a box, layer under layer, and draw its edges."""
        made: dict[Node, Box] = {}
        rows = layers(view)
        for row in rows:
            for node in row:
                data = view.nodes[node]
                if "instr" in data:
                    made[node] = self.instr(data["instr"], level)
                else:
                    made[node] = Box("pill", [(data["title"], "port")]).fit()
                    self.boxes += 1
        top = len(box.lines) * LINE + PAD
        widest = max((sum(made[n].width + BOX_GAP for n in row) - BOX_GAP for row in rows), default=0)
        lanes = _long_edges(view, rows)
        box.width = max(widest + 2 * PAD + lanes * LANE,
                        max((len(t) for t, _ in box.lines), default=0) * CHARACTER + 2 * PAD)
        y = float(top)
        for row in rows:
            total = sum(made[n].width + BOX_GAP for n in row) - BOX_GAP
            x = (box.width - lanes * LANE - total) / 2
            for node in row:
                made[node].x, made[node].y = x, y
                x += made[node].width + BOX_GAP
            y += max((made[n].height for n in row), default=0) + LAYER_GAP
        box.height = y - LAYER_GAP + PAD if rows else top
        box.inside += made.values()
        self._edges(box, view, rows, made)

    def _edges(self, box: Box, view: nx.MultiDiGraph, rows: list[list[Node]],
               made: dict[Node, Box]) -> None:
        level = {n: k for k, row in enumerate(rows) for n in row}
        used_out: dict[Node, int] = {}
        used_in: dict[Node, int] = {}
        lane = 0
        for a, b, data in view.edges(data=True):
            source, target = made[a], made[b]
            x1 = source.x + _spread(source.width, view.out_degree(a), used_out, a)
            x2 = target.x + _spread(target.width, view.in_degree(b), used_in, b)
            y1, y2 = source.y + source.height, target.y
            points = [(x1, y1), (x2, y2)]
            if level[b] != level[a] + 1:
                lane += 1
                side = box.width - PAD / 2 - (lane - 1) * LANE
                points = [(x1, y1), (side, y1 + LAYER_GAP / 2), (side, y2 - LAYER_GAP / 2), (x2, y2)]
            text = f"%{data['value']}: {data['label']}"
            box.edges.append((points, data["kind"], text))


def _region(region: Region) -> nx.MultiDiGraph:
    return region_view(region, list(region.parameters), [])


def _long_edges(view: nx.MultiDiGraph, rows: list[list[Node]]) -> int:
    level = {n: k for k, row in enumerate(rows) for n in row}
    return sum(1 for a, b in view.edges() if level[b] != level[a] + 1)


def _spread(width: float, count: int, used: dict[Node, int], key: Node) -> float:
    """Ends of edges side by side along a border."""
    number = used[key] = used.get(key, 0) + 1
    return width * number / (count + 1)


def _direction(code: int) -> str:
    return ("", "in ", "out ", "inout ")[code]


def _grid_line(ids: Sequence[Value], grid: Sequence[Dim]) -> list[tuple[str, str]]:
    pairs = [f"%{v.name} < {d}" for v, d in zip(ids, grid, strict=True)]
    return [(f"grid({', '.join(pairs)})", "note")] if pairs else []


# -- SVG ---------------------------------------------------------------------------------------------

def _curve(points: list[tuple[float, float]]) -> str:
    (x, y), *rest = points
    out = [f"M{x:.1f} {y:.1f}"]
    for x2, y2 in rest:
        bend = (y2 - y) / 2
        out.append(f"C{x:.1f} {y + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}")
        x, y = x2, y2
    return "".join(out)


def _write(box: Box, x: float, y: float, out: list[str]) -> None:
    """Boxes from the outside in, edges over them."""
    stack = [(box, x, y)]
    while stack:
        current, left, top = stack.pop()
        rounded = 10 if current.kind == "pill" else 4
        out.append(f'<rect class="{current.kind}" x="{left:.1f}" y="{top:.1f}" rx="{rounded}" '
                   f'width="{current.width:.1f}" height="{current.height:.1f}"/>')
        for number, (text, style) in enumerate(current.lines):
            out.append(f'<text class="{style}" x="{left + PAD:.1f}" '
                       f'y="{top + (number + 1) * LINE:.1f}">{escape(text)}</text>')
        for points, kind, text in current.edges:
            moved = [(left + px, top + py) for px, py in points]
            out.append(f'<path class="{kind}" marker-end="url(#tip)" d="{_curve(moved)}">'
                       f"<title>{escape(text)}</title></path>")
        stack += [(b, left + b.x, top + b.y) for b in reversed(current.inside)]


def draw(module: Module, name: str | None = None, depth: int = 8) -> str:
    """SVG of one definition, or of every public one, side by side.

    Raises KeyError for a name that the module lacks.
    """
    drawing = Drawing(module, depth)
    used = {callee for d in module.definitions.values() if d.body for callee in _callees(d)}
    names = [name] if name is not None else [
        n for n in module.definitions if n not in used] or list(module.definitions)
    boxes = [drawing.definition(module.definitions[n], 0) for n in names]
    out: list[str] = []
    x = 10.0
    for box in boxes:
        _write(box, x, 10, out)
        x += box.width + 30
    height = max((b.height for b in boxes), default=0) + 20
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{x - 20:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {x - 20:.0f} {height:.0f}"><style>{STYLE}</style><defs><marker id="tip" '
            'markerWidth="7" markerHeight="7" refX="6" refY="3" orient="auto"><path d="M0 0L6 3L0 6Z" '
            'style="fill:#51606f;stroke:none"/></marker></defs>'
            '<rect width="100%" height="100%" fill="white"/>')
    return head + "".join(out) + "</svg>\n"


def _callees(definition: Definition) -> list[str]:
    assert definition.body is not None
    return [i.callee for _, i, _ in walk(definition.body) if i.callee is not None]
