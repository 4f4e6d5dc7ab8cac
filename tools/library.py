"""Compiles the mathematics to hvisa/library/math1.hvbc: `python tools/library.py [--check]`."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "hvisa/library"


def functions() -> list[object]:
    """The public functions of the folder, by file and line."""
    from hvisa.frontends.python.definitions import PythonFunction
    package = importlib.import_module("hvisa.library.mathematics")
    found: list[PythonFunction] = []
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda i: i.name):
        module = importlib.import_module(f"hvisa.library.mathematics.{info.name}")
        found += [v for v in vars(module).values() if isinstance(v, PythonFunction)
                  and v.__module__ == module.__name__ and not v.private]
    return sorted(found, key=lambda f: (f.__module__, f.python.__code__.co_firstlineno))


def compiled() -> bytes:
    from hvisa.assembler.encoder import encode
    from hvisa.frontends.python.compiler import compile_module
    return encode(compile_module(functions(), "math"), source_map=False)  # type: ignore[arg-type]


def stamp(data: bytes) -> str:
    """A short digest of the library."""
    return hashlib.sha256(data).hexdigest()[:16]


def main() -> int:
    data = compiled()
    mark = stamp(data) + "\n"
    target, note = FOLDER / "math1.hvbc", FOLDER / "stamp.txt"
    if "--check" in sys.argv[1:]:
        current = target.is_file() and target.read_bytes() == data and note.read_text() == mark
        if not current:
            print(f"{target} is out of date: run tools/library.py")
        return 0 if current else 1
    target.write_bytes(data)
    note.write_text(mark, encoding="ascii")
    print(f"{len(functions())} functions, {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
