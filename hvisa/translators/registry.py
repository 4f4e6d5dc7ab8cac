"""Translators by device name: those of hvisa, and those that other packages bring.

A package adds one with the entry point group `hvisa.translators`, `name = "module:Class"`. Each is
imported when it is first asked for. A plug-in can't take a built-in name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hvisa.diagnostics import HvisaError, fail

if TYPE_CHECKING:
    from hvisa.translators.base import Translator

GROUP = "hvisa.translators"
BUILT_IN: dict[str, str] = {
    "x86": "hvisa.translators.x86.translator:X86",
    "multicore": "hvisa.translators.multicore.translator:Multicore",
}
_found: dict[str, type[Any]] = {}


def translator_names() -> list[str]:
    """Every name, the built-in ones first."""
    return [*BUILT_IN, *sorted(set(_plug_ins()) - set(BUILT_IN))]


def make_translator(name: str, **options: Any) -> Translator:
    """The translator of a device with these options. HV1101 for an unknown name, HV1102 if a
    plug-in can't be loaded."""
    kind = _found.get(name)
    if kind is None:
        kind = _found[name] = _load(name)
    made: Translator = kind(**options)
    return made


def _load(name: str) -> type[Any]:
    place = BUILT_IN.get(name) or _plug_ins().get(name)
    if place is None:
        raise unknown_device(name)
    module, _, attribute = place.partition(":")
    try:
        found: type[Any] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise fail("HV1102", f"the translator `{name}` ({place}) can't be loaded: {error}",
                   help="reinstall the package that brings it") from error
    return found


def unknown_device(name: str) -> HvisaError:
    """The error for a device name that nobody knows, to be raised by the caller."""
    import difflib
    known = [*translator_names(), "reference"]
    near = difflib.get_close_matches(name, known, 1)
    return fail("HV1101", f"there is no device `{name}`",
                help=f"did you mean `{near[0]}`?" if near else f"devices are {', '.join(known)}")


def _plug_ins() -> dict[str, str]:
    from importlib.metadata import entry_points
    return {point.name: point.value for point in entry_points(group=GROUP)}
