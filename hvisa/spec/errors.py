"""Every error code: title, meaning, help, and the smallest program that causes it.

The tables lie in `hvisa.spec.error_tables`, one file for each block of numbers, and are read on
first use. A code is never used again for something else. Trap codes (HV09xx) are in here as well,
though what they report is a program's fault at run time and no error of the module.
"""

from __future__ import annotations

import importlib
from functools import cache

# First two digits -> what the block is about, and the table that holds it.
FAMILIES: dict[str, tuple[str, str]] = {
    "00": ("text", "text"),
    "01": ("names", "text"),
    "02": ("types", "types"),
    "03": ("memory", "memory"),
    "04": ("control", "control"),
    "05": ("graphs", "graphs"),
    "06": ("dimensions", "dimensions"),
    "07": ("effects, externs, attributes, modules", "effects"),
    "08": ("limits and bytecode", "limits"),
    "09": ("traps", "running"),
    "10": ("launches", "running"),
    "11": ("devices and translators", "running"),
    "12": ("Python functions", "python"),
}

# Blocks whose entries another module registers: (first, last, module that does it on import).
ELSEWHERE: tuple[tuple[int, int, str], ...] = ((820, 849, "hvisa.assembler.decoder"),)


class ErrorCode:
    """One code. `program` is "" where no text causes it."""

    __slots__ = ("code", "help", "meaning", "program", "title")

    def __init__(self, code: str, title: str, meaning: str, help: str, program: str):
        self.code = code
        self.title = title
        self.meaning = meaning
        self.help = help
        self.program = program

    @property
    def family(self) -> str:
        return FAMILIES[self.code[2:4]][0]


_codes: dict[str, ErrorCode] = {}


def register(code: str, title: str, meaning: str, help: str = "", program: str = "") -> ErrorCode:
    """Add a code to the registry. Blank lines at the ends and indentation of `meaning` do not
    count."""
    assert code not in _codes, code
    words = " ".join(meaning.split())
    found = ErrorCode(code, title, words, " ".join(help.split()), program.lstrip("\n"))
    _codes[code] = found
    return found


@cache
def _load() -> None:
    for table in dict.fromkeys(table for _, table in FAMILIES.values()):
        importlib.import_module(f"hvisa.spec.error_tables.{table}")


def codes() -> dict[str, ErrorCode]:
    """Every registered code, in order of number."""
    _load()
    return dict(sorted(_codes.items()))


def explain(code: str) -> ErrorCode | None:
    """The entry of one code, None if there is none. A block kept elsewhere is looked up there."""
    _load()
    if code not in _codes and code[2:].isdigit():
        for first, last, module in ELSEWHERE:
            if first <= int(code[2:]) <= last:
                importlib.import_module(module)
    return _codes.get(code)


def kept_elsewhere(code: str) -> bool:
    """Whether another module registers the code."""
    return any(first <= int(code[2:]) <= last for first, last, _ in ELSEWHERE)
