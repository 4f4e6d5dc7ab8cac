"""What to type instead, for the slips that come with habits from other languages.

A syntax error knows only which words could stand at its place. These hints look at the line as a whole.
"""

from __future__ import annotations

import re

from hvisa.spec import types as ty

_OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "<": "lt", ">": "gt",
              "<=": "le", ">=": "ge", "==": "eq", "!=": "ne", "&": "and", "|": "or", "^": "xor",
              "<<": "shl", ">>": "shr", "&&": "and", "||": "or"}
_OPERAND = r"[%@]?-?[\w.]+(?:\[[^\]]*\])?"
_INFIX = re.compile(rf"=\s*({_OPERAND})\s*(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/<>&|^]|%(?=\s))\s*({_OPERAND})")
_CONDITION = re.compile(rf"\bif\s+({_OPERAND})\s*(<=|>=|==|!=|<|>)\s*({_OPERAND})")
_CALL = re.compile(r"=\s*(@[\w.]+)\s*\(")
_CALL_OF_WORD = re.compile(r"\b(call|node)\s+(\w+)\s*\(")
_COPY = re.compile(r"(%[\w.]+)\s*=\s*(-?)\s*(%[\w.]+|[\d.]\S*)\s*$")

# Names of types elsewhere.
_TYPES = {"float": "f32", "float32": "f32", "single": "f32", "double": "f64", "float64": "f64",
          "half": "f16", "float16": "f16", "bfloat16": "bf16", "int": "i32", "long": "i64",
          "short": "i16", "char": "i8", "byte": "u8", "bool": "i1", "boolean": "i1",
          "unsigned": "u32", "uint": "u32", "usize": "index", "size_t": "index",
          **{f"{u}int{n}{t}": f"{u or 'i'}{n}" for u in ("", "u") for n in (8, 16, 32, 64)
             for t in ("", "_t")}}


def type_hint(word: str) -> str:
    """The type that a foreign name means."""
    found = _TYPES.get(word, "")
    return f"did you mean `{found}`?" if found in ty.BY_NAME else ""


def hint(line: str, column: int, word: str, kind: str) -> str:
    """The hint for an error at `word` in `column` of a line, inside a definition of this kind."""
    if word == "#":
        return "comments start with `//`"
    code, comment, _ = line.partition("//")
    at = column - 1
    if type_hint(word) and re.search(r"[:<(,]\s*$|\b(?:convert|bitcast|splat|local|reduce\S*)\s+$",
                                     line[:at]):
        return type_hint(word)
    if word == "/" and _inside(code[:at]):
        return "division of dimensions is `floordiv(a, b)`"
    if comment and at >= len(code) and _inside(code):
        return "`//` starts a comment; division of dimensions is `floordiv(a, b)`"
    if word == "(" and (match := re.search(r"%[\w.]+$", line[:at])):
        return f"elements of a buffer stand in brackets: `{match[0]}[...]`"
    return _statement_hint(code, at, kind)


def _inside(code: str) -> bool:
    """Whether a bracket is open at the end."""
    return code.count("[") > code.count("]") or code.count("(") > code.count(")")


def _statement_hint(code: str, at: int, kind: str) -> str:
    """Hints for a statement whose error is at `at`, where the slip shows."""
    if (match := _INFIX.search(code)) and match.start(1) == at:
        return f"write `{_OPERATORS[match[2]]} {match[1]}, {match[3]}`: the instruction comes first"
    if (match := _CONDITION.search(code)) and match.start(2) == at:
        return (f"compare first: `%c = {_OPERATORS[match[2]]} {match[1]}, {match[3]}`, then "
                "`if %c {`")
    if (match := _CALL.search(code)) and match.start(1) == at:
        word = "node" if kind == "graph" else "call"
        return f"write `{word} {match[1]}(...)`"
    if (match := _CALL_OF_WORD.search(code)) and match.start(2) == at:
        return f"names of definitions start with `@`: `{match[1]} @{match[2]}(...)`"
    if (match := _COPY.search(code)) and match.start(2) == at:
        if match[2]:
            return f"write `neg {match[3]}`: the instruction comes first"
        return f"nothing is copied: write `{match[3]}` where `{match[1]}` is used"
    return ""
