"""Entries over streams on native devices: the interpreter moves items, nodes run translated.

Each firing of a node is one native launch; what joins the nodes (rates, delay edges, control around
them) is the interpreter's, so that it means the same everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hvisa.diagnostics import HvisaTrap
from hvisa.runtime.arguments import Bound, bind
from hvisa.runtime.reference import interpret
from hvisa.spec import types as ty
from hvisa.spec.types import BufferType, ScalarType

if TYPE_CHECKING:
    from hvisa.graph.model import Definition, Module
    from hvisa.runtime.launch import NativeLauncher


class StreamLauncher:
    """Launches one entry with stream ports; `launcher` gives the native code of a node by name."""

    moves_items = True

    def __init__(self, module: Module, entry: str, launcher: Callable[[str], NativeLauncher], *,
                 externs: Mapping[str, Callable[..., Any]], print_sink: Callable[[str], None]):
        self._module = module
        self._entry = entry
        self._launcher = launcher
        self._externs = externs
        self._print_sink = print_sink

    def launch(self, bound: Bound, timeout: float | None = None) -> list[Any]:
        """Run the entry on bound arguments: written ports, then results, in order."""
        end = None if timeout is None else time.monotonic() + timeout
        return interpret(self._module, bound, externs=self._externs, print_sink=self._print_sink,
                         timeout=timeout, run_node=lambda callee, found: self._fire(callee, found, end))

    def _fire(self, callee: Definition, arguments: dict[str, Any], end: float | None) -> list[Any] | None:
        """One node natively; None for what has no form at the host boundary."""
        passed: dict[str, Any] = {}
        for port in callee.taken:
            found = arguments[port.name]
            if not isinstance(found, np.ndarray):
                return None
            passed[port.name] = found if isinstance(port.type, BufferType) else _stored(
                found, port.type)
        if any(v is None for v in passed.values()) or not all(
                isinstance(t, ScalarType) for t in callee.results):
            return None
        launcher = self._launcher(callee.name)
        bound = bind(launcher.signature, passed, None, True)
        left = None if end is None else max(0.001, end - time.monotonic())
        try:
            values = launcher.launch(bound, left)
        except HvisaTrap as trap:
            trap.path = (self._entry, *trap.path)
            raise
        count = len(callee.written)
        return [np.asarray(v) for v in values[:count]] + [
            _loaded(v, t) for v, t in zip(values[count:], callee.results, strict=True)]


def nodes_of(module: Module, entry: str) -> tuple[list[str], list[str]]:
    """The nodes of an entry over streams that run translated, and those that are interpreted."""
    from hvisa.graph.model import instructions
    native: dict[str, None] = {}
    interpreted: dict[str, None] = {}
    graphs = [entry]
    for name in graphs:
        body = module.definitions[name].body
        for instr in instructions(body) if body is not None else ():
            callee = module.definitions.get(instr.callee or "")
            if callee is None or callee.kind not in ("leaf", "graph"):
                continue
            if all(isinstance(p.type, (BufferType, ScalarType)) for p in callee.taken) and all(
                    isinstance(t, ScalarType) for t in callee.results):
                native[callee.name] = None
            elif callee.kind == "graph":
                if callee.name not in graphs:
                    graphs.append(callee.name)
            else:
                interpreted[callee.name] = None
    return list(native), list(interpreted)


def _stored(value: Any, type_: ty.Type) -> Any:
    """A scalar of the interpreter in its storage form; None for a vector."""
    if not isinstance(type_, ScalarType):
        return None
    if type_ is ty.BF16:
        from hvisa.spec.numerics import bf16_to_bits
        return bf16_to_bits(value)[0]
    return value[0]


def _loaded(value: Any, type_: ty.Type) -> Any:
    """Results as the interpreter has them: one row for each instance."""
    rows = np.asarray(value).reshape(-1)
    if type_ is ty.BF16:
        from hvisa.spec.numerics import bf16_from_bits
        return bf16_from_bits(rows.view(np.uint16))
    return rows
