"""hvisa: a virtual instruction set for machines made of unlike parts.

    import hvisa
    saxpy = hvisa.load("saxpy.hvasm").entry()
    saxpy(2.0, x, y)            # y is updated in place

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

__version__ = "0.1.0"

# As in `typing`, which takes longer to import than all that is here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hvisa.config import devices as devices, show_config as show_config
    from hvisa.diagnostics import (
        HvisaError as HvisaError,
        HvisaTrap as HvisaTrap,
        LaunchTimeout as LaunchTimeout,
    )
    from hvisa.program import Entry as Entry, Program as Program, load as load

_PLACES: dict[str, str] = {
    "load": "hvisa.program", "Program": "hvisa.program", "Entry": "hvisa.program",
    "HvisaError": "hvisa.diagnostics", "HvisaTrap": "hvisa.diagnostics",
    "LaunchTimeout": "hvisa.diagnostics", "devices": "hvisa.config", "show_config": "hvisa.config",
}


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module 'hvisa' has no attribute {name!r}")
    from importlib import import_module
    found = globals()[name] = getattr(import_module(place), name)
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
