"""Which element an access of the followed instance touches, for its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hvisa.graph.interpreter.plain import show
from hvisa.graph.interpreter.values import LeafBuffer
from hvisa.graph.model import Instr
from hvisa.spec.definitions import ImmediateKind
from hvisa.spec.types import Type, VectorType

if TYPE_CHECKING:
    from hvisa.graph.interpreter.lanes import Frame
    from hvisa.graph.interpreter.machine import Machine


def touched(machine: Machine, instr: Instr, frame: Frame, lane: int, results: str) -> str:
    """`7.0` for a load; `%y[3] = 7.0` for a store, `%h[3] add 1` for an update; `4 from %h[3]` for an
    atomic, which gives the old value. What a store leaves out because it lies outside is said."""
    names = [o.name for o in instr.row.signature.operands]
    at = names.index("buffer")
    if not at:
        return results
    type_ = instr.operands[0].type
    width = type_.lanes if isinstance(type_, VectorType) else 1
    element, inside = _element(machine, instr, frame, lane, at, width)
    if not inside:
        return f"nothing: {element} is outside"
    if results:
        return f"{results} from {element}"
    words = [i.choices[v] for i, v in zip(instr.row.immediates, instr.immediates, strict=True)
             if i.kind is ImmediateKind.CHOICE and i.name == "operator"]
    value = show(machine.getter(instr.operands[0])(frame), type_, lane)
    rest = "" if inside == width else f", but for the {width - inside} outside"
    return f"{element} {words[0] if words else '='} {value}{rest}"


def _element(machine: Machine, instr: Instr, frame: Frame, lane: int, at: int,
             width: int) -> tuple[str, int]:
    """The element, or elements of a vector, as text; how many of them are inside the buffer."""
    buffer: LeafBuffer = machine.getter(instr.operands[at])(frame)
    offsets = instr.offsets or (0,) * len(buffer.shape)
    found: list[tuple[Any, Type]] = [(machine.getter(o)(frame), o.type) for o in instr.operands[at + 1:]]
    # Displacements are added without a limit, as the access itself does.
    positions = [int(v[min(lane, len(v) - 1)]) + offset
                 for (v, _), offset in zip(found, offsets, strict=True)]
    spans = [1] * (len(positions) - 1) + [width] if positions else []
    counts = [max(0, min(p + n, extent) - max(p, 0))
              for p, n, extent in zip(positions, spans, buffer.shape, strict=True)]
    shown = [str(p) if n == 1 else f"{p} :+ {n}" for p, n in zip(positions, spans, strict=True)]
    inside = min(counts[:-1], default=1) and counts[-1] if counts else 1
    return f"{buffer.name}[{', '.join(shown)}]", inside
