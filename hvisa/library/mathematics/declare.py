"""How a function of the library is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from hvisa.frontends.python.definitions import PythonFunction


@overload
def public(python: Callable[..., Any]) -> Any: ...
@overload
def public(*, fast: bool) -> Any: ...
def public(python: Callable[..., Any] | None = None, *, fast: bool = False) -> Any:
    """A function that programs import: `exp_f32` is `@exp.f32`, `philox4x32` is `@philox4x32`. With `fast`,
    `exp_f32_fast` is `@exp.f32.fast`, which only a caller may use who allows inexact results."""
    if python is None:
        return lambda python: _fast(python) if fast else public(python)
    name, _, last = python.__name__.rpartition("_")
    return PythonFunction("func", python, name=f"{name}.{last}" if name else last)


def _fast(python: Callable[..., Any]) -> Any:
    name, type_, _ = python.__name__.rsplit("_", 2)
    return PythonFunction("func", python, name=f"{name}.{type_}.fast", effect="inexact")


def private(python: Callable[..., Any]) -> Any:
    """A part that several functions share."""
    return PythonFunction("func", python, private=True)
