"""What the verifier found out about a module, for translators, interpreter and scheduler.

Facts hold for the module as it stood when it was verified; whoever changes it verifies again. Later
passes add their own findings under `extra` of the whole or of one definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hvisa.spec.operations import EFFECT_CLASSES, UNIFORMITY

if TYPE_CHECKING:
    from hvisa.graph.affine import Footprint
    from hvisa.graph.model import Module, Value

CONSTANT, LAUNCH, PARENT, VARYING = range(len(UNIFORMITY))
EXACT, INEXACT, NONDETERMINISTIC = range(len(EFFECT_CLASSES))

# Expanded counts are held below this; what is larger is this.
SATURATED = 1 << 62


class DefinitionFacts:
    """What is known of one definition.

    - `effect`: the class computed from the body, or the stated one if that is higher.
    - `uniformity`: the class of every value of a leaf or function (CONSTANT to VARYING).
    - `barriers`, `collectives`: whether instances wait for, or exchange values with, each other. A
      collective waits as well. Callees included, as in `prints` and `externs` (names of host
      functions).
    - `local_bytes`: private arrays of one instance, the deepest callee included.
    - `covered`: `out` ports of which every element is written, so that the fill or copy may be
      dropped (always those of a graph, which yields whole buffers). `tiled`: results of replicated
      nodes, whose boxes reach every element of the whole buffer.
    - `from_box`: symbols bound only by the box of an `out` port; such a definition is no entry.
    - `positive`: symbols that divide something: a launch checks that they are at least 1.
    - `replicated`: whether some use lies inside a replicated graph; LAUNCH classes are then PARENT.
    - `footprints`: what an instance can reach through a port, where the accesses say so.
    - `callees`: names called or used as nodes, each once, in order of first use.
    - `depth`: definitions in the longest chain of calls from here. `expanded`: nodes and calls when
      every use is written out, at most SATURATED.
    - `instances`: instances of the grid if that is constant (1 without grid), else None.
    """

    __slots__ = ("barriers", "callees", "collectives", "covered", "depth", "effect", "expanded",
                 "externs", "extra", "footprints", "from_box", "instances", "local_bytes", "name",
                 "positive", "prints", "replicated", "tiled", "uniformity")

    def __init__(self, name: str):
        self.name = name
        self.effect = EXACT
        self.uniformity: dict[Value, int] = {}
        self.barriers = False
        self.collectives = False
        self.prints = False
        self.externs: frozenset[str] = frozenset()
        self.local_bytes = 0
        self.covered: frozenset[str] = frozenset()
        self.tiled: frozenset[Value] = frozenset()
        self.from_box: frozenset[str] = frozenset()
        self.positive: frozenset[str] = frozenset()
        self.replicated = False
        self.footprints: dict[str, Footprint] = {}
        self.callees: tuple[str, ...] = ()
        self.depth = 1
        self.expanded = 1
        self.instances: int | None = None
        self.extra: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"<facts of @{self.name}: {EFFECT_CLASSES[self.effect]}>"


class Facts:
    """The facts of a module; `facts["name"]` is one definition's. `order` has callees before
    callers."""

    __slots__ = ("definitions", "extra", "module", "order")

    def __init__(self, module: Module):
        self.module = module
        self.definitions: dict[str, DefinitionFacts] = {
            name: DefinitionFacts(name) for name in module.definitions}
        self.order: tuple[str, ...] = ()
        self.extra: dict[str, Any] = {}

    def __getitem__(self, name: str) -> DefinitionFacts:
        return self.definitions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.order)

    def below(self, name: str) -> tuple[str, ...]:
        """The definitions that `name` needs, itself last, callees before callers."""
        wanted = {name}
        stack = [name]
        while stack:
            for callee in self.definitions[stack.pop()].callees:
                if callee not in wanted:
                    wanted.add(callee)
                    stack.append(callee)
        return tuple(n for n in self.order if n in wanted)
