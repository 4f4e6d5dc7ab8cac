"""The words and lexical patterns of `.hvasm` for tools that colour it: the Pygments lexer, TextMate.

Nothing is listed here. Words come from the instruction table, the type table and `hvasm.lark`, so a new row
or keyword is coloured as soon as it is parsed. What a tool calls each kind of token is the tool's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from hvisa.assembler.grammar import grammar_text
from hvisa.spec import dimensions, operations, types as ty
from hvisa.spec.definitions import ImmediateKind, Level
from hvisa.spec.table import ROWS

# Rules whose own words open a definition or a line of the module.
_DECLARING_RULES = ("module_line", "constant", "declaration")
_DECLARING_TERMINALS = ("KIND",)
# Rules and terminals whose words say how something is meant; those of others make statements.
_MODIFYING_RULES = ("mode",)
_MODIFYING_TERMINALS = ("VISIBILITY", "DIRECTION", "LAYOUT", "CHECKED", "POLICY", "EFFECT", "ATTRIBUTE",
                        "UNIFORM", "ONE", "SAFE")
_WORD_END = "(?![A-Za-z0-9_])"


class Pattern(NamedTuple):
    """A token. `kinds` has one kind, or one for each group of `regex`, which then cover all of it.

    Patterns are tried in order. Their regular expressions mean the same to Python and to Oniguruma.
    """

    kinds: tuple[str, ...]
    regex: str


@cache
def _rules() -> dict[str, str]:
    """The right side of each rule and terminal of the grammar, by name."""
    found: dict[str, str] = {}
    name = ""
    for line in grammar_text().splitlines():
        head = re.match(r"[?!]?(\w+)(?:\.\d+)?:", line)
        if head is not None:
            name = head[1]
            found[name] = line[head.end():].strip()
        elif line.startswith(" ") and name:
            found[name] += f" {line.strip()}"
        elif line:
            name = ""
    return found


def terminal(name: str) -> str:
    """The regular expression of a terminal."""
    right = _rules()[name]
    assert right.startswith("/") and right.endswith("/"), right
    return right[1:-1]


@cache
def words_of(name: str) -> frozenset[str]:
    """The words that a rule or terminal spells out itself: in quotes, or within a regular expression."""
    right = _rules()[name]
    if right.startswith("/"):
        # Classes and escapes spell nothing out, and no word has one letter only.
        return frozenset(re.findall(r"\b[a-z_]{2,}\b", re.sub(r"\[[^\]]*\]|\\.", " ", right)))
    return frozenset(re.findall(r'"([a-z][a-z_]+)"', right))


def _all_of(names: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(words_of, names))


@cache
def types() -> frozenset[str]:
    """Names of scalar types and of what is built from them."""
    return frozenset(ty.BY_NAME) | words_of("type")


@cache
def declarations() -> frozenset[str]:
    return _all_of(_DECLARING_RULES) | _all_of(_DECLARING_TERMINALS)


@cache
def modifiers() -> frozenset[str]:
    """Directions, modes, effect classes, policies and the like."""
    modes = {word for mode in operations.MODES for word in mode.split()}
    assert modes <= _all_of((*_MODIFYING_RULES, "CHECKED")), modes
    return _all_of(_MODIFYING_RULES) | _all_of(_MODIFYING_TERMINALS)


@cache
def keywords() -> frozenset[str]:
    """Every other word of the grammar, and the instructions that steer or make a graph."""
    others = {*_DECLARING_RULES, *_DECLARING_TERMINALS, *_MODIFYING_RULES, *_MODIFYING_TERMINALS, "type",
              "SCALAR", "DIMENSION_FUNCTION", "WORD"}
    steering = {name for name, row in ROWS.items()
                if row.regions or row.terminator or row.level is Level.GRAPH}
    return _all_of(name for name in _rules() if name not in others) | steering


@cache
def instructions() -> frozenset[str]:
    """Mnemonics that are no keywords."""
    return frozenset(ROWS) - keywords()


@cache
def functions() -> frozenset[str]:
    """What dimension expressions call."""
    return frozenset(dimensions.FUNCTIONS)


@cache
def flags() -> frozenset[str]:
    """What may stand in `.fast(...)`."""
    return frozenset(operations.FAST_FLAGS)


@cache
def suffixes() -> frozenset[str]:
    """Words that follow a mnemonic after a dot."""
    choices = {word for row in ROWS.values() for immediate in row.immediates
               if immediate.kind is ImmediateKind.CHOICE for word in immediate.choices}
    return frozenset(choices | {operations.fast_words(operations.ALL_FAST).removeprefix(".")})


@cache
def literals() -> frozenset[str]:
    """Words of the grammar's literals that are no numbers."""
    return frozenset(word for word in words_of("WORD") if not _is_float(word))


def _is_float(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


@cache
def operators() -> tuple[str, ...]:
    """Signs that rules write between operands, longest first."""
    signs = {sign for name, right in _rules().items() if name.islower()
             for sign in re.findall(r'"([^\w"\s]+)"', right)}
    return (*sorted(signs | {"->"}, key=lambda s: (-len(s), s)),)


def number_kind(text: str) -> str:
    """`hex`, `float` or `integer`: what a token of the kind `number` is."""
    if text[:2].lower() == "0x":
        return "float" if "p" in text.lower() else "hex"
    return "float" if set(text) & set(".eEna") else "integer"


def alternatives(words: Iterable[str]) -> str:
    """A regular expression for one of the words, longer ones first."""
    return "|".join(map(re.escape, sorted(words, key=lambda w: (-len(w), w))))


def _word(words: Iterable[str], before: str = _WORD_END) -> str:
    return f"(?:{alternatives(words)}){before}"


@cache
def patterns() -> tuple[Pattern, ...]:
    """Every token of the text form but blanks, in the order in which they are tried."""
    called = r"(?=[ \t]*\()"
    # `in` between a name and a bound is a word of `for`; before a port it is a direction.
    infix = keywords() & modifiers()
    # `grid` before a parenthesis begins a header's grid, else it is a type.
    opening = keywords() & types()
    return (
        Pattern(("comment",), r"//[^\n]*"),
        Pattern(("string",), terminal("STRING")),
        Pattern(("value",), terminal("VALUE")),
        Pattern(("global",), terminal("GLOBAL")),
        Pattern(("symbol",), terminal("CAPACITY")),
        Pattern(("blank", "keyword"), rf"(?<=[A-Za-z0-9_>])([ \t]+)({alternatives(infix)}){_WORD_END}"),
        Pattern(("modifier", "blank", "attribute"),
                rf"({alternatives(words_of('ATTRIBUTE'))})([ \t]+)({terminal('NAME')})"),
        Pattern(("suffix",), rf"\.{_word(suffixes())}"),
        Pattern(("literal",), _word(literals())),
        Pattern(("number",), terminal("WORD")),
        Pattern(("function",), _word(functions(), called)),
        Pattern(("keyword",), _word(opening, called)),
        Pattern(("type",), _word(types())),
        Pattern(("declaration",), _word(declarations())),
        Pattern(("modifier",), _word(modifiers())),
        Pattern(("keyword",), _word(keywords() - opening - infix)),
        Pattern(("instruction",), _word(instructions())),
        Pattern(("flag",), _word(flags())),
        Pattern(("name",), terminal("NAME")),
        Pattern(("number",), terminal("NUMBER")),
        Pattern(("operator",), alternatives(operators())),
        Pattern(("punctuation",), r"[()\[\]{},;.]"),
    )
