"""Which host functions a program may call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hvisa.diagnostics import Diagnostic, HvisaError


def check_externs(names: Sequence[str], allowed: Mapping[str, Callable[..., Any]],
                  what: str) -> None:
    """HV0703 unless the host allows every extern function of a program."""
    missing = [n for n in names if n not in allowed]
    if missing:
        raise HvisaError([Diagnostic(
            "HV0703", f"{what} calls the extern function `@{name}`, which the host does not allow",
            help=f"pass it: `hvisa.load(..., externs={{\"{name}\": function}})`")
            for name in missing])
