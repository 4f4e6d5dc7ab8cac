"""Writes editors/hvasm.tmLanguage.json from the words of the language; `--check` only compares.

    python tools/textmate.py [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hvisa.assembler import words

PATH = Path(__file__).parent.parent / "editors" / "hvasm.tmLanguage.json"

# Kind of token -> the scope that themes colour; blanks have none.
SCOPES = {
    "comment": "comment.line.double-slash", "string": "string.quoted.double", "value": "variable.other",
    "global": "entity.name.function", "symbol": "variable.parameter.symbol",
    "attribute": "entity.other.attribute-name", "suffix": "support.other.suffix",
    "flag": "support.other.flag", "literal": "constant.language", "number": "constant.numeric",
    "function": "support.function.dimension", "type": "support.type", "declaration": "storage.type",
    "modifier": "storage.modifier", "keyword": "keyword.control", "instruction": "support.function",
    "name": "meta.name", "operator": "keyword.operator", "punctuation": "punctuation"}


def scope(kind: str) -> str:
    return f"{SCOPES[kind]}.hvasm"


def rule(pattern: words.Pattern) -> dict[str, Any]:
    """One pattern as TextMate writes it."""
    if len(pattern.kinds) > 1:
        return {"match": pattern.regex, "captures": {
            str(n): {"name": scope(kind)} for n, kind in enumerate(pattern.kinds, 1) if kind in SCOPES}}
    found: dict[str, Any] = {"name": scope(pattern.kinds[0]), "match": pattern.regex}
    if pattern.kinds == ("string",):
        found["captures"] = {"0": {"patterns": [{"include": "#escape"}]}}
    return found


def grammar() -> dict[str, Any]:
    """The whole file as data."""
    repository: dict[str, Any] = {}
    for pattern in words.patterns():
        # The name says what the rule finds: the last of its kinds, numbered where there are several.
        name = pattern.kinds[-1]
        count = sum(n.split("-")[0] == name for n in repository)
        repository[f"{name}-{count + 1}" if count else name] = rule(pattern)
    order = [{"include": f"#{name}"} for name in repository]
    repository["escape"] = {"name": "constant.character.escape.hvasm", "match": r"\\."}
    return {"$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
            "comment": "Made by tools/textmate.py; do not edit.", "name": "hvasm",
            "scopeName": "source.hvasm", "fileTypes": ["hvasm"], "patterns": order,
            "repository": repository}


def text() -> str:
    return json.dumps(grammar(), indent=2) + "\n"


def main() -> int:
    if "--check" in sys.argv[1:]:
        current = PATH.is_file() and PATH.read_text(encoding="utf-8") == text()
        if not current:
            print(f"{PATH} is out of date: run tools/textmate.py")
        return 0 if current else 1
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
