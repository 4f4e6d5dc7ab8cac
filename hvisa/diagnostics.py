"""Places, messages and the one exception type of hvisa.

Three kinds of failure are told apart: an *error* is the user's mistake (`HvisaError`), a *trap* is a
program's fault at run time (`HvisaTrap`), an assertion is our own mistake. Nothing in here knows the
instruction set; the text of each code lives in `hvisa.spec.errors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Source:
    """A named text that spans point into. `text` is None for bytes; `language` is `hvasm`, or that of
    the text that a module was compiled from."""

    __slots__ = ("_lines", "language", "name", "text")

    def __init__(self, name: str, text: str | None = None, language: str = "hvasm"):
        self.name = name
        self.text = text
        self.language = language
        self._lines: list[str] | None = None

    def line(self, number: int) -> str:
        """The text of line `number` (from 1), without its line end; empty where there is none."""
        if self.text is None:
            return ""
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines[number - 1].rstrip("\r") if 0 < number <= len(self._lines) else ""


class Span:
    """A place: `line` and `column` from 1 in a text, or a byte `offset` in a named section.

    `length` is in characters (text) or bytes; it never reaches past the end of its line.
    """

    __slots__ = ("column", "length", "line", "offset", "section", "source")

    def __init__(self, source: Source | None, line: int = 0, column: int = 0, length: int = 1,
                 offset: int = -1, section: str = ""):
        self.source = source
        self.line = line
        self.column = column
        self.length = length
        self.offset = offset
        self.section = section

    def __str__(self) -> str:
        name = self.source.name if self.source else "<module>"
        if self.offset >= 0:
            where = f", section {self.section}" if self.section else ""
            return f"{name}: byte {self.offset}{where}"
        return f"{name}:{self.line}:{self.column}" if self.line else name

    def __repr__(self) -> str:
        return f"Span({self})"


class Diagnostic:
    """One message: code, text, place, further labelled places, and what to type instead.

    `note` is the short text printed beside the caret.
    """

    __slots__ = ("code", "help", "labels", "message", "note", "severity", "span")

    def __init__(self, code: str, message: str, span: Span | None = None, *, note: str = "",
                 help: str = "", labels: Iterable[tuple[Span, str]] = (), severity: str = "error"):
        self.code = code
        self.message = message
        self.span = span
        self.note = note
        self.help = help
        self.labels = tuple(labels)
        self.severity = severity

    def __str__(self) -> str:
        return render(self)

    def __repr__(self) -> str:
        return f"Diagnostic({self.code}: {self.message!r} at {self.span})"

    def as_dict(self) -> dict[str, object]:
        """The same as plain data, for `--json`."""
        span = self.span
        return {"code": self.code, "severity": self.severity, "message": self.message,
                "note": self.note, "help": self.help,
                "file": span.source.name if span and span.source else None,
                "line": span.line if span and span.line else None,
                "column": span.column if span and span.line else None,
                "length": span.length if span else None,
                "offset": span.offset if span and span.offset >= 0 else None,
                "section": span.section if span and span.section else None}


class HvisaError(Exception):
    """Bad input of any kind. `diagnostics` holds every error of the stage, in source order."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]):
        self.diagnostics = ((diagnostics,) if isinstance(diagnostics, Diagnostic)
                            else tuple(diagnostics))
        super().__init__(self.diagnostics[0].message if self.diagnostics else "")

    @property
    def codes(self) -> list[str]:
        return [d.code for d in self.diagnostics]

    def __str__(self) -> str:
        return "\n".join(render(d) for d in self.diagnostics)


class HvisaTrap(HvisaError):
    """A program fault at run time.

    `path` is the chain of node names from the entry, `instance` the grid index of the instance
    that faulted (None where the device does not report it).
    """

    def __init__(self, diagnostic: Diagnostic, path: tuple[str, ...] = (),
                 instance: tuple[int, ...] | None = None):
        super().__init__(diagnostic)
        self.path = path
        self.instance = instance

    @property
    def code(self) -> str:
        return self.diagnostics[0].code


class LaunchTimeout(HvisaError):
    """The launch was stopped because its `timeout=` ran out. Written arguments are unspecified."""


def plural(count: int, word: str) -> str:
    """`1 value`, `2 values`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def instance_text(path: Sequence[str], instance: tuple[int, ...] | None) -> str:
    """`instance 2 of @main/f`, `instance (0, 1) of @f`, or `in @f` where there is no grid."""
    where = f"@{'/'.join(path)}"
    if not instance:
        return f"in {where}"
    return f"instance {instance[0] if len(instance) == 1 else instance} of {where}"


def fail(code: str, message: str, span: Span | None = None, *, note: str = "",
         help: str = "") -> HvisaError:
    """The exception for one message, to be raised by the caller."""
    return HvisaError(Diagnostic(code, message, span, note=note, help=help))


def _snippet(span: Span, note: str, gutter: int) -> list[str]:
    text = span.source.line(span.line) if span.source else ""
    if not span.line or not text:
        return []
    # Tabs would move the caret: show them as single blanks.
    shown = text.replace("\t", " ")
    length = max(1, min(span.length, len(shown) - span.column + 1))
    caret = " " * (span.column - 1) + "^" * length + (f" {note}" if note else "")
    return [f"{'':{gutter}} |", f"{span.line:>{gutter}} | {shown}", f"{'':{gutter}} | {caret}"]


def render(diagnostic: Diagnostic) -> str:
    """The message as printed: code, place, source line with caret, help."""
    d = diagnostic
    lines = [f"{d.severity}[{d.code}]: {d.message}"]
    places = [(d.span, d.note)] if d.span else []
    places += list(d.labels)
    gutter = max([len(str(span.line)) for span, _ in places], default=1)
    for number, (span, note) in enumerate(places):
        arrow = "-->" if number == 0 else ":::"
        lines.append(f"{'':{gutter}}{arrow} {span}" + (f": {note}" if not span.line and note else ""))
        lines += _snippet(span, note, gutter)
    if not d.span and d.note:
        lines.append(f"{'':{gutter}} = note: {d.note}")
    if d.help:
        first, *rest = d.help.split("\n")
        lines.append(f"{'':{gutter}} = help: {first}")
        lines += [f"{'':{gutter}}         {line}" for line in rest]
    return "\n".join(lines)
