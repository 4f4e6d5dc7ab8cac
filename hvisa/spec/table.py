"""The instruction table: every row, with its frozen opcode.

Opcodes live in `opcodes.toml`, which is only ever appended to; a row without a line there, or a line
without a row, stops the import.
"""

from __future__ import annotations

from pathlib import Path

from hvisa.spec.definitions import ROWS, InstrDef
from hvisa.spec.instructions import (
    arith,
    bits,
    compare,
    control,
    convert,
    graph,
    memory,
    sync,
    vector,
)

__all__ = ["BY_OPCODE", "GROUPS", "ROWS"]

GROUPS = (arith, bits, compare, convert, vector, memory, control, sync, graph)


def read_opcodes(text: str) -> dict[str, tuple[int, tuple[int, int]]]:
    """Mnemonic -> (opcode, first version). The file is TOML of one `name = [number, "major.minor"]` a
    line, read by hand here because importing a TOML reader costs 16 ms at every start."""
    found: dict[str, tuple[int, tuple[int, int]]] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if not equals or line.startswith("#"):
            continue
        number, version = value.strip().strip("[]").split(",")
        major, minor = version.strip().strip('"').split(".")
        found[name.strip()] = (int(number), (int(major), int(minor)))
    return found


def _number_rows() -> dict[int, InstrDef]:
    listed = read_opcodes((Path(__file__).parent / "opcodes.toml").read_text(encoding="utf-8"))
    assert listed.keys() == ROWS.keys(), sorted(listed.keys() ^ ROWS.keys())
    for name, (number, since) in listed.items():
        ROWS[name].opcode = number
        ROWS[name].since = since
    by_number = {row.opcode: row for row in ROWS.values()}
    assert len(by_number) == len(ROWS), "two rows share an opcode"
    return by_number


BY_OPCODE: dict[int, InstrDef] = _number_rows()
