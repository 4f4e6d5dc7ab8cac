"""Imports go one way, networkx and llvmlite have one door each, and files stay readable."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "hvisa"
# Rooms on one level do not import each other.
LEVELS = (("diagnostics", "logs"), ("spec",), ("graph",),
          ("assembler", "frontends", "translators", "scheduler"), ("library",), ("runtime",),
          ("files", "loaded", "program", "decorated", "library_values", "config"),
          ("cli", "__main__", "__init__"))
RANK = {room: rank for rank, rooms in enumerate(LEVELS) for room in rooms}
SAME_ROOM_ONLY = {"assembler", "frontends", "translators", "scheduler"}
DEVICES = ("x86", "multicore")
FILES = sorted(PACKAGE.rglob("*.py"))


def imported(file: Path) -> set[str]:
    """Modules that a file imports at any place, type checking included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            if node.module == "hvisa":
                found |= {f"hvisa.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_imports_go_one_way(file: Path) -> None:
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    room = parts[0]
    for name in sorted(imported(file)):
        words = name.split(".")
        if words[0] != "hvisa" or len(words) < 2 or words[1] not in RANK:
            continue
        assert RANK[words[1]] <= RANK[room], f"{room} imports {name}"
        if room in SAME_ROOM_ONLY and RANK[words[1]] == RANK[room]:
            assert words[1] == room, f"{room} imports {name}"
        if room == "translators" and len(words) > 2 and len(parts) > 1 and words[2] in DEVICES:
            assert words[2] == parts[1], f"one device imports another: {name}"


def test_heavy_packages_have_one_door() -> None:
    doors = {"networkx": {"graph/views.py", "graph/drawing.py"}, "llvmlite": "translators/llvm/",
             "typer": "cli/", "rich": "cli/", "PIL": "cli/", "lark": "assembler/"}
    for file in FILES:
        place = str(file.relative_to(PACKAGE))
        for name in imported(file):
            allowed = doors.get(name.split(".")[0])
            if isinstance(allowed, str):
                assert place.startswith(allowed), f"{place} imports {name}"
            elif allowed is not None:
                assert place in allowed, f"{place} imports {name}"


def test_files_stay_readable() -> None:
    """Tables may be long; what runs is read by people."""
    long = {str(f.relative_to(PACKAGE)): n for f in FILES
            if (n := len(f.read_text(encoding="utf-8").splitlines())) > 560}
    assert not long, long
