"""Which arrays share memory, and with themselves: what may be updated in place (semantics 10)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
# Steps that the exact answer may take; beyond it two arrays count as overlapping.
_MAX_WORK = 10_000


def may_overlap(a: Array, b: Array) -> bool:
    """Whether the address ranges meet: quick, and right for contiguous arrays."""
    return bool(np.may_share_memory(a, b))


def overlap(a: Array, b: Array) -> bool:
    """Whether an element of one lies in the other."""
    if not may_overlap(a, b):
        return False
    try:
        found = np.shares_memory(a, b, max_work=_MAX_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
    return bool(found)


def overlaps_itself(array: Array) -> bool:
    """Whether two indices may reach one element: broadcast arrays, overlapping windows. True also
    for layouts too tangled to tell, which slicing and transposing never make."""
    if array.flags.c_contiguous or array.size == 0:
        return False
    reach = array.itemsize
    for stride, extent in sorted((abs(s), n) for s, n in
                                 zip(array.strides, array.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (extent - 1)
    return False
