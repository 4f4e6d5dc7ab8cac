"""The same program gives the same code in every process: the order of sets is not in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import hashlib
import hvisa
from hvisa.library.standard import library_bytes
from hvisa.translators.llvm.cpu import cpu_options
from hvisa.translators.llvm.entry import lower_entry
from hvisa.graph.verifier import verify
digest = hashlib.sha256()
for name, entry in (("sort.f32", "sort_pairs.f32"), ("scan.f32", "scan_add.f32"),
                    ("reduce.f32", "argmax.f32")):
    module = hvisa.load(library_bytes(name, 1)).module
    ir, _ = lower_entry(module, verify(module), entry, cpu_options(True))
    digest.update(ir.encode())
print(digest.hexdigest())
"""


def test_code_does_not_depend_on_the_process() -> None:
    found = {subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, check=True, capture_output=True,
                            text=True).stdout for _ in range(4)}
    assert len(found) == 1
