"""Plans against inference, numbers against each other, the page against the rows."""

from __future__ import annotations

import importlib
import itertools

import pytest

from hvisa.assembler import layout, problems
from hvisa.assembler.layout import PLANS, SIMPLE, Plan
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.definitions import Form, ImmediateKind, TypeRuleError
from hvisa.spec.errors import explain
from hvisa.spec.table import BY_OPCODE, ROWS
from tests.bytecode.conftest import load

PLAIN = [p for p in PLANS.values() if p.results >= 0 and p.form is not Form.REDUCE]


def test_every_row_has_a_plan_unless_reserved() -> None:
    assert {r for r in ROWS.values() if not r.reserved} == set(PLANS)
    assert all(r.since >= layout.BASE_VERSION for r in ROWS.values())
    assert max(r.since for r in ROWS.values()) <= layout.VERSION


def test_numbers_do_not_clash() -> None:
    codes = [*ty.BY_CODE, *ty.COMPOSITE_CODES.values(), *layout.RESERVED_INTEGERS]
    assert len(set(codes)) == len(codes)
    assert max(ty.BY_CODE) < layout.POOL_DIMENSION < layout.POOL_DATA
    assert all(s < layout.Section.OPTIONAL for s in layout.Section if s.name != "OPTIONAL")
    assert not layout.MAGIC.isascii()


def test_choices_that_change_the_results_come_first() -> None:
    for plan in PLANS.values():
        operators = [n for n, i in enumerate(plan.row.immediates) if i.name == "operator"]
        assert operators in ([], [0])
        if plan.by_choice:
            assert len(plan.by_choice) == len(plan.row.immediates[0].choices)


# Operand types that a row may take, tried in order.
CANDIDATES: tuple[ty.Type, ...] = (
    ty.F32, ty.I32, ty.I1, ty.INDEX, ty.vector(ty.F32, 4), ty.vector(ty.I1, 4), ty.buffer(ty.I32, ()),
    ty.buffer(ty.F32, (dims.constant(4),)))


@pytest.mark.parametrize("plan", PLAIN, ids=lambda p: p.row.mnemonic)
def test_result_counts_are_those_of_the_type_rule(plan: Plan) -> None:
    """Wherever a type rule accepts operands, it gives as many results as the plan says."""
    if plan.form in (Form.BOX, Form.DELAY):
        return  # typed by inference itself, and in the corpus
    slots = plan.row.immediates
    choices = len(slots[0].choices) if slots and slots[0].kind is ImmediateKind.CHOICE else 1
    more = 2 if plan.variadic and not plan.access else 0
    accepted = 0
    for first, other, last in itertools.product(CANDIDATES, repeat=3):
        operands = [first, other, last][:plan.fixed] + [other] * more
        for choice in range(choices):
            immediates = tuple((0, 1) if kind == layout.INTS else choice if n == 0 else 0
                               for n, kind in enumerate(plan.immediates))
            found = _infer(plan, operands, last if plan.type_argument else None, immediates)
            if found is not None:
                accepted += 1
                wanted = plan.by_choice[choice] if plan.by_choice else plan.results
                assert len(found) == wanted, (operands, immediates)
    # A buffer whose extent may be set has a symbol, which only a definition has.
    assert accepted or plan.row.mnemonic == "set_extent"


def _infer(plan: Plan, operands: list[ty.Type], argument: ty.Type | None,
           immediates: tuple[object, ...]) -> tuple[ty.Type, ...] | None:
    try:
        return plan.row.infer(tuple(operands), argument, immediates)
    except TypeRuleError:
        return None


def test_simple_rows_say_nothing_but_operands() -> None:
    for plan in PLANS.values():
        if plan.kind == SIMPLE:
            row = plan.row
            assert not row.immediates and not row.regions and row.type_argument == "none"
            assert plan.results in (0, 1)


def test_the_page_is_current() -> None:
    tables = load("tools/bytecode_tables.py")
    page = tables.PAGE.read_text(encoding="utf-8")
    assert tables.render(page) == page, "run tools/bytecode_tables.py"
    assert all(f"<!-- table {name} -->" in page for name in tables.TABLES)


def test_the_page_names_every_opcode() -> None:
    page = load("tools/bytecode_tables.py").PAGE.read_text(encoding="utf-8")
    for opcode, row in BY_OPCODE.items():
        assert f"| {opcode} | `{row.mnemonic}` |" in page


def test_codes_can_be_explained() -> None:
    importlib.import_module("hvisa.assembler.decoder")
    for code in problems.PROBLEMS:
        entry = explain(code)
        assert entry is not None and entry.meaning.endswith(".")
