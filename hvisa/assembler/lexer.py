"""A Pygments lexer for `.hvasm`, named by an entry point: `pygmentize file.hvasm` finds it.

Nothing else imports this file: hvisa works where Pygments is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pygments.lexer import RegexLexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from hvisa.assembler import words

Token = tuple[int, Any, str]
Rule = tuple[str, Callable[[Any, re.Match[str]], Iterator[Token]]]

TOKENS: dict[str, Any] = {
    "blank": Whitespace, "comment": Comment.Single, "string": String.Double, "value": Name.Variable,
    "global": Name.Function, "symbol": Name.Variable.Instance, "attribute": Name.Attribute,
    "suffix": Name.Decorator, "flag": Name.Decorator, "literal": Keyword.Constant,
    "function": Name.Builtin.Pseudo, "type": Keyword.Type, "declaration": Keyword.Declaration,
    "modifier": Keyword.Pseudo, "keyword": Keyword, "instruction": Name.Builtin, "name": Name,
    "hex": Number.Hex, "float": Number.Float, "integer": Number.Integer, "operator": Operator,
    "punctuation": Punctuation}


def _tokens(kind: str, text: str, start: int) -> Iterator[Token]:
    if kind == "number":
        yield start, TOKENS[words.number_kind(text)], text
    elif kind == "string":
        for part in re.finditer(r"\\.|[^\\]+", text):
            escape = part[0].startswith("\\")
            yield start + part.start(), String.Escape if escape else String.Double, part[0]
    else:
        yield start, TOKENS[kind], text


def _rule(pattern: words.Pattern) -> Rule:
    def tokens(lexer: Any, match: re.Match[str]) -> Iterator[Token]:
        if len(pattern.kinds) == 1:
            yield from _tokens(pattern.kinds[0], match[0], match.start())
            return
        for group, kind in enumerate(pattern.kinds, 1):
            yield from _tokens(kind, match[group], match.start(group))
    return pattern.regex, tokens


def _rules() -> list[Any]:
    """The rules of the lexer's one state."""
    rules: list[Any] = [_rule(p) for p in words.patterns()]
    # Blanks come after the one pattern that begins with them.
    return [*rules, (r"\s+", Whitespace)]


class HvasmLexer(RegexLexer):
    """The text form of hvisa, a virtual instruction set."""

    name = "hvasm"
    aliases = ["hvasm", "hvisa"]
    filenames = ["*.hvasm"]
    tokens = {"root": _rules()}

    @staticmethod
    def analyse_text(text: str) -> float:
        """How sure one may be that a text is hvasm: quite, if it has a definition."""
        kinds = words.alternatives(words.words_of("KIND"))
        return 0.6 if re.search(rf"^[ \t]*(?:{kinds})[ \t]+@\w", text, re.MULTILINE) else 0.0
