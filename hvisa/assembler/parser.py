"""Text to module. Syntax errors are collected definition by definition; types come from inference."""

from __future__ import annotations

import re
import threading
from itertools import pairwise

from lark import Lark, Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from hvisa.assembler.actions import Actions
from hvisa.assembler.grammar import make_parser
from hvisa.assembler.parse_state import State
from hvisa.assembler.slips import hint
from hvisa.diagnostics import Diagnostic, HvisaError, Source, Span
from hvisa.graph.inference import complete
from hvisa.graph.model import Module
from hvisa.graph.numbering import number_module
from hvisa.spec.limits import LIMITS

_lock = threading.Lock()
_DEFINITION = re.compile(
    r"^(?:import[ \t]*\"[^\"\n]*\"[ \t]*|extern[ \t]+)?(?:public[ \t]+|private[ \t]+)?"
    r"(?:leaf|graph|func|const|module)\b", re.MULTILINE)
# Where a line begins that may be a statement, and those that go on with the line before.
_BEGINNING = re.compile(r"[\n;][ \t]*(?=[%a-z])")
_CONTINUED = re.compile(r"[,(\[\\][ \t]*[\n;][ \t]*(?=[%a-z])")
_NODE = re.compile(r"\bnode[ \t]+@[\w.]+[ \t]*\(([^()]*)")
_PUNCTUATION = {"_COMMA": "`,`", "_LPAR": "`(`", "_RPAR": "`)`", "_LSQUARE": "`[`",
                "_RSQUARE": "`]`", "_ARROW": "`->`", "_GRID": "`grid`", "_WITH": "`with`",
                "LBRACE": "`{`", "RBRACE": "`}`"}
_FIRST = ("_COMMA", "_LPAR", "_RPAR")  # what is forgotten most is named first
MAX_SYNTAX_ERRORS = 20

# How terminals are called in messages.
_NAMES = {"VALUE": "a value `%name`", "GLOBAL": "a name `@name`", "NUMBER": "a number",
          "NAME": "an instruction", "_SEP": "the end of the line", "STRING": "a string",
          "SCALAR": "a type", "WORD": "a number", "SUFFIX": "a form `.word`", "KIND": "`leaf`",
          "DIMENSION_FUNCTION": "a dimension function", "CAPACITY": "a capacity `?f`",
          "$END": "the end of the text"}


def parse(text: str, name: str = "<text>", errors: list[Diagnostic] | None = None) -> Module:
    """The module of a `.hvasm` text, typed.

    Raises HvisaError with every syntax and name error. Type errors are raised too, or, if `errors` is
    given, appended to it so that the verifier's can be shown with them.
    """
    text = text.removeprefix("\ufeff")  # some editors begin a file with a byte order mark
    source = Source(name, text)
    _check_counts(text, source)
    state = State(source)
    with _lock:
        parser = make_parser(Actions)
        actions: Actions = parser.actions  # type: ignore[attr-defined]
        actions.state = state
        _run(parser, state, text + "\n")
    if state.errors:
        raise HvisaError(sorted(state.errors, key=_place))
    found = complete(state.module)
    if errors is not None:
        errors += found
    elif found:
        raise HvisaError(found)
    number_module(state.module)
    return state.module


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    span = diagnostic.span
    return (span.line, span.column) if span else (0, 0)


def _check_counts(text: str, source: Source) -> None:
    """Refuse what is too large before anything is built (semantics 28)."""
    if len(text) > LIMITS["source_bytes"].value:
        raise HvisaError(LIMITS["source_bytes"].diagnostic(len(text), Span(source)))
    most = min(LIMITS[n].value for n in ("instructions", "nodes"))
    if text.count("\n") + text.count(";") <= most and text.count("%") <= LIMITS["edges"].value:
        return
    starts = [m.start() for m in _DEFINITION.finditer(text)] + [len(text)]
    for start, end in pairwise(starts):
        span = Span(source, text.count("\n", 0, start) + 1, 1)
        _check_limit("instructions", len(_BEGINNING.findall(text, start, end))
                     - len(_CONTINUED.findall(text, start, end)), span)
        nodes = edges = 0
        for match in _NODE.finditer(text, start, end):
            nodes += 1
            edges += match.group(1).count("%")
        _check_limit("nodes", nodes, span)
        _check_limit("edges", edges, span)


def _check_limit(name: str, found: int, span: Span) -> None:
    if found > LIMITS[name].value:
        raise HvisaError(LIMITS[name].diagnostic(found, span))


def _run(parser: Lark, state: State, text: str) -> None:
    """Parse; after a syntax error go on at the next definition."""
    for _ in range(MAX_SYNTAX_ERRORS):
        try:
            parser.parse(text)
            return
        except UnexpectedInput as error:
            start = _offset(text, error)
            found = _unclosed(error, state)
            if found is not None and found.span is not None:
                start = len("\n".join(text.split("\n")[:found.span.line - 1]))
            state.errors.append(found or _syntax_error(error, state))
            state.reset()
            following = _DEFINITION.search(text, start)
            if following is None:
                return
            # Keep line numbers: what was read becomes empty lines.
            at = following.start()
            text = "\n" * text.count("\n", 0, at) + text[at:]


def _offset(text: str, error: UnexpectedInput) -> int:
    position = getattr(error, "pos_in_stream", None)
    if position is None or position < 0:
        return len(text)
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _unclosed(error: UnexpectedInput, state: State) -> Diagnostic | None:
    """The message for a `{` that is still open where the text ends or the next definition starts."""
    if not state.frames:
        return None
    source, opened = state.source, state.frames[-1].region.start_line
    line = getattr(error, "line", 0) or 0
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        line = max(1, (source.text or "").rstrip().count("\n") + 1)
        message = "the text ends before a `{` is closed"
        span = Span(source, line, max(1, len(source.line(line))))
    elif line > opened and _DEFINITION.match(source.line(line)):
        message = "a definition starts before a `{` is closed"
        span = Span(source, line, 1, len(source.line(line).split()[0]))
    else:
        return None
    column = source.line(opened).partition("//")[0].rfind("{") + 1
    return Diagnostic("HV0002", message, span, help="write the missing `}`",
                      labels=[(Span(source, opened, column), "this one is open")] if column else ())


def _syntax_error(error: UnexpectedInput, state: State) -> Diagnostic:
    source = state.source
    kind = state.definition.kind if state.definition and state.frames else ""
    if isinstance(error, UnexpectedCharacters):
        span = Span(source, error.line, error.column, 1)
        char = source.line(error.line)[error.column - 1:error.column]
        return Diagnostic("HV0001", f"unexpected character {char!r}", span,
                          help=hint(source.line(error.line), error.column, char, kind)
                          or _expected(error.allowed or set()))
    if isinstance(error, UnexpectedToken):
        token: Token = error.token
        if token.type == "$END":
            last = max(1, (source.text or "").count("\n") + 1)
            return Diagnostic("HV0002", "the text ends too early",
                              Span(source, last, max(1, len(source.line(last)))),
                              help=_expected(error.expected))
        shown = "end of line" if token.type == "_SEP" else f"`{token}`"
        span = Span(source, token.line or 1, token.column or 1,
                    1 if token.type == "_SEP" else len(token))
        return Diagnostic("HV0002", f"unexpected {shown}", span,
                          help=hint(source.line(span.line), span.column, str(token), kind)
                          or _expected(error.expected))
    return Diagnostic("HV0002", "the text can't be read", Span(source, 1, 1))


def _expected(terminals: set[str]) -> str:
    parser = make_parser(Actions)
    spelled = {t.name: t.pattern.value for t in parser.terminals}
    words: list[str] = []
    for name in sorted(terminals, key=lambda n: (n not in _FIRST, n)):
        if name in _NAMES:
            words.append(_NAMES[name])
        elif name in spelled and re.fullmatch(r"[\w.:+=<>-]+", spelled[name]):
            words.append(f"`{spelled[name]}`")
        elif name in _PUNCTUATION:
            words.append(_PUNCTUATION[name])
    unique = list(dict.fromkeys(words))
    return f"expected {', '.join(unique[:8])}" + (", ..." if len(unique) > 8 else "") if unique else ""
