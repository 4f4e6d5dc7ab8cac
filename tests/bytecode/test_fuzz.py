"""Mutated and random bytes: HvisaError or a module that encodes to the same bytes, and no hang.

`HVISA_FUZZ_CASES` raises the number of cases, `HVISA_FUZZ_SEED` changes them.
"""

from __future__ import annotations

import os
from types import ModuleType

CASES = int(os.environ.get("HVISA_FUZZ_CASES", "50000"))
SEED = int(os.environ.get("HVISA_FUZZ_SEED", "1"))


def test_mutants(fuzzer: ModuleType) -> None:
    ends = fuzzer.run(CASES, SEED)
    print(dict(ends))
    # An idle fuzzer would show as one end for all.
    assert ends["accepted"] > CASES // 50
    assert len(ends) > 20
