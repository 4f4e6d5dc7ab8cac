"""Options of a command as a table, from which both typer and a quick parser are made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hvisa.diagnostics import fail


class Option(NamedTuple):
    """One parameter of a command. `flags` is () for a positional one; `kind` is str, float, bool or
    list (of str, may be repeated)."""

    name: str
    flags: tuple[str, ...]
    kind: type
    help: str
    metavar: str = ""

    @property
    def default(self) -> Any:
        return {list: [], bool: False}.get(self.kind)


class AnyExtern(dict[str, Callable[..., Any]]):
    """Allows every extern function, for commands that call none."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Callable[..., Any]:
        raise AssertionError(f"`{name}` is not called")


def parse_quickly(options: Sequence[Option], arguments: Sequence[str]) -> dict[str, Any] | None:
    """The values by name if the arguments are well-formed; None if anything about them is not
    plain, for typer to explain."""
    by_flag = {flag: o for o in options for flag in o.flags}
    positional = [o for o in options if not o.flags]
    found: dict[str, Any] = {o.name: list(o.default) if o.kind is list else o.default
                             for o in options}
    rest = list(reversed(arguments))
    while rest:
        word = rest.pop()
        if not word.startswith("-"):
            if not positional:
                return None
            found[positional.pop(0).name] = word
            continue
        flag, equals, value = word.partition("=")
        option = by_flag.get(flag)
        if option is None or (option.kind is bool and equals) or (equals and flag[:2] != "--"):
            return None
        if option.kind is not bool and not equals:
            if not rest:
                return None
            value = rest.pop()
        if not _store(found, option, value):
            return None
    return None if positional else found


def _store(found: dict[str, Any], option: Option, value: str) -> bool:
    """Whether the value could be taken."""
    if option.kind is list:
        found[option.name].append(value)
    elif option.kind is float:
        try:
            found[option.name] = float(value)
        except ValueError:
            return False
    else:
        found[option.name] = True if option.kind is bool else value
    return True


def pairs(words: Sequence[str], option: str) -> dict[str, str]:
    """The values of a repeated option `NAME=VALUE`, by name."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise fail("HV1001", f"`{option} {word}` has no `=`",
                       help=f"write `{option} NAME=...`")
        found[name.lstrip("%")] = value
    return found


def typer_function(function: Callable[..., Any], options: Sequence[Option]) -> Callable[..., Any]:
    """The function with a signature as typer reads it."""
    import typer
    parameters: list[inspect.Parameter] = []
    for option in options:
        kind: Any = {list: list[str], str: str, float: float, bool: bool}[option.kind]
        settings: dict[str, Any] = {"help": option.help, "show_default": False}
        if option.metavar:
            settings["metavar"] = option.metavar
        if option.flags:
            default = typer.Option(option.default, *option.flags, **settings)
            kind = kind | None if option.kind in (str, float) else kind
        else:
            default = typer.Argument(..., **settings)
        parameters.append(inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY,
                                            default=default, annotation=kind))

    def command(**values: Any) -> None:
        function(**values)
    command.__doc__ = function.__doc__
    command.__name__ = function.__name__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command
