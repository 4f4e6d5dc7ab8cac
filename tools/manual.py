"""Writes docs/spec/instructions.md from the instruction table: `python tools/manual.py [--check]`."""

from __future__ import annotations

import sys
from pathlib import Path

from hvisa.spec import types as ty
from hvisa.spec.definitions import Effect, InstrDef, Level
from hvisa.spec.table import ROWS

PATH = Path(__file__).parent.parent / "docs" / "spec" / "instructions.md"

TITLES = {
    "arith": "Arithmetic", "bits": "Bits", "compare": "Comparison and choice",
    "convert": "Conversion", "vector": "Vectors", "memory": "Memory", "control": "Control",
    "sync": "Between instances", "graph": "Graphs"}

HEAD = """# Instructions

Generated from the rows in `hvisa/spec/instructions/` by `tools/manual.py`; do not edit.

An instruction is written `%r = name.form type operands`. The type is written only where the operands do not
tell it, or where the entry says that one is needed. Where an entry says *vectors*, operands may be vectors of the
types listed, and each lane is computed by itself. *Fast* instructions take the licence `.fast`, which makes their
node `inexact`.
"""


def entry(row: InstrDef) -> list[str]:
    """One row's manual entry."""
    out = [f"### `{row.mnemonic}`", ""]
    left, arrow, right = row.signature.text.partition("->")
    if left.strip() or arrow:
        out += [f"    {row.mnemonic} ({left.strip()})" + (f" -> {right.strip()}" if arrow else ""), ""]
    return [*out, row.doc, "", f"*{'; '.join(facts(row))}*", ""]


def facts(row: InstrDef) -> list[str]:
    """What the row holds besides its text."""
    out = [f"opcode {row.opcode}", f"since {row.since[0]}.{row.since[1]}"]
    if row.classes:
        vectors = ", vectors" if row.vectors and row.group != "sync" else ""
        out.append(f"T: {' '.join(t.name for t in row.classes)}{vectors}")
    if row.explicit_classes:
        out.append(f"U: {' '.join(t.name for t in row.explicit_classes)}")
    for immediate in row.immediates:
        choices = " ".join(f"`.{c}`" for c in immediate.choices)
        out.append(f"{immediate.name}: {choices or immediate.kind.value}")
    if row.type_argument != "none":
        out.append(f"written type {row.type_argument}")
    if row.traps:
        out.append(f"traps {' '.join(row.traps)}")
    if row.effect is not Effect.NONE:
        out.append("effects " + " ".join(e.name.lower() for e in row.effect if e.name))
    out.append("in " + " ".join(lv.name.lower() for lv in (Level.LEAF, Level.FUNCTION, Level.GRAPH)
                                if lv in row.level and lv.name))
    return [*out, "fast"] if row.fast else out


def text() -> str:
    lines = [HEAD, "## Types", "", "| type | bits | in a buffer | meaning |", "|---|---|---|---|"]
    lines += [f"| `{t.name}` | {t.bits} | {t.size_bytes} B | {t.doc} |" for t in ty.SCALARS]
    lines += ["", f"`vec<T, n>` has 2 to {ty.MAX_LANES} lanes. `buf<T>[%m, %n]` is a shaped view, "
              "`grid<T>[...]` a value for each instance of a grid, `stream<T>` items in order.", ""]
    groups: dict[str, list[InstrDef]] = {}
    for row in ROWS.values():
        groups.setdefault(row.group, []).append(row)
    for group, title in TITLES.items():
        lines += [f"## {title}", ""]
        for row in groups[group]:
            lines += [] if row.reserved else entry(row)
        reserved = [r for r in groups[group] if r.reserved]
        if reserved:
            lines += ["### Reserved", "",
                      "Numbered, and refused until a later version gives them a meaning.", ""]
            lines += [f"- `{r.mnemonic}` (opcode {r.opcode}): {r.summary}" for r in reserved]
            lines += [""]
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    if "--check" in sys.argv:
        current = PATH.read_text(encoding="utf-8") if PATH.exists() else ""
        return 0 if current == text() else 1
    PATH.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
