"""Attributes: hints are free, requirements have known names and units (semantics 27)."""

from __future__ import annotations

from collections.abc import Sequence

from hvisa.graph.model import Attribute
from hvisa.graph.rules.report import Report
from hvisa.spec.operations import ATTRIBUTE_KINDS

HINT, LICENCE, REQUIREMENT = range(len(ATTRIBUTE_KINDS))
TIME = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}

# Requirement -> its units, each with its factor to the base unit (s, 1/s, J, 1).
REQUIREMENTS: dict[str, dict[str, float]] = {
    "deadline": TIME,
    "period": TIME,
    "latency": TIME,
    "rate": {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6},
    "energy": {"nJ": 1e-9, "uJ": 1e-6, "mJ": 1e-3, "J": 1.0},
    "power": {"mW": 1e-3, "W": 1.0},
    "quality": {"": 1.0, "dB": 1.0},
}


def check(report: Report, attributes: Sequence[Attribute]) -> None:
    """Report unknown requirements, units, and values that are no bound."""
    names: set[tuple[int, str]] = set()
    for attribute in attributes:
        if not 0 <= attribute.kind < len(ATTRIBUTE_KINDS):
            report.add("HV0705", f"`{attribute.name}` is of no known kind")
            continue
        key = (attribute.kind, attribute.name)
        if key in names:
            report.add("HV0705", f"`{ATTRIBUTE_KINDS[attribute.kind]} {attribute.name}` is given "
                                 "twice",
                       help="keep one of them")
        names.add(key)
        if attribute.kind == REQUIREMENT:
            _requirement(report, attribute)


def _requirement(report: Report, attribute: Attribute) -> None:
    units = REQUIREMENTS.get(attribute.name)
    if units is None:
        report.add("HV0705", f"`{attribute.name}` is no known requirement",
                   help=f"requirements are {' '.join(REQUIREMENTS)}")
        return
    value = attribute.value
    if attribute.unit not in units:
        shown = [f"`{u}`" for u in units if u] + (["none"] if "" in units else [])
        report.add("HV0705", f"`{attribute.name}` is not given in `{attribute.unit}`"
                   if attribute.unit else f"`{attribute.name}` needs a unit",
                   help=f"units are {', '.join(shown)}: `requirement {attribute.name} = 5 "
                   f"{next(iter(units))}`")
    elif isinstance(value, (bool, str)) or not 0 < value < float("inf"):
        report.add("HV0705", f"`{attribute.name}` needs a positive number",
                   help=f"for example `requirement {attribute.name} = 5 {attribute.unit}`")


def has_licence(attributes: Sequence[Attribute]) -> bool:
    """Whether something may be approximated, which makes a node inexact (semantics 4)."""
    return any(a.kind == LICENCE for a in attributes)
