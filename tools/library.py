"""Compiles the standard library to math1.hvbc and nodes1.zip: `python tools/library.py [--check]`."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import sys
import zipfile
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
    """The mathematics."""
    return _module(functions(), "math")


def compiled_nodes() -> dict[str, bytes]:
    """The modules of library nodes, by name."""
    from hvisa.spec.families import FAMILIES
    found: dict[str, bytes] = {}
    for family, (file, types) in FAMILIES.items():
        make = importlib.import_module(f"hvisa.library.nodes.{file}").make
        found |= {f"{family}.{t}": _module(make(t), f"{family}.{t}") for t in types}
    return found


def _module(functions: list[object], name: str) -> bytes:
    from hvisa.assembler.encoder import encode
    from hvisa.frontends.python.compiler import compile_module
    return encode(compile_module(functions, name), source_map=False)  # type: ignore[arg-type]


def stamp(mathematics: bytes, nodes: dict[str, bytes]) -> str:
    """A short digest of the library."""
    digest = hashlib.sha256(mathematics)
    for name, data in sorted(nodes.items()):
        digest.update(name.encode() + hashlib.sha256(data).digest())
    return digest.hexdigest()[:16]


def write_archive(target: Path, nodes: dict[str, bytes]) -> None:
    """One file of all modules, the same for the same modules."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(nodes.items()):
            entry = zipfile.ZipInfo(f"{name}.hvbc", (1980, 1, 1, 0, 0, 0))
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)


def is_current(mathematics: bytes, nodes: dict[str, bytes]) -> bool:
    """Whether what is shipped is what the sources give; how an archive is packed does not count."""
    from hvisa.library.standard import library_bytes, library_stamp, module_names
    return module_names(1) == {"math", *nodes} and library_bytes("math", 1) == mathematics and \
        library_stamp() == stamp(mathematics, nodes) and \
        all(library_bytes(name, 1) == data for name, data in nodes.items())


def main() -> int:
    mathematics, nodes = compiled(), compiled_nodes()
    if "--check" in sys.argv[1:]:
        current = is_current(mathematics, nodes)
        if not current:
            print(f"{FOLDER} is out of date: run tools/library.py")
        return 0 if current else 1
    (FOLDER / "math1.hvbc").write_bytes(mathematics)
    write_archive(FOLDER / "nodes1.zip", nodes)
    (FOLDER / "stamp.txt").write_text(stamp(mathematics, nodes) + "\n", encoding="ascii")
    print(f"{len(functions())} functions, {len(mathematics)} bytes; {len(nodes)} modules of nodes, "
          f"{sum(map(len, nodes.values()))} bytes")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
