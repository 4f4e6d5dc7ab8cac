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
    from hvisa.config import devices as devices, show_config as show_config
    from hvisa.decorated import func as func, graph as graph, leaf as leaf
    from hvisa.diagnostics import (
        HvisaError as HvisaError,
        HvisaTrap as HvisaTrap,
        LaunchTimeout as LaunchTimeout,
    )
    from hvisa.frontends.python.names import *  # noqa: F403
    from hvisa.program import Entry as Entry, Program as Program, load as load

else:
    # The room of that name is imported first, so that `hvisa.graph` stays the decorator whatever is
    # imported later.
    import hvisa.graph  # noqa: F401

    def _decorator(kind):
        def decorate(python=None, /, **options):
            from hvisa import decorated
            return getattr(decorated, kind)(python, **options)
        decorate.__name__ = decorate.__qualname__ = kind
        return decorate

    leaf, graph, func = map(_decorator, ("leaf", "graph", "func"))

    _PLACES = {
        "load": "hvisa.program", "Program": "hvisa.program", "Entry": "hvisa.program",
        "HvisaError": "hvisa.diagnostics", "HvisaTrap": "hvisa.diagnostics",
        "LaunchTimeout": "hvisa.diagnostics", "devices": "hvisa.config", "show_config": "hvisa.config",
    }

    # Where a checker saw it, it would take every name for one of ours.
    def __getattr__(name):
        place = _PLACES.get(name)
        if place is None and name[:1] != "_":
            # Types, kinds of ports and operations of programs written in Python.
            from hvisa.frontends.python.names import LIBRARY, NAMES
            if name in LIBRARY:
                import hvisa.library_values  # noqa: F401
            if name in NAMES:
                return NAMES[name]
        if place is None:
            raise AttributeError(f"module 'hvisa' has no attribute {name!r}")
        from importlib import import_module
        found = globals()[name] = getattr(import_module(place), name)
        return found

    def __dir__():
        from hvisa.frontends.python.names import NAMES
        return sorted([*globals(), *_PLACES, *NAMES])
