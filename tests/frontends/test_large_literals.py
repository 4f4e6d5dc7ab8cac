"""Whole numbers beyond 2^62: fine as numbers, refused as sizes."""

from __future__ import annotations

import numpy as np
import pytest

import hvisa
from hvisa import In, Out, f32, i64, u64


@hvisa.leaf
def masks(x: In[u64, "n"], s: In[i64, "n"], y: Out[u64, "n"], t: Out[i64, "n"]):
    i = hvisa.grid("n")
    y[i] = (x[i] & 0xFFFFFFFFFFFFFFFF) ^ 0x8000000000000000
    t[i] = s[i] & -0x8000000000000000


def test_as_masks() -> None:
    x = np.arange(-2, 2)
    y, t = masks(x.astype(np.uint64), x)
    np.testing.assert_array_equal(y, x.astype(np.uint64) ^ np.uint64(1 << 63))
    np.testing.assert_array_equal(t, np.where(x < 0, np.iinfo(np.int64).min, 0))


@hvisa.leaf
def local(y: Out[f32, "n"]):
    i = hvisa.grid("n")
    t = hvisa.local(f32, 2**63)
    y[i] = t[i]


@hvisa.leaf
def grid(y: Out[f32, "n"]):
    i = hvisa.grid(2**63)
    y[i] = 0.0


@pytest.mark.parametrize("function", [local, grid])
def test_as_sizes(function: object) -> None:
    with pytest.raises(hvisa.HvisaError) as error:
        function.text  # type: ignore[attr-defined]  # noqa: B018
    assert error.value.codes == ["HV1221"]
