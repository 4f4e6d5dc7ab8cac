"""Oracles of exp and its kin."""

from __future__ import annotations

from typing import Any

import mpmath as mp  # type: ignore[import-untyped]


def exp(x: Any) -> Any:
    return mp.exp(x)
