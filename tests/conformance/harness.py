"""Runs conformance programs on devices. What passes here on a device is what "supports hvisa"
means.

A device is a function `(module, entry, arguments) -> results`, with arguments and results as
`Interpreter.run` has them. It raises `Absent` where the machine lacks it and `Declined` where it
can't take a program; both are skips with their reason.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError, HvisaTrap
from hvisa.graph.interpreter import Interpreter
from hvisa.graph.model import Module
from hvisa.spec import numerics, types as ty
from hvisa.spec.types import ScalarType, StreamType, Type
from tests.conformance.directives import Directive, arguments_of, expected_of, read_directives
from tests.conformance.native import native

ROOT = Path(__file__).parent


class Absent(Exception):
    """The machine does not have the device; the text is the reason."""


class Declined(Exception):
    """The device does not take this program; the text is the reason."""


def reference(module: Module, entry: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return Interpreter(module, print_sink=lambda line: None).run(entry, arguments)


Device = Callable[[Module, str, dict[str, Any]], dict[str, Any]]
DEVICES: dict[str, Device] = {"reference": reference, "x86": native("x86"),
                              "multicore": native("multicore", serial_work=0)}


@lru_cache(maxsize=64)
def load(file: Path) -> Module:
    return parse(file.read_text(encoding="utf-8"), file.name)


def all_directives() -> list[Directive]:
    """Every directive of every program, in order of file name."""
    return [d for f in sorted(ROOT.glob("*/*.hvasm")) for d in read_directives(f)]


def _element(type_: Type) -> ScalarType:
    element = ty.element_of(type_) or ty.element_of(type_.element)  # type: ignore[attr-defined]
    assert element is not None
    return element


def canonical(found: Any, type_: Type) -> Any:
    """Something that is equal for equal bits, all NaNs being one (semantics 13)."""
    if isinstance(type_, StreamType):
        return [canonical(item, type_.item) for item in found]
    array, element = np.asarray(found), _element(type_)
    assert array.dtype == element.storage_dtype, f"dtype {array.dtype}, {element} is stored as " \
        f"{element.storage_dtype}"
    if element is ty.BF16:
        array = np.where((array & 0x7FFF) > 0x7F80, np.uint16(0x7FC0), array)
    elif element.is_float:
        array = numerics.canonical_bits(array)
    return array.shape, array.tolist()


def same(found: Any, wanted: Any, type_: Type) -> bool:
    """Equal bits after canonicalising NaN."""
    return canonical(found, type_) == canonical(wanted, type_)


def check_results(device: Device, module: Module, directive: Directive) -> None:
    found = device(module, directive.entry, arguments_of(module, directive))
    expected = expected_of(module, directive)
    assert len(found) == len(expected), f"{len(found)} results, {len(expected)} expected"
    for (name, value), (wanted, type_) in zip(found.items(), expected, strict=True):
        assert same(value, wanted, type_), f"%{name} is {value!r}, expected {wanted!r}"


def check_failure(device: Device, module: Module, directive: Directive) -> None:
    """The launch fails with the code, by a trap or by an error before any instance runs."""
    arguments = arguments_of(module, directive)
    try:
        found = device(module, directive.entry, arguments)
    except HvisaTrap as trap:
        assert directive.kind == "trap" and trap.code == directive.code, str(trap)
    except HvisaError as error:
        assert directive.kind == "launch-error" and directive.code in error.codes, str(error)
    else:
        raise AssertionError(f"no {directive.code}; results are {found!r}")


def check(device: Device, directive: Directive) -> None:
    module = load(directive.file)
    (check_results if directive.kind == "run" else check_failure)(device, module, directive)
