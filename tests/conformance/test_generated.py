"""Every plain instruction on every type, alone and in lanes, against the oracle, on each device."""

from __future__ import annotations

from functools import lru_cache

import pytest

from hvisa.assembler.parser import parse
from hvisa.graph.model import Module
from hvisa.spec import types as ty
from tests.conformance.generated import Case, array_of, cases, expected, inputs, text_of
from tests.conformance.harness import DEVICES, Absent, Declined, same

CASES = cases()


@lru_cache(maxsize=4)
def module_of(mnemonic: str) -> Module:
    return parse("\n".join(text_of(c) for c in CASES if c.row.mnemonic == mnemonic), mnemonic)


@lru_cache(maxsize=4)
def outcome(case: Case):
    """Arguments by name and the oracle's results."""
    columns = inputs(case)
    arguments = {f"a{k}": array_of(c, t) for k, (c, t) in enumerate(
        zip(columns, case.operands, strict=True))}
    return arguments, expected(case, columns)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.entry)
@pytest.mark.parametrize("device", DEVICES)
def test_generated(case: Case, device: str) -> None:
    arguments, wanted = outcome(case)
    try:
        found = DEVICES[device](module_of(case.row.mnemonic), case.entry, arguments)
    except (Absent, Declined) as reason:
        pytest.skip(f"{device}: {reason}")
    for position, (type_, right) in enumerate(zip(case.results, wanted, strict=True)):
        value = found[f"r{position}"]
        assert value.shape == right.shape
        element = ty.element_of(type_)
        assert element is not None
        if same(value, right, element):
            continue
        wrong = next(n for n in range(len(right)) if not same(value[n], right[n], element))
        given = {k: a[wrong] for k, a in arguments.items()}
        raise AssertionError(f"{given}: found {value[wrong]!r}, expected {right[wrong]!r}")
