"""What the README shows works as printed: the main command, the Python session, the commands and links."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.snippets import run_snippets

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")


def run_cli(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "hvisa", *words], cwd=ROOT, capture_output=True, text=True,
                          check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})


def test_the_main_command_makes_the_picture(tmp_path: Path) -> None:
    command = next(line for line in PAGE.splitlines() if "bin/hvisa run" in line)
    words = shlex.split(command.partition("bin/hvisa ")[2])
    target = tmp_path / "edges.png"
    done = run_cli(*[f"edges={target}" if w == "edges=edges.png" else w for w in words])
    assert done.returncode == 0, done.stderr
    assert target.stat().st_size > 1000


def test_the_python_session_prints_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert run_snippets(PAGE, "README") == 2


def test_every_command_of_the_table_exists() -> None:
    table = PAGE[PAGE.index("| command |"):PAGE.index("## What holds")]
    commands = {w for cell in re.findall(r"^\| (.*?) \|", table, re.MULTILINE)
                for w in re.findall(r"`(?:hvisa )?(\w+)`", cell)}
    assert len(commands) >= 9
    listed = run_cli("--help").stdout
    assert all(re.search(rf"\b{c}\b", listed) for c in commands), commands


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target
