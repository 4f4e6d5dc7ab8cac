"""Every version's files decode, encode to the same bytes and print to the text beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hvisa.assembler.decoder import decode
from hvisa.assembler.encoder import encode
from hvisa.assembler.parser import parse
from hvisa.assembler.printer import print_module
from hvisa.graph.model import instructions
from hvisa.graph.verifier import verify
from hvisa.spec.table import ROWS

CORPUS = Path(__file__).parent.parent / "corpus"
TEXTS = sorted(CORPUS.glob("*/*.hvasm"))


def names(paths: list[Path]) -> list[str]:
    return [f"{p.parent.name}/{p.stem}" for p in paths]


@pytest.mark.parametrize("path", TEXTS, ids=names(TEXTS))
def test_pair(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    data = path.with_suffix(".hvbc").read_bytes()
    module = decode(data, path.name)
    assert encode(module) == data
    assert print_module(module) == text
    assert encode(parse(text, path.name)) == data
    verify(module)


def test_every_file_has_its_pair() -> None:
    assert TEXTS
    assert sorted(CORPUS.glob("*/*.hvbc")) == [p.with_suffix(".hvbc") for p in TEXTS]


def test_every_instruction_is_in_the_corpus() -> None:
    used = {i.row.mnemonic for p in TEXTS
            for d in parse(p.read_text(encoding="utf-8")).definitions.values() if d.body
            for i in instructions(d.body)}
    missing = {r.mnemonic for r in ROWS.values() if not r.reserved} - used
    assert not missing, sorted(missing)
