"""The lark parser for `.hvasm`, built once on first use from `hvasm.lark` and the tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lark import Lark

from hvisa.spec import dimensions, types as ty


def grammar_text() -> str:
    """The grammar file, completed with the terminals that come from tables."""
    text = (Path(__file__).parent / "hvasm.lark").read_text(encoding="utf-8")
    scalars = "|".join(sorted(ty.BY_NAME, key=len, reverse=True))
    functions = "|".join(dimensions.FUNCTIONS)
    return (f"{text}\nSCALAR.2: /(?:{scalars})(?![A-Za-z0-9_])/\n"
            f"DIMENSION_FUNCTION.2: /(?:{functions})(?=\\s*\\()/\n")


@cache
def make_parser(actions_type: type) -> Lark:
    """The parser whose reductions call the methods of one `actions_type` object, `parser.actions`."""
    actions = actions_type()
    parser = Lark(grammar_text(), parser="lalr", lexer="contextual", maybe_placeholders=False,
                  transformer=actions)
    parser.actions = actions  # type: ignore[attr-defined]
    return parser
