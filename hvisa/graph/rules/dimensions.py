"""Dimensions: symbols in scope, divisors, extents (semantics 24).

A divisor is a positive constant or one symbol standing alone. There is no way to declare a symbol
>= 1: using it as a divisor is the declaration, and the launch checks it
(`DefinitionFacts.positive`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hvisa.diagnostics import Span
from hvisa.graph.rules.report import Report
from hvisa.spec.dimensions import Atom, Dim
from hvisa.spec.limits import LIMITS
from hvisa.spec.types import Type, dims_of


def atoms(dim: Dim) -> Iterator[Atom]:
    """Every opaque atom in a dimension, nested ones included; their nesting is bounded."""
    for monomial, _ in dim.terms:
        for atom in monomial:
            if isinstance(atom, Atom):
                yield atom
                for operand in atom.operands:
                    yield from atoms(operand)


def divisors(dim: Dim) -> Iterator[Dim]:
    """Everything in a dimension that divides."""
    for atom in atoms(dim):
        if atom.kind in ("floordiv", "mod"):
            yield atom.operands[1]


def check_divisors(report: Report, dim: Dim, span: Span | None,
                   never_zero: Callable[[str], bool]) -> set[str]:
    """Report divisors that can't be checked before a launch; the symbols that must be >= 1.

    `never_zero` says whether a symbol may be held to that: an instance id may not.
    """
    positive: set[str] = set()
    for divisor in divisors(dim):
        symbol = divisor.symbol
        if symbol is not None and never_zero(symbol):
            positive.add(symbol)
        elif symbol is not None:
            report.add("HV0607", f"`{dim}` divides by `%{symbol}`, which starts at 0", span,
                       help="divide by a positive constant or a dimension symbol")
        elif (divisor.constant or 0) < 1:
            report.add("HV0607", f"`{dim}` divides by `{divisor}`", span,
                       note="a divisor is a positive constant or one symbol",
                       help=f"name it: `match %d == {divisor}` in a graph, and divide by `%d`")
    return positive


def check_extents(report: Report, type_: Type, span: Span | None, note: str = "") -> None:
    """Constant extents lie between 0 and the limit."""
    for dim in dims_of(type_):
        value = dim.constant
        if value is not None and value < 0:
            report.add("HV0608", f"an extent of {type_} is negative", span, note=note,
                       help="extents are 0 or more")
        elif value is not None and value > LIMITS["extent"].value:
            report.limit("extent", value, span)
