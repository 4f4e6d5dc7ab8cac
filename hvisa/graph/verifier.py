"""The verifier: runs all rules over a module and collects every error. The trust boundary.

Nothing is assumed of a module but that it is made of the classes of `hvisa.graph.model`. Rules run
in stages: headers, structure of bodies, types, who uses whom, then one pass over each body, callees
first. A definition that a stage refused is not looked at by the next one; the others are.
"""

from __future__ import annotations

from collections.abc import Sequence

from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.graph import numbering
from hvisa.graph.facts import LAUNCH, PARENT, Facts
from hvisa.graph.inference import Inference
from hvisa.graph.model import Module
from hvisa.graph.rules import callgraph, effects, headers, uses
from hvisa.graph.rules.body import Body
from hvisa.graph.rules.graphs import Graph
from hvisa.graph.rules.report import MAX_ERRORS, Report, in_source_order
from hvisa.graph.rules.structure import Structure


def verify(module: Module, *, extra: Sequence[Diagnostic] = ()) -> Facts:
    """The facts of a valid module. Raises HvisaError with all errors, in source order.

    `extra` are errors of the module that are already known, such as the type errors that `parse`
    collected; they are raised with the others. Types that the module leaves open are filled in.
    """
    run = Verifier(module, bool(extra))
    facts = run.run()
    known = {_place(d) for d in extra}
    errors = [*extra, *(d for d in run.report.errors if _place(d) not in known)]
    if errors or run.report.failed:
        raise HvisaError(in_source_order(errors)[:MAX_ERRORS])
    return facts


def _place(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return diagnostic.code, str(diagnostic.span), diagnostic.message


class Verifier:
    """One run. `sane` are the definitions that no stage has refused so far."""

    def __init__(self, module: Module, typed: bool):
        self.module = module
        self.typed = typed  # type errors are reported already
        self.report = Report()
        self.facts = Facts(module)
        self.sane: set[str] = set()
        self.headed: set[str] = set()  # definitions with a sound header
        self.bodies: dict[str, Structure] = {}

    def run(self) -> Facts:
        module, report = self.module, self.report
        headers.check_module(report, module)
        for name, definition in module.definitions.items():
            if headers.Header(report, definition, self.facts[name]).check(name):
                self.sane.add(name)
        self.headed = set(self.sane)
        for name in list(module.definitions):
            if name in self.sane:
                self._structure(name)
        for name in list(module.definitions):
            if name in self.sane:
                self._types(name)
        callgraph.order(report, module, self.facts, self.sane)
        self._bodies()
        return self.facts

    def _structure(self, name: str) -> None:
        definition = self.module.definitions[name]
        body = Structure(self.report, self.module, definition)
        if not body.run():
            self.sane.discard(name)
            return
        self.bodies[name] = body
        if body.unnamed:
            numbering.number(definition)

    def _types(self, name: str) -> None:
        """Types of one body, against the headers of what it uses."""
        definition = self.module.definitions[name]
        used = callgraph.Uses(definition).first
        if any(n in self.module.definitions and n not in self.headed for n in used):
            self.sane.discard(name)  # a callee with a broken header can't be bound
            return
        run = Inference(self.module)
        run.run(definition)
        if run.errors:
            self.sane.discard(name)
            self.report.failed += 1
            if not self.typed:
                self.report.errors += run.errors

    def _bodies(self) -> None:
        """The pass over bodies, callees first, so that their facts are known."""
        found = uses.collect(self.module, self.sane)
        for name in self.facts.order:
            definition = self.module.definitions[name]
            mine = self.facts[name]
            mine.replicated = name in found.replicated
            mine.effect = max(mine.effect, definition.effect)
            if name not in self.sane or definition.body is None:
                continue
            if any(n not in self.sane for n in mine.callees):
                continue  # its effects and forms are not known
            expressions = self.bodies[name].expressions
            base = PARENT if mine.replicated else LAUNCH
            if definition.kind == "graph":
                graph = Graph(self.report, self.module, self.facts, definition)
                graph.run()
                effects.check(self.report, definition, graph.effect, graph.cause, graph.effect_note)
                continue
            body = Body(self.report, self.module, self.facts, definition, expressions, base,
                        found.varying.get(name, frozenset()), found.observed.get(name, frozenset()))
            body.run()
            effects.check(self.report, definition, body.effect, body.cause, body.effect_note)
