"""The modules of the standard library that a program imports from, found by name and version."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hvisa.diagnostics import Diagnostic, HvisaError

if TYPE_CHECKING:
    from zipfile import ZipFile

    from hvisa.graph.model import Definition, Module

MATH = "math"
VERSIONS = (1,)
_FOLDER = Path(__file__).parent


def library_bytes(name: str, version: int) -> bytes:
    """The bytecode of a version of a standard module."""
    if name == MATH:
        return (_FOLDER / f"math{version}.hvbc").read_bytes()
    with _archive(version) as archive:
        return archive.read(f"{name}.hvbc")


def _archive(version: int) -> ZipFile:
    from zipfile import ZipFile
    return ZipFile(_FOLDER / f"nodes{version}.zip")


@functools.cache
def module_names(version: int) -> frozenset[str]:
    """All modules of a version."""
    with _archive(version) as archive:
        return frozenset({MATH, *(n.removesuffix(".hvbc") for n in archive.namelist())})


@functools.cache
def library_stamp() -> str:
    """Differs where the library does: part of what identifies a program that is linked with it."""
    return (_FOLDER / "stamp.txt").read_text(encoding="ascii").strip()


@functools.cache
def standard_module(name: str, version: int) -> Module:
    """A module of the library, decoded and verified once a process."""
    from hvisa.assembler.decoder import decode
    from hvisa.graph.verifier import verify
    module = decode(library_bytes(name, version), f"{name}.hvbc")
    verify(module)
    return module


def is_standard(name: str) -> bool:
    """Whether any version has a module of this name."""
    return name == MATH or any(name in module_names(v) for v in VERSIONS)


def standard_modules(module: Module, given: Mapping[str, Module]) -> dict[str, Module]:
    """The standard modules that a program, or a module given to it, imports from. Raises HV0723 if the
    program does not say which version."""
    out: dict[str, Module] = {}
    for one in (module, *given.values()):
        for definition in one.definitions.values():
            name = definition.source_module
            if name is None or name in given or name in out or not is_standard(name):
                continue
            _check_version(definition, one.math_version)
            if name in module_names(one.math_version):
                out[name] = standard_module(name, one.math_version)
    return out


def _check_version(definition: Definition, version: int) -> None:
    if version not in VERSIONS:
        raise HvisaError(Diagnostic(
            "HV0723", f"`@{definition.name}` is of the standard library, and the module does not say "
            "of which version", definition.span,
            help=f"write `math {VERSIONS[-1]}` at the top of the module"))
