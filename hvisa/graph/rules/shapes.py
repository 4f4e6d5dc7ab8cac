"""Whether an instruction has the parts that its row says: immediates, regions, detail, offsets.

A parsed module always does; one from a decoder or a builder may not. Everything after this file
relies on it.
"""

from __future__ import annotations

from typing import Any

from hvisa.diagnostics import plural
from hvisa.graph.model import Box, Instr, NodeDetail, Region, Value
from hvisa.spec.definitions import Form, Immediate, ImmediateKind, InstrDef
from hvisa.spec.dimensions import Dim
from hvisa.spec.limits import LIMITS
from hvisa.spec.operations import (
    ALL_FAST,
    EDGE_KINDS,
    EFFECT_CLASSES,
    OUTPUT_FORMS,
    REDUCTIONS,
    UNIFORMITY,
)
from hvisa.spec.table import ROWS

_MAX_INT = 1 << 31
_MAX_LIST = 1 << 12


def is_simple(row: InstrDef) -> bool:
    """Whether instructions of the row have operands, results and perhaps fast flags, nothing
    else."""
    return (row.form is Form.PLAIN and not row.immediates and not row.regions
            and row.type_argument == "none" and not row.terminator)


SIMPLE = frozenset(row for row in ROWS.values() if is_simple(row))


def malformed(instr: Instr) -> str:
    """What is wrong with the parts of an instruction; empty if nothing is."""
    row = instr.row
    if len(instr.regions) != row.regions or not all(type(r) is Region for r in instr.regions):
        return f"it has {row.regions} regions, {len(instr.regions)} given"
    if instr.fast and (not row.fast or not 0 < instr.fast <= ALL_FAST):
        return "it takes no fast flags" if not row.fast else "unknown fast flags"
    if instr.uniform and row.form not in (Form.FOR, Form.WHILE, Form.LOOP):
        return "it carries no values"
    return (_immediates(row, instr.immediates) or _offsets(instr) or _callee(instr)
            or _DETAIL.get(row.form, _no_detail)(instr))


def _immediates(row: InstrDef, found: tuple[Any, ...]) -> str:
    if type(found) is not tuple or len(found) != len(row.immediates):
        return f"it has {plural(len(row.immediates), 'immediate')}"
    for slot, value in zip(row.immediates, found, strict=True):
        if not _fits(slot, value):
            return f"its {slot.name} is out of range"
    return ""


def _fits(slot: Immediate, value: Any) -> bool:
    if slot.kind is ImmediateKind.CHOICE:
        return type(value) is int and 0 <= value < len(slot.choices)
    if slot.kind is ImmediateKind.INT:
        return type(value) is int and 0 <= value < _MAX_INT
    if slot.kind is ImmediateKind.INTS:
        return type(value) is tuple and len(value) <= _MAX_LIST and all(
            type(v) is int and 0 <= v < _MAX_INT for v in value)
    return type(value) is str


def _offsets(instr: Instr) -> str:
    offsets = instr.offsets
    if not offsets:
        return ""
    if instr.row.form is not Form.ACCESS:
        return "it takes no displacements"
    before = len(instr.row.signature.operands) - 1
    if len(offsets) != len(instr.operands) - before:
        return "it has one displacement for each index"
    limit = LIMITS["displacement"].value
    return "" if all(type(o) is int and -limit <= o <= limit for o in offsets) else \
        "a displacement is beyond 2^31"


def _callee(instr: Instr) -> str:
    wanted = instr.row.form in (Form.CALL, Form.NODE)
    if wanted != (type(instr.callee) is str):
        return "it names a callee" if wanted else "it calls nothing"
    return ""


# -- detail and regions, by form -------------------------------------------------------------------

def _no_detail(instr: Instr) -> str:
    return "" if instr.detail is None else "it has no further parts"


def is_box(box: Any) -> bool:
    return type(box) is tuple and all(
        type(part) is tuple and len(part) == 2 and type(part[0]) is Dim and type(part[1]) is Dim
        for part in box)


def _dims(found: Any, count: int = -1) -> bool:
    return (type(found) is tuple and all(type(d) is Dim for d in found)
            and (count < 0 or len(found) == count))


def _box(instr: Instr) -> str:
    good = is_box(instr.detail) and len(instr.operands) == 1
    return "" if good else "it has one operand and a box"


def _parts(instr: Instr) -> str:
    good = _dims(instr.detail) and instr.detail and len(instr.operands) == 1
    return "" if good else "it has one operand and one cut point or more"


def _match(instr: Instr) -> str:
    good = _dims(instr.detail, 2) and not instr.operands and len(instr.results) <= 1
    return "" if good else "it has two dimensions"


def _delay(instr: Instr) -> str:
    return "" if instr.detail is None and len(instr.operands) == 2 else "it has two operands"


def _parameters(instr: Instr, region: int, count: int) -> str:
    found = instr.regions[region].parameters
    if len(found) != count or not all(type(v) is Value for v in found):
        return f"its region {region} has {plural(count, 'parameter')}, {len(found)} given"
    return ""


def _if(instr: Instr) -> str:
    if len(instr.operands) != 1:
        return "it has one operand"
    return _parameters(instr, 0, 0) or _parameters(instr, 1, 0) or _no_detail(instr)


def _carried(instr: Instr, count: int) -> str:
    good = len(instr.uniform) == count and all(
        type(u) is int and 0 <= u < len(UNIFORMITY) for u in instr.uniform)
    return "" if good else "it has a uniformity for each carried value"


def _for(instr: Instr) -> str:
    count = len(instr.operands) - 3
    if count < 0:
        return "it has two bounds and a step"
    return _parameters(instr, 0, count + 1) or _carried(instr, count) or _no_detail(instr)


def _while(instr: Instr) -> str:
    count = len(instr.operands)
    return (_parameters(instr, 0, count) or _parameters(instr, 1, 0) or _carried(instr, count)
            or _no_detail(instr))


def _loop(instr: Instr) -> str:
    count = len(instr.operands)
    if instr.immediates[0] >= count:
        return "its condition is one of the carried values"
    return _parameters(instr, 0, count) or _carried(instr, count) or _no_detail(instr)


def _reduce(instr: Instr) -> str:
    if len(instr.operands) < 2:
        return "it has a lower and an upper bound"
    return _parameters(instr, 0, len(instr.operands) // 2) or _no_detail(instr)


def _node(instr: Instr) -> str:
    detail = instr.detail
    if type(detail) is not NodeDetail or not _dims(detail.grid):
        return "it has a grid, arguments and outputs"
    if len(detail.ids) != len(detail.grid) or not all(type(v) is Value for v in detail.ids):
        return "it has an id for each extent of its grid"
    if len(detail.arguments) != len(instr.operands):
        return "it has a form for each argument"
    if not 0 <= detail.effect < len(EFFECT_CLASSES):
        return "its effect class is unknown"
    for argument in detail.arguments:
        if not (0 <= argument.edge < len(EDGE_KINDS) and _count(argument.consume)
                and (argument.box is None or is_box(argument.box))):
            return "the form of an argument is out of range"
    return _outputs(detail)


def _outputs(detail: NodeDetail) -> str:
    for output in detail.outputs:
        good = (0 <= output.form < len(OUTPUT_FORMS) and 0 <= output.operator < len(REDUCTIONS)
                and _count(output.produce) and (output.whole is None) == (output.box is None)
                and (output.box is None or is_box(output.box)))
        if not good:
            return "the form of a result is out of range"
    return ""


def _count(value: Any) -> bool:
    return type(value) is int and 1 <= value < _MAX_INT


_DETAIL = {Form.BOX: _box, Form.PARTS: _parts, Form.MATCH: _match, Form.DELAY: _delay, Form.IF: _if,
           Form.FOR: _for, Form.WHILE: _while, Form.LOOP: _loop, Form.REDUCE: _reduce,
           Form.NODE: _node}


def boxes(instr: Instr) -> list[Box]:
    """Every box of an instruction."""
    if instr.row.form is Form.BOX:
        return [instr.detail]
    if instr.row.form is not Form.NODE:
        return []
    detail: NodeDetail = instr.detail
    return [b for b in [*(a.box for a in detail.arguments), *(o.box for o in detail.outputs)]
            if b is not None]
