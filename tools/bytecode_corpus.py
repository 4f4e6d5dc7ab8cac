"""Writes the bytecode beside each text of the corpus of the present version, and the texts canonically.

Only a change of the format may change a file here; it then needs an entry in the change log.
"""

from __future__ import annotations

from pathlib import Path

from hvisa.assembler.encoder import encode
from hvisa.assembler.layout import VERSION
from hvisa.assembler.parser import parse
from hvisa.assembler.printer import print_module

CORPUS = Path(__file__).parent.parent / "tests" / "corpus"


def main() -> None:
    folder = CORPUS / ".".join(map(str, VERSION))
    for path in sorted(folder.glob("*.hvasm")):
        module = parse(path.read_text(encoding="utf-8"), path.name)
        path.write_text(print_module(module), encoding="utf-8")
        data = encode(module)
        target = path.with_suffix(".hvbc")
        if not target.exists() or target.read_bytes() != data:
            target.write_bytes(data)
            print(f"{target.name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
