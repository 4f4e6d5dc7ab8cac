"""What a translator and its driver are: the protocols, and the artifact that passes between them.

A translator validates a node for a device, naming each thing that it declines and why, and translates
it to an `Artifact`. A driver loads artifacts and launches them. Both are plug-ins (entry point
`hvisa.translators`, `name = "module:Class"`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from hvisa.diagnostics import Diagnostic
    from hvisa.graph.facts import Facts
    from hvisa.graph.model import Module


@dataclass(frozen=True)
class Options:
    """How to translate. Everything here is part of the cache key.

    `threads` is whether instances may run on several threads at once; `features` are the CPU features
    in LLVM's spelling; `stop_checks` lets a running kernel be stopped (semantics 22).
    `parts` adds a second entry that runs a range of a leaf's instances on outputs that are prepared.
    """

    threads: bool = False
    cpu: str = ""
    features: tuple[str, ...] = ()
    stop_checks: bool = True
    bounds_checks: bool = True
    opt_level: int = 3
    parts: bool = False

    def key_parts(self) -> dict[str, str]:
        return {"threads": str(self.threads), "cpu": self.cpu, "features": ",".join(self.features),
                "stop_checks": str(self.stop_checks), "bounds_checks": str(self.bounds_checks),
                "opt_level": str(self.opt_level), "parts": str(self.parts)}


@dataclass
class Artifact:
    """Code for one entry with what is needed to launch it.

    `code` is opaque to everyone but the device's driver. `metadata` is plain JSON data: argument
    layout, trap sites, resources, cost, notes for `hvisa explain`.
    """

    device: str
    entry: str
    code: bytes
    metadata: dict[str, Any] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        head = json.dumps({"device": self.device, "entry": self.entry, "metadata": self.metadata},
                          sort_keys=True, separators=(",", ":")).encode()
        return len(head).to_bytes(8, "little") + head + self.code

    @staticmethod
    def from_bytes(data: bytes) -> Artifact:
        size = int.from_bytes(data[:8], "little")
        head = json.loads(data[8:8 + size])
        return Artifact(head["device"], head["entry"], data[8 + size:], head["metadata"])


class Translator(Protocol):
    """Makes artifacts for one device kind."""

    name: str
    summary: str
    version: str

    def validate(self, module: Module, facts: Facts, entry: str) -> Sequence[Diagnostic]:
        """Everything of the entry's closure that the device declines; empty if it can run."""
        ...

    def options(self) -> Options:
        """The options for the machine that this process runs on."""
        ...

    def translate(self, module: Module, facts: Facts, entry: str, options: Options) -> Artifact:
        """Code for an entry that `validate` accepted."""
        ...
