"""Keeps the tables in docs/spec/bytecode.md equal to the rows that the encoder works from.

`python tools/bytecode_tables.py` rewrites the page; a test says when that is needed. A table stands
between `<!-- table NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from hvisa.assembler import layout
from hvisa.assembler.layout import PLANS, OutputKind, Plan, Section
from hvisa.assembler.problems import PROBLEMS
from hvisa.spec import dimensions, operations, types as ty
from hvisa.spec.definitions import Form, ImmediateKind
from hvisa.spec.limits import LIMITS
from hvisa.spec.table import BY_OPCODE

PAGE = Path(__file__).parent.parent / "docs" / "spec" / "bytecode.md"
_TABLE = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _rows(head: str, rows: Iterable[tuple[object, ...]]) -> str:
    names = head.split(" | ")
    lines = [f"| {head} |", f"|{'|'.join('---' for _ in names)}|"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def sections() -> str:
    return _rows("number | section | contents",
                 ((int(s), f"`{s.label}`", layout.SECTION_DOC[s]) for s in Section))


def types() -> str:
    parts = {"vec": "element, lanes (2 to 64)", "buf": "element, list of dimensions",
             "grid": "element, list of dimensions", "stream": "item",
             "capacity": "element, list of dimensions, the first a symbol; then the capacity"}
    rows: list[tuple[object, ...]] = [(t.code, f"`{t.name}`", t.size_bytes, "")
                                      for t in ty.SCALARS]
    rows += [(code, f"`{name}`" if name != "capacity" else "`buf` with a capacity", "", parts[name])
             for name, code in ty.COMPOSITE_CODES.items()]
    rows += [(code, f"`{letter}` of another width, reserved", "", "width, 1 to "
              f"{layout.MAX_WIDTH}") for code, letter in layout.RESERVED_INTEGERS.items()]
    return _rows("code | type | bytes in data | parts", rows)


def atoms() -> str:
    counts = {"min": "count, operands in rising order of their bytes"}
    counts["max"] = counts["min"]
    return _rows("code | operation | parts",
                 ((n, f"`{k}`", counts.get(k, "two operands"))
                  for n, k in enumerate(dimensions.ATOM_KINDS)))


def _immediates(plan: Plan) -> str:
    words = {ImmediateKind.INT: "integer", ImmediateKind.INTS: "integers",
             ImmediateKind.TEXT: "string"}
    return ", ".join(f"{i.name}: {words.get(i.kind) or ' '.join(i.choices)}"
                     for i in plan.row.immediates)


def _results(plan: Plan) -> str:
    if plan.by_choice:
        return f"{plan.results}; {plan.results + 1} for arg..."
    return str(plan.results) if plan.results >= 0 else "see the form"


def _operands(plan: Plan) -> str:
    if plan.form in (Form.CALL, Form.NODE, Form.MATCH):
        return "see the form"
    return f"{plan.fixed}{' or more' if plan.variadic else ''}"


def opcodes() -> str:
    rows: list[tuple[object, ...]] = []
    for number in sorted(BY_OPCODE):
        row = BY_OPCODE[number]
        since = ".".join(map(str, row.since))
        plan = PLANS.get(row)
        if plan is None:
            rows.append((number, f"`{row.mnemonic}`", since, "reserved", "", "", "", "", ""))
            continue
        typed = ("", "type", "type or none")[plan.type_argument]
        rows.append((number, f"`{row.mnemonic}`", since, plan.form.value, _immediates(plan),
                     "yes" if plan.fast else "", typed, _operands(plan), _results(plan)))
    return _rows("opcode | mnemonic | since | form | immediates | fast | type | operands | results",
                 rows)


def codes() -> str:
    listed = {"kinds of definitions": layout.KINDS, "directions": operations.DIRECTIONS,
              "modes of written ports": operations.MODES, "operators of `accumulate`":
              operations.UPDATES, "reductions": operations.REDUCTIONS,
              "policies of streams": operations.STREAM_POLICIES,
              "effect classes": operations.EFFECT_CLASSES, "uniformity": operations.UNIFORMITY,
              "edge kinds": operations.EDGE_KINDS, "attribute kinds": operations.ATTRIBUTE_KINDS,
              "attribute values": layout.ATTRIBUTE_VALUES,
              "outputs of nodes": [k.name.lower() for k in OutputKind],
              "fast flags, by bit": operations.FAST_FLAGS}
    return _rows("numbers | in order from 0",
                 ((name, ", ".join(words)) for name, words in listed.items()))


def limits() -> str:
    rows: list[tuple[object, ...]] = [(limit.value, limit.doc, limit.code)
                                      for limit in (*LIMITS.values(), layout.MAX_RESULTS)]
    rows += [(dimensions.MAX_TERMS, "terms of a dimension", "HV0833"),
             (dimensions.MAX_DEGREE, "atoms of a term", "HV0833"),
             (dimensions.MAX_DEPTH, "operations inside each other in a dimension", "HV0833"),
             (dimensions.MAX_SIZE, "parts of a dimension, written out", "HV0833"),
             (dimensions.MAX_COEFFICIENT, "as a coefficient, either sign", "HV0833"),
             (f"{layout.BUDGET} + {layout.BUDGET_PER_BYTE} a byte",
              "parts of dimensions that uses of shared entries come to in one file", "HV0843")]
    return _rows("at most | what | error", rows)


def features() -> str:
    rows = [(f"`{name}`", doc) for name, doc in layout.FEATURES.items()]
    return _rows("feature | meaning", rows or [("none yet", "")])


def problems() -> str:
    return _rows("code | message | meaning",
                 ((code, p.message, p.meaning) for code, p in PROBLEMS.items()))


TABLES: dict[str, Callable[[], str]] = {
    "sections": sections, "types": types, "atoms": atoms, "opcodes": opcodes, "codes": codes,
    "limits": limits, "features": features, "problems": problems}


def render(page: str) -> str:
    """The page with all its tables made anew."""
    return _TABLE.sub(lambda m: f"{m[1]}{TABLES[m[2]]()}{m[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(render(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
