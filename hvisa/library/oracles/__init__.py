"""Exact values of the mathematics, of mpmath numbers; infinities and NaN as IEEE 754 and C have them.

Only tests and tools import this; mpmath is not needed by the library. An oracle gives None where the
catalogue specifies the case elsewhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any


def find(name: str) -> Callable[..., Any]:
    """The oracle of a name, from one of the families."""
    for info in pkgutil.iter_modules(__path__):
        found = getattr(importlib.import_module(f"{__name__}.{info.name}"), name, None)
        if found is not None:
            return found
    raise LookupError(f"no oracle is named {name}")
