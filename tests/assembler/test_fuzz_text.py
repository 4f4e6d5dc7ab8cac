"""Texts of strangers: mutated and random ones end in a module or in HvisaError, and never hang.

`HVISA_FUZZ_TEXTS` raises the number of cases; `fuzz/text.py` runs it at length.
"""

from __future__ import annotations

import os

import pytest

from fuzz.text import run

CASES = int(os.environ.get("HVISA_FUZZ_TEXTS", "50000"))


def test_texts_of_strangers(capsys: pytest.CaptureFixture[str]) -> None:
    counts = run(CASES, 20_261_130)
    with capsys.disabled():
        print(f"\ntexts: {dict(counts.most_common(8))}, {len(counts)} outcomes")
    assert counts["valid"] and len(counts) > 20
