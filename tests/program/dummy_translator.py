"""A translator as another package would bring it: it declines everything."""

from __future__ import annotations

from dataclasses import dataclass

from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.translators.base import Options


@dataclass(frozen=True)
class Dummy:
    name: str = "dummy"
    summary: str = "declines everything"
    version: str = "1"

    def validate(self, module, facts, entry):
        return [Diagnostic("HV1103", "dummy takes nothing", module.definitions[entry].span)]

    def options(self):
        return Options()

    def translate(self, module, facts, entry, options):
        raise HvisaError(self.validate(module, facts, entry))
