"""nussinov: how many pairs of bases an RNA sequence can form at most without crossing. `table[i, j]`
is that of the stretch from `i` to `j`, made of shorter stretches; bases match if they add up to 3."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, Out, i32


@hvisa.leaf
def nussinov(seq: In[i32, "n"], table: Out[i32, "n", "n"]):
    for back in range(seq.shape[0]):
        i = seq.shape[0] - 1 - back
        for j in range(i + 1, seq.shape[0]):
            best = max(table[i, j], table[i, j - 1], table[i + 1, j])
            pair = 1 if (i < j - 1) & (seq[i] + seq[j] == 3) else 0
            best = max(best, table[i + 1, j - 1] + pair)
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best


def reference(seq: np.ndarray) -> Any:
    n = len(seq)
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            pair = int(i < j - 1 and seq[i] + seq[j] == 3)
            table[i, j] = max(table[i, j - 1], table[i + 1, j], table[i + 1, j - 1] + pair,
                              (table[i, i + 1:j] + table[i + 2:j + 1, j]).max(initial=0))
    return table


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (rng.integers(0, 4, size, dtype=np.int32),)
