"""Effect classes: computed from bodies, stated in headers, inherited upward (semantics 4, 23,
27)."""

from __future__ import annotations

from hvisa.graph.model import Definition, Instr
from hvisa.graph.rules.report import Report, label
from hvisa.spec.operations import EFFECT_CLASSES


def check(report: Report, definition: Definition, computed: int, cause: Instr | None,
          note: str) -> None:
    """What a body does is stated in its header."""
    if computed <= definition.effect:
        return
    word = EFFECT_CLASSES[computed]
    report.add("HV0701", f"`@{definition.name}` is {word} and says "
               f"{EFFECT_CLASSES[definition.effect]}", definition.span, note=note,
               labels=label(cause, "because of this"),
               help=f"write `{word}` at the end of its header, before `{{`")
