"""The device `multicore`: all cores, every feature of the CPU that it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hvisa.diagnostics import Diagnostic
from hvisa.graph.model import Module
from hvisa.translators.base import Artifact, Options
from hvisa.translators.llvm.cpu import cpu_declines, cpu_options, cpu_translate

if TYPE_CHECKING:
    from hvisa.graph.facts import Facts


@dataclass(frozen=True)
class Multicore:
    """Native code whose grids run on the team of threads. `isolate` runs LLVM in a child process."""

    name: str = "multicore"
    summary: str = "all cores of an x86-64 CPU"
    version: str = "1"
    isolate: bool = False

    def validate(self, module: Module, facts: Facts | None, entry: str) -> Sequence[Diagnostic]:
        """Everything of the entry's closure that has no native code here; empty if it can run."""
        return cpu_declines(module, entry, self.options().features)

    def options(self) -> Options:
        """The options for this process's CPU. Imports LLVM."""
        return cpu_options(threads=True)

    def translate(self, module: Module, facts: Facts | None, entry: str,
                  options: Options) -> Artifact:
        """Code for an entry; raises what `validate` gives."""
        return cpu_translate(self.name, self.version, module, facts, entry, options, self.isolate)
