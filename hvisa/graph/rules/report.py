"""Where rules leave their messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hvisa.diagnostics import Diagnostic, Span
from hvisa.graph.carets import operand_span
from hvisa.graph.model import Definition, Instr
from hvisa.spec.limits import LIMITS

MAX_ERRORS = 1000


class Report:
    """Collects diagnostics. `span` is used where a message has no place of its own; `failed` counts
    errors, also those beyond MAX_ERRORS that are not kept."""

    __slots__ = ("errors", "failed", "span")

    def __init__(self) -> None:
        self.errors: list[Diagnostic] = []
        self.failed = 0
        self.span: Span | None = None

    def add(self, code: str, message: str, span: Span | None = None, *, note: str = "",
            help: str = "", labels: Iterable[tuple[Span, str]] = ()) -> None:
        self.failed += 1
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(Diagnostic(code, message, span or self.span, note=note, help=help,
                                          labels=labels))

    def at(self, code: str, message: str, instr: Instr, operand: int = -1, *, note: str = "",
           help: str = "", labels: Iterable[tuple[Span, str]] = ()) -> None:
        """A message about an instruction, with the caret under one operand where that is known."""
        span = operand_span(instr, operand) if len(self.errors) < MAX_ERRORS else None
        self.add(code, message, span, note=note, help=help, labels=labels)

    def limit(self, name: str, found: int, span: Span | None = None) -> bool:
        """Whether `found` is beyond a limit, which is then reported."""
        if found <= LIMITS[name].value:
            return False
        self.failed += 1
        self.errors.append(LIMITS[name].diagnostic(found, span or self.span))
        return True


def in_source_order(errors: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place; what has no place stays where it was found, before the placed ones."""
    def place(diagnostic: Diagnostic) -> tuple[int, int, int]:
        span = diagnostic.span
        return (span.line, span.column, max(span.offset, 0)) if span else (0, 0, 0)
    return sorted(errors, key=place)


def label(thing: Definition | Instr | None, text: str, operand: int = -1) -> tuple[tuple[Span, str], ...]:
    """A second place for a message, if it is known."""
    span = operand_span(thing, operand) if isinstance(thing, Instr) else thing.span if thing else None
    return ((span, text),) if span is not None else ()
