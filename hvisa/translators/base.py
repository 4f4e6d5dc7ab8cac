"""What a translator is: its protocol and options. What it makes is in `artifact`.

A translator validates a node for a device, naming each thing that it declines and why, and translates
it to an `Artifact`. A driver loads artifacts and launches them. Both are plug-ins (entry point
`hvisa.translators`, `name = "module:Class"`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hvisa.translators.artifact import Artifact

if TYPE_CHECKING:
    from hvisa.diagnostics import Diagnostic
    from hvisa.graph.facts import Facts
    from hvisa.graph.model import Module

__all__ = ["Artifact", "Options", "Translator"]


@dataclass(frozen=True)
class Options:
    """How to translate. Everything here is part of the cache key.

    `threads` is whether instances may run on several threads at once; `features` are the CPU features
    in LLVM's spelling; `stop_checks` lets a running kernel be stopped (semantics 22).
    `parts` adds a second entry that runs a range of a leaf's instances on outputs that are prepared.
    A launch of less than `serial_work` instructions, roughly ten microseconds, stays on its thread.
    """

    threads: bool = False
    cpu: str = ""
    features: tuple[str, ...] = ()
    stop_checks: bool = True
    bounds_checks: bool = True
    opt_level: int = 3
    parts: bool = False
    serial_work: int = 40_000

    def key_parts(self) -> dict[str, str]:
        return {"threads": str(self.threads), "cpu": self.cpu, "features": ",".join(self.features),
                "stop_checks": str(self.stop_checks), "bounds_checks": str(self.bounds_checks),
                "opt_level": str(self.opt_level), "parts": str(self.parts),
                "serial_work": str(self.serial_work)}


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
