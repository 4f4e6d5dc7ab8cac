"""The modules of the standard library that a program imports from, found by name and version."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hvisa.diagnostics import Diagnostic, HvisaError

if TYPE_CHECKING:
    from hvisa.graph.model import Module

MATH = "math"
VERSIONS = (1,)
_FOLDER = Path(__file__).parent


def library_bytes(version: int) -> bytes:
    """The bytecode of a version of the mathematics."""
    return (_FOLDER / f"math{version}.hvbc").read_bytes()


@functools.cache
def library_stamp() -> str:
    """Differs where the library does: part of what identifies a program that is linked with it."""
    return (_FOLDER / "stamp.txt").read_text(encoding="ascii").strip()


@functools.cache
def math_module(version: int) -> Module:
    """A version of the mathematics, decoded and verified once a process."""
    from hvisa.assembler.decoder import decode
    from hvisa.graph.verifier import verify
    module = decode(library_bytes(version), f"math{version}.hvbc")
    verify(module)
    return module


def standard_modules(module: Module, given: Mapping[str, Module]) -> dict[str, Module]:
    """The standard modules that a program, or a module given to it, imports from. Raises HV0723 if the
    program does not say which version."""
    out: dict[str, Module] = {}
    for one in (module, *given.values()):
        for definition in one.definitions.values():
            if definition.source_module != MATH or MATH in given:
                continue
            version = one.math_version
            if version not in VERSIONS:
                raise HvisaError(Diagnostic(
                    "HV0723", f"`@{definition.name}` is of the standard mathematics, and the module does "
                    "not say of which version", definition.span,
                    help=f"write `math {VERSIONS[-1]}` at the top of the module"))
            out[MATH] = math_module(version)
    return out
