"""Lines of the examples and of OpenCL programs that do the same: `python benchmarks/lines/count.py`.

Blank lines, comments and docstrings do not count. hvisa's versions get their arrays from the caller; the
OpenCL programs read and write files, in `main` and `write_file`, so the ratios leave those two out (and
what a Python file does under `if __name__ == ...`). `read_file` stays: the kernel is read with it.

With `--run` the OpenCL programs are compiled and run on small inputs, and their results are compared with
hvisa's; the exit status is 1 if any differs.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
OPENCL = Path(__file__).resolve().parent / "opencl"
# Functions of the OpenCL programs that only serve files.
FILE_FUNCTIONS = ("main", "write_file")

_C_PARTS = re.compile(r'''("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')'''  # kept: strings and characters
                      r"|//(?:\\\n|[^\n])*|/\*.*?\*/", re.DOTALL)
_NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
             tokenize.ENCODING, tokenize.ENDMARKER}


def c_code(text: str) -> list[str]:
    """The lines of C, OpenCL C or hvisa text that hold code, without their comments."""
    def kept(part: re.Match[str]) -> str:
        return part[1] or " " + "\n" * part[0].count("\n")
    return [line.rstrip() for line in _C_PARTS.sub(kept, text).splitlines() if line.strip()]


def without_functions(lines: Sequence[str], names: Sequence[str]) -> list[str]:
    """C lines but for the functions of these names; a function ends at a brace in the first column."""
    head = re.compile(rf"^[a-z].*\b(?:{'|'.join(names)})\([^;]*$")
    kept: list[str] = []
    inside = False
    for line in lines:
        inside = inside or bool(head.match(line))
        if not inside:
            kept.append(line)
        elif line == "}":
            inside = False
    return kept


def python_lines(text: str) -> set[int]:
    """The numbers of the lines of Python that hold code; a statement that is only strings is no code."""
    found: set[int] = set()
    statement: list[tokenize.TokenInfo] = []
    physical = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NOT_CODE:
            statement.append(token)
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            if any(t.type != tokenize.STRING for t in statement):
                found |= {n for t in statement for n in range(t.start[0], t.end[0] + 1)
                          if physical[n - 1].strip()}
            statement = []
    return found


def script_lines(text: str) -> set[int]:
    """The numbers of the lines under `if __name__ == ...` at the top of a Python file."""
    return {n for node in ast.parse(text).body
            if isinstance(node, ast.If) and any(isinstance(x, ast.Name) and x.id == "__name__"
                                                for x in ast.walk(node.test))
            for n in range(node.lineno, (node.end_lineno or node.lineno) + 1)}


@dataclass(frozen=True)
class Lines:
    """Lines of one example; `python` is None where there is no such version."""

    name: str
    python: int | None
    text: int
    host: int
    kernel: int
    file_functions: int

    @property
    def opencl(self) -> int:
        """What the ratios compare."""
        return self.host + self.kernel - self.file_functions


def text_of(name: str) -> Path:
    """The .hvasm file of an example."""
    return next(iter(sorted((EXAMPLES / name).glob("*.hvasm"))))


def python_of(name: str) -> Path | None:
    """The Python version of an example, named like its folder or like its .hvasm file."""
    stems = (text_of(name).stem, name)
    return next((p for p in sorted((EXAMPLES / name).glob("*.py")) if p.stem in stems), None)


def names() -> list[str]:
    """The examples that have an OpenCL program."""
    return sorted(p.name for p in OPENCL.iterdir() if p.is_dir())


def count(name: str) -> Lines:
    folder = OPENCL / name
    host = c_code((folder / f"{name}.c").read_text(encoding="utf-8"))
    kernel = c_code((folder / f"{name}.cl").read_text(encoding="utf-8"))
    file, python = python_of(name), None
    if file is not None:
        text = file.read_text(encoding="utf-8")
        python = len(python_lines(text) - script_lines(text))
    return Lines(name, python, len(c_code(text_of(name).read_text(encoding="utf-8"))), len(host),
                 len(kernel), len(host) - len(without_functions(host, FILE_FUNCTIONS)))


def table(rows: Sequence[Lines]) -> str:
    def ratio(row: Lines, lines: int | None) -> str:
        return f"{row.opencl / lines:.1f}" if lines else "-"
    cells = [("example", "hvisa Python", "hvisa text", "OpenCL host + kernel", "without files",
              "ratio to Python", "to text")]
    cells += [(r.name, "-" if r.python is None else str(r.python), str(r.text),
               f"{r.host} + {r.kernel} = {r.host + r.kernel}", str(r.opencl), ratio(r, r.python),
               ratio(r, r.text)) for r in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    lines = [" | ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:],
                                                                               strict=True))])
             for row in cells]
    return "\n".join([lines[0], "-|-".join("-" * w for w in widths), *lines[1:]])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--run", action="store_true", help="compile, run and compare results")
    options = parser.parse_args(arguments)
    print(table([count(name) for name in names()]))
    if not options.run:
        return 0
    from compare import compare_all
    print()
    return compare_all(OPENCL, text_of, python_of)


if __name__ == "__main__":
    sys.exit(main())
