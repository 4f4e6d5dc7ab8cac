"""What Python functions mean as leaves: stated results, on which plain Python and the devices agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hvisa
from hvisa import In, Out, f32, i1, i8, i16, i32
from hvisa.decorated import Compiled
from hvisa.diagnostics import HvisaError
from hvisa.frontends.python.promotion import promote
from hvisa.spec import types as ty
from tests.frontends import cases_control, cases_memory, cases_numbers
from tests.frontends.running import check

n = hvisa.dims("n")
CASES = cases_control.CASES + cases_numbers.CASES + cases_memory.CASES


@pytest.mark.parametrize("case", CASES, ids=[f"{k}-{c[0].__name__}" for k, c in enumerate(CASES)])
def test_the_stated_results_come_out(case: tuple[Any, ...]) -> None:
    leaf, values, *wanted = case
    check(leaf, values, *wanted)


def test_typed_numbers_meet_as_numpy_promotes_them() -> None:
    plain = [t for t in ty.SCALARS if t.dtype_name]
    for a in plain:
        for b in plain:
            found = promote(a, b)
            assert found.storage_dtype == np.promote_types(a.storage_dtype, b.storage_dtype), (a, b)


@hvisa.leaf
def or_as_a_value(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = x[i] or 5


@hvisa.leaf
def too_large(x: In[i8, n], y: Out[i8, n]):
    i = hvisa.grid(n)
    y[i] = x[i] + 200


@hvisa.leaf
def narrowed(x: In[f32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = x[i]


@hvisa.leaf
def sum_of_truth(c: i1, y: Out[i32, 1]):
    i = hvisa.grid(1)
    y[i] = c + c


@hvisa.leaf
def lost(x: In[i16, n], y: Out[i16, n]):
    i = hvisa.grid(n)
    for k in range(3):
        v = k
    y[i] = v


@pytest.mark.parametrize(("leaf", "code"), [
    (or_as_a_value, "HV1204"), (too_large, "HV1206"), (narrowed, "HV1205"), (sum_of_truth, "HV1207"),
    (lost, "HV1202")])
def test_what_has_another_meaning_in_python_is_refused(leaf: Compiled, code: str) -> None:
    with pytest.raises(HvisaError) as raised:
        _ = leaf.module
    assert raised.value.codes == [code]
    assert raised.value.diagnostics[0].span is not None
