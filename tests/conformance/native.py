"""The CPU translators as devices of the suite: translated, loaded and launched like a user's entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hvisa.diagnostics import HvisaError
from hvisa.graph.facts import Facts
from hvisa.graph.model import Definition, Module
from hvisa.graph.verifier import verify
from hvisa.runtime.arguments import bind
from hvisa.runtime.launch import NativeLauncher
from hvisa.runtime.layout import Signature
from hvisa.runtime.streams import StreamLauncher
from hvisa.spec.types import StreamType
from hvisa.translators.native import signature
from hvisa.translators.registry import make_translator

_facts: dict[int, tuple[Module, Facts]] = {}


def facts_of(module: Module) -> Facts:
    """The verifier's facts, found once a module."""
    known = _facts.get(id(module))
    if known is None or known[0] is not module:
        known = _facts[id(module)] = (module, verify(module))
    return known[1]


def has_streams(definition: Definition) -> bool:
    return any(isinstance(t, StreamType) for t in
               [p.type for p in definition.ports] + definition.results)


def make_launcher(device: str, module: Module, entry: str, **options: Any) -> NativeLauncher:
    """The code of an entry; little optimised, so that thousands of programs are translated quickly."""
    chosen = make_translator(device)
    wanted = replace(chosen.options(), **{"opt_level": 1, **options})
    artifact = chosen.translate(module, facts_of(module), entry, wanted)
    return NativeLauncher(artifact, externs={}, print_sink=lambda line: None)


def native(device: str, **options: Any) -> Callable[[Module, str, dict[str, Any]], dict[str, Any]]:
    """A device function as `harness.DEVICES` has them."""
    made: dict[tuple[int, str], tuple[Module, Any]] = {}

    def launcher(module: Module, entry: str) -> Any:
        key = (id(module), entry)
        if key not in made or made[key][0] is not module:
            if has_streams(module.definitions[entry]):
                found: Any = StreamLauncher(module, entry, lambda name: launcher(module, name),
                                            externs={}, print_sink=lambda line: None)
            else:
                found = make_launcher(device, module, entry, **options)
            made[key] = (module, found)
        return made[key][1]

    def run(module: Module, entry: str, arguments: dict[str, Any]) -> dict[str, Any]:
        from tests.conformance.harness import Declined
        facts_of(module)
        try:
            found = launcher(module, entry)
        except HvisaError as error:
            if set(error.codes) == {"HV1103"}:
                raise Declined(error.diagnostics[0].message) from None
            raise
        layout = Signature(signature(module.definitions[entry]))
        bound = bind(layout, arguments, None, True)
        names = [p.name for p in layout.written] + [r.name for r in layout.results]
        return dict(zip(names, found.launch(bound), strict=True))
    return run
