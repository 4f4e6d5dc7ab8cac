"""Exact values of the mathematics, of mpmath numbers; infinities and NaN as IEEE 754 and C have them.

Only tests and tools import this; mpmath is not needed by the library.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp  # type: ignore[import-untyped]


def exp(x: Any) -> Any:
    return mp.exp(x)
