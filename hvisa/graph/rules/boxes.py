"""Boxes that instances of a replicated graph write: disjoint, and whether they reach everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.graph import affine
from hvisa.graph.affine import Digit, Space
from hvisa.graph.model import Box, Instr, NodeDetail, Output, Port
from hvisa.spec import dimensions as dims
from hvisa.spec.operations import DIRECTIONS
from hvisa.spec.types import BufferType

if TYPE_CHECKING:
    from hvisa.graph.rules.graphs import Graph


def _space(detail: NodeDetail) -> Space:
    return Space({v.name or "": e for v, e in zip(detail.ids, detail.grid, strict=True)})


def disjoint(graph: Graph, instr: Instr, detail: NodeDetail, box: Box, port: Port,
             position: int) -> None:
    """Report unless boxes of different instances have no element in common (docs/spec/own.md)."""
    space = _space(detail)
    digits: set[Digit] = set()
    for offset, length in box:
        found = affine.form(offset, space)
        if found is not None:
            widths = [w for w in affine.bounds(length) if not any(map(space.varies, w.symbols()))]
            digits |= affine.separates(found, widths, space)
    known = affine.determined(digits, space.extents)
    missing = [f"`%{i}`" for i, e in space.extents.items() if i not in known and e.constant != 1]
    if missing:
        word = DIRECTIONS[port.direction]
        graph.report.at("HV0311", f"the boxes of `%{port.name}` may meet: instances that differ in "
                        f"{', '.join(missing)} are not told apart", instr, position,
                        note="an offset grows by at least the length from one instance to the next",
                        help=f"write offsets such as `32*%i :+ 32`, or make the port `{word} own "
                        f"checked %{port.name}`")


def tile(detail: NodeDetail, output: Output) -> bool:
    """Whether the boxes together are the whole buffer."""
    if output.box is None or not isinstance(output.whole, BufferType):
        return False
    space = _space(detail)
    left = dict(space.extents)
    for (offset, length), extent in zip(output.box, output.whole.shape, strict=False):
        if offset.constant == 0 and length == extent:
            continue
        found = affine.form(offset, space)
        if found is None or len(found.ids) != 1 or found.uniform.terms or found.low:
            return False
        (digit, stride), = found.ids.items()
        if not isinstance(digit, str) or digit not in left:
            return False
        # A length clipped by hand at the extent is as good as one clipped by rule.
        rest = extent - offset
        if length not in (stride, rest, dims.minimum(stride, rest)):
            return False
        count = left.pop(digit)
        try:
            if count * stride != extent and count != dims.ceildiv(extent, stride):
                return False
        except dims.DimError:
            return False
    return not affine.maybe_empty(left.values())
