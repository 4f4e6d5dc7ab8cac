"""Runs a leaf under plain Python and on the devices, and holds them against each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from hvisa.decorated import Compiled
from hvisa.diagnostics import HvisaTrap
from hvisa.graph.interpreter import Interpreter
from hvisa.program import Program
from hvisa.runtime.arguments import bind
from tests.conformance.harness import canonical
from tests.conformance.native import make_launcher

DEVICES = ("reference", "x86")


def outcomes(leaf: Compiled, *values: Any) -> dict[str, Any]:
    """By device and "python": a list of what is given back, or the code of a trap."""
    module, name = leaf.module, leaf.__name__
    definition = module.definitions[name]
    arguments = dict(zip([p.name for p in definition.taken], values, strict=True))
    types = [p.type for p in definition.written] + definition.results

    def launched() -> list[Any]:
        launcher = make_launcher("x86", module, name)
        return launcher.launch(bind(launcher.signature, arguments, None, True))

    def outcome(run: Any) -> Any:
        try:
            found = run()
        except HvisaTrap as trap:
            return trap.code
        return [canonical(v, t)[1] for v, t in zip(found, types, strict=True)]

    def emulated() -> list[Any]:
        found = leaf.emulate(**arguments, copy=True)
        return list(found) if isinstance(found, tuple) else [found]
    return {"python": outcome(emulated),
            "reference": outcome(lambda: list(Interpreter(module).run(name, arguments).values())),
            "x86": outcome(launched)}


def check(leaf: Compiled, values: tuple[Any, ...], *wanted: Any) -> None:
    """Each device gives these lists, or this trap."""
    expected = wanted[0] if isinstance(wanted[0], str) else \
        [canonical(np.asarray(w, t), _type(leaf, n))[1] for n, (w, t) in enumerate(zip(
            wanted, _dtypes(leaf), strict=True))]
    for name, found in outcomes(leaf, *values).items():
        assert found == expected, f"{name}: {found}, not {expected}"


def _types(leaf: Compiled) -> list[Any]:
    definition = leaf.module.definitions[leaf.__name__]
    return [p.type for p in definition.written] + definition.results


def _type(leaf: Compiled, number: int) -> Any:
    return _types(leaf)[number]


def _dtypes(leaf: Compiled) -> list[Any]:
    return [getattr(t, "element", t).storage_dtype for t in _types(leaf)]


__all__ = ["DEVICES", "Program", "check", "outcomes"]
