"""How a function of the library is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hvisa.frontends.python.definitions import PythonFunction


def public(python: Callable[..., Any]) -> Any:
    """A function that programs import: `exp_f32` is `@exp.f32`, `philox4x32` is `@philox4x32`."""
    name, _, last = python.__name__.rpartition("_")
    return PythonFunction("func", python, name=f"{name}.{last}" if name else last)


def private(python: Callable[..., Any]) -> Any:
    """A part that several functions share."""
    return PythonFunction("func", python, private=True)
