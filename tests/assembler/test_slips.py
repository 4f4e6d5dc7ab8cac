"""The hints for slips name instructions that exist."""

from hvisa.assembler import slips
from hvisa.spec import types as ty
from hvisa.spec.table import ROWS


def test_hints_name_rows_and_types():
    assert set(slips._OPERATORS.values()) <= set(ROWS)
    assert set(slips._TYPES.values()) <= set(ty.BY_NAME)
