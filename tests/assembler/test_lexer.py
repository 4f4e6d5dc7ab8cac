"""Colours: the Pygments lexer and the TextMate grammar know every word, and agree."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from hvisa.assembler import words
from hvisa.assembler.grammar import grammar_text
from hvisa.assembler.lexer import TOKENS, HvasmLexer
from hvisa.spec import operations, types as ty
from hvisa.spec.definitions import ImmediateKind
from hvisa.spec.table import ROWS

ROOT = Path(__file__).parents[2]
GRAMMAR = ROOT / "editors" / "hvasm.tmLanguage.json"
SAMPLES = sorted(f for folder in ("examples", "tests/conformance", "tests/sketches")
                 for f in (ROOT / folder).rglob("*.hvasm"))
LEXER = HvasmLexer(stripnl=False, ensurenl=False)


def lexed(text: str) -> list[tuple[Any, str]]:
    """The tokens without blanks."""
    return [(kind, found) for kind, found in LEXER.get_tokens(text) if kind is not Whitespace]


@pytest.mark.parametrize("file", SAMPLES, ids=lambda f: str(f.relative_to(ROOT)))
def test_every_program_is_all_tokens(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    tokens = list(LEXER.get_tokens(text))
    assert "".join(found for _, found in tokens) == text
    assert not [found for kind, found in tokens if kind is Error]
    assert not {found for kind, found in tokens if kind is Name} & {*ROWS, *ty.BY_NAME}


def test_kinds_of_tokens() -> None:
    assert lexed('leaf @f(in %x: buf<f32>[%n]) grid(%i < %n) inexact {  // "no" %text') == [
        (Keyword.Declaration, "leaf"), (Name.Function, "@f"), (Punctuation, "("),
        (Keyword.Pseudo, "in"), (Name.Variable, "%x"), (Operator, ":"), (Keyword.Type, "buf"),
        (Operator, "<"), (Keyword.Type, "f32"), (Operator, ">"), (Punctuation, "["),
        (Name.Variable, "%n"), (Punctuation, "]"), (Punctuation, ")"), (Keyword, "grid"),
        (Punctuation, "("), (Name.Variable, "%i"), (Operator, "<"), (Name.Variable, "%n"),
        (Punctuation, ")"), (Keyword.Pseudo, "inexact"), (Punctuation, "{"),
        (Comment.Single, '// "no" %text')]
    assert lexed("%a.1 = load.clamp %x[%i - 1]")[:4] == [
        (Name.Variable, "%a.1"), (Operator, "="), (Name.Builtin, "load"), (Name.Decorator, ".clamp")]
    assert lexed("%y: grid<f32>[min(%m, %n)]")[2:8] == [
        (Keyword.Type, "grid"), (Operator, "<"), (Keyword.Type, "f32"), (Operator, ">"),
        (Punctuation, "["), (Name.Builtin.Pseudo, "min")]
    assert lexed("%y = min %a, %b")[2] == (Name.Builtin, "min")
    assert lexed("buf<i32>[?f <= 4]")[5] == (Name.Variable.Instance, "?f")
    assert lexed('print "a \\"b\\" {}\\n", %x')[1:7] == [
        (String.Double, '"a '), (String.Escape, '\\"'), (String.Double, "b"), (String.Escape, '\\"'),
        (String.Double, " {}"), (String.Escape, "\\n")]
    assert lexed("with (hint unroll = 4, licence add)")[2:4] == [
        (Keyword.Pseudo, "hint"), (Name.Attribute, "unroll")]
    assert lexed("add.fast(contract)")[1:4:2] == [(Name.Decorator, ".fast"),
                                                  (Name.Decorator, "contract")]
    assert lexed("call @g(%x)")[1] == (Name.Function, "@g")


@pytest.mark.parametrize("text", ["for %k in 0 .. 3 {", "for %k: i32 in 0 .. 3 {",
                                  "reduce.add f32 over (%k in 0 .. %n) {"])
def test_in_of_a_loop_is_no_direction(text: str) -> None:
    assert (Keyword, "in") in lexed(text)
    assert (Keyword.Pseudo, "in") in lexed("(%a: i32, in %x: buf<f32>[3],\n in %y: i32)")


@pytest.mark.parametrize("text, kind", [
    ("1", Number.Integer), ("0xff", Number.Hex), ("1.5", Number.Float), ("1e-3", Number.Float),
    ("2.", Number.Float), ("0x1.8p3", Number.Float), ("0X1P+2", Number.Float), ("inf", Number.Float),
    ("nan", Number.Float), ("nan(0x7fc00001)", Number.Float), ("true", Keyword.Constant),
    ("false", Keyword.Constant)])
def test_numbers(text: str, kind: Any) -> None:
    assert lexed(text) == [(kind, text)]
    assert lexed(f"bitcast u32 {text}:f32")[2:] == [(kind, text), (Operator, ":"),
                                                    (Keyword.Type, "f32")]


def test_what_is_no_token_is_an_error() -> None:
    assert lexed("add $") == [(Name.Builtin, "add"), (Error, "$")]
    assert lexed("frobnicate") == [(Name, "frobnicate")]


def test_every_word_of_the_language_has_a_kind() -> None:
    known = words.types() | words.declarations() | words.modifiers() | words.keywords() \
        | words.instructions() | words.functions() | words.literals()
    assert set(ROWS) <= known and set(ty.BY_NAME) <= known
    assert set(operations.DIRECTIONS[1:]) <= known
    assert {w for mode in operations.MODES for w in mode.split()} <= known
    assert set(operations.EFFECT_CLASSES) | set(operations.ATTRIBUTE_KINDS) <= known
    assert set(operations.STREAM_POLICIES) <= known
    assert set(re.findall(r'"([a-z_]{2,})"', grammar_text())) <= known
    for row in ROWS.values():
        for immediate in row.immediates:
            if immediate.kind is ImmediateKind.CHOICE:
                for word in immediate.choices:
                    assert lexed(f"{row.mnemonic}.{word}")[1] == (Name.Decorator, f".{word}")
        assert lexed(f"{row.mnemonic} %x")[0][0] in (Name.Builtin, Keyword), row
    assert lexed(operations.fast_words(operations.ALL_FAST)) == [(Name.Decorator, ".fast")]


def test_pygments_is_told_of_the_lexer() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["pygments.lexers"]["hvasm"].partition(":")
    assert getattr(importlib.import_module(module), name) is HvasmLexer
    assert HvasmLexer.analyse_text("// x\nleaf @f() { }\n") > 0.5
    assert not HvasmLexer.analyse_text("leaf through the pages")


# -- TextMate ----------------------------------------------------------------------------------------

@cache
def textmate() -> dict[str, Any]:
    return json.loads(GRAMMAR.read_text(encoding="utf-8"))


@cache
def _rules() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    found = textmate()
    rules = [found["repository"][p["include"].removeprefix("#")] for p in found["patterns"]]
    return [(re.compile(rule["match"]), rule) for rule in rules]


def scoped(line: str) -> list[tuple[str, str]]:
    """(scope, text) of a line as TextMate finds them: the leftmost match, of those the first rule's."""
    out: list[tuple[str, str]] = []
    at = 0
    while at < len(line):
        matches = [(m.start(), n, m, rule) for n, (regex, rule) in enumerate(_rules())
                   if (m := regex.search(line, at)) is not None]
        if not matches:
            break
        _, _, match, rule = min(matches, key=lambda m: m[:2])
        if "name" in rule:
            out.append((rule["name"], match[0]))
        else:
            out += [(c["name"], match[int(n)]) for n, c in rule["captures"].items()]
        assert match.end() > at
        at = match.end()
    return out


def test_textmate_grammar_is_current() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "tools/textmate.py"), "--check"], check=False)
    assert done.returncode == 0, "run `python tools/textmate.py`"


def test_textmate_grammar_is_well_formed() -> None:
    found = textmate()
    assert found["scopeName"] == "source.hvasm" and found["fileTypes"] == ["hvasm"]
    repository: dict[str, Any] = found["repository"]
    included = re.findall(r'"include": "#([\w-]+)"', GRAMMAR.read_text(encoding="utf-8"))
    assert set(included) == set(repository)
    for rule in repository.values():
        groups = re.compile(rule["match"]).groups
        assert set(rule.get("captures", {})) <= {str(n) for n in range(groups + 1)}
        for name in (rule.get("name"), *(c.get("name") for c in rule.get("captures", {}).values())):
            assert name is None or re.fullmatch(r"[a-z-]+(\.[a-z-]+)*\.hvasm", name), name
        # Oniguruma has neither named groups of Python's spelling nor possessive dots of ours.
        assert "(?P" not in rule["match"]


def test_textmate_and_pygments_agree() -> None:
    """Each token of the one is a token of the other, and kinds correspond one to one."""
    spec = importlib.util.spec_from_file_location("textmate", ROOT / "tools" / "textmate.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    kinds: dict[str, set[Any]] = {}
    for kind in tool.SCOPES:
        tokens = ("hex", "float", "integer") if kind == "number" else (kind,)
        kinds.setdefault(tool.scope(kind), set()).update(TOKENS[k] for k in tokens)
    for file in SAMPLES:
        for line in file.read_text(encoding="utf-8").splitlines():
            ours: list[tuple[Any, str]] = []
            for kind, text in lexed(line):
                if kind in String and ours and ours[-1][0] in String and not ours[-1][1].endswith('"'):
                    ours[-1] = (String.Double, ours[-1][1] + text)
                else:
                    ours.append((String.Double if kind in String else kind, text))
            theirs = scoped(line)
            assert [t for _, t in theirs] == [t for _, t in ours], line
            for (scope, _), (kind, text) in zip(theirs, ours, strict=True):
                assert kind in kinds[scope], (line, text)
