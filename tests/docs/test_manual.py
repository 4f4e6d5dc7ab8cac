"""Generated pages are current, and the programs of the written ones verify."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from hvisa.assembler.parser import parse
from hvisa.graph.verifier import verify

ROOT = Path(__file__).parents[2]


def test_instruction_manual_is_current() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "tools/manual.py"), "--check"], check=False)
    assert done.returncode == 0, "run `python tools/manual.py`"


def test_programs_of_the_text_page_verify() -> None:
    page = (ROOT / "docs/spec/text.md").read_text(encoding="utf-8")
    programs = [p for p in re.findall(r"```\n(.*?)```", page, re.DOTALL) if "leaf @" in p]
    assert programs
    for program in programs:
        verify(parse(program))
