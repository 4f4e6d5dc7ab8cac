"""Writes docs/spec/errors.md from the error registry; `--check` says whether it is up to date.

    python tools/error_docs.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

from hvisa.spec.errors import ELSEWHERE, FAMILIES, codes

PAGE = Path(__file__).parent.parent / "docs" / "spec" / "errors.md"


def text() -> str:
    """The page."""
    lines = ["# Error codes", "",
             "Made from `hvisa/spec/error_tables/` by `tools/error_docs.py`. `hvisa explain "
             "HV0203` "
             "shows the same.", ""]
    found = codes()
    for digits, (family, _) in FAMILIES.items():
        mine = [c for c in found.values() if c.code[2:4] == digits]
        lines += [f"## HV{digits}xx: {family}", ""]
        for entry in mine:
            lines += [f"### {entry.code}: {entry.title}", "", entry.meaning, ""]
            if entry.help:
                lines += [f"Help: {entry.help}.", ""]
            if entry.program:
                lines += ["```", entry.program.rstrip("\n"), "```", ""]
        for first, last, module in ELSEWHERE:
            if f"{first:04}"[:2] == digits:
                lines += [f"HV{first:04} to HV{last:04} are kept by `{module}`.", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def main() -> int:
    if "--check" in sys.argv[1:]:
        current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text()
        if not current:
            print(f"{PAGE} is out of date: run tools/error_docs.py")
        return 0 if current else 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
