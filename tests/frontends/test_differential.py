"""Generated leaves: plain Python on numpy's scalars and all devices give the same bits.

`HVISA_FUNCTIONS` raises the number of leaves; the counts are printed, so that an idle run is seen.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from hvisa.diagnostics import HvisaError, HvisaTrap
from hvisa.graph.interpreter import Interpreter
from hvisa.runtime.arguments import bind
from tests.conformance.harness import canonical
from tests.conformance.native import make_launcher
from tests.frontends.generator import Program
from tests.frontends.statements import HEAD, make

FUNCTIONS = int(os.environ.get("HVISA_FUNCTIONS", "300"))
CHUNKS = 6
EVERY = 4  # of so many leaves, one runs on `multicore` as well


def imported(programs: list[Program], folder: Path, name: str) -> Any:
    """The leaves as a module of Python, from a file as users have it."""
    file = folder / f"{name}.py"
    file.write_text(HEAD + "".join(p.text for p in programs))
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def check(seed: int, leaf: Any, program: Program, counts: Counter[str]) -> list[str]:
    """What differs for one leaf."""
    try:
        module = leaf.module
    except HvisaError as error:
        counts["refused"] += 1
        return [f"{seed}: refused: {error}"]
    definition = module.definitions[leaf.__name__]
    types = [p.type for p in definition.written] + definition.results

    def outcome(run: Any) -> Any:
        try:
            found = run()
        except HvisaTrap:
            return "trap"  # which of several is not said
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        return [canonical(v, t) for v, t in zip(found, types, strict=True)]
    try:
        wanted = outcome(lambda: leaf.emulate(**program.arguments, copy=True))
    except HvisaError as error:
        counts["not emulated"] += 1
        return [f"{seed}: not emulated: {error}"]
    counts["valid"] += 1
    counts["trapped"] += wanted == "trap"
    counts.update(program.features)
    devices = {"reference": lambda: Interpreter(module).run(leaf.__name__, program.arguments).values()}
    for device in ("x86", "multicore")[:1 + (seed % EVERY == 0)]:
        launcher = make_launcher(device, module, leaf.__name__)
        devices[device] = lambda launcher=launcher: launcher.launch(
            bind(launcher.signature, program.arguments, None, True))
    return [f"{seed}: {name}" for name, run in devices.items()
            if outcome(lambda run=run: list(run())) != wanted]


def run_chunk(first: int, count: int) -> tuple[list[str], Counter[str]]:
    counts: Counter[str] = Counter()
    programs = {seed: make(seed) for seed in range(first, first + count)}
    with tempfile.TemporaryDirectory() as folder:
        module = imported(list(programs.values()), Path(folder), f"generated_{first}")
        problems = [p for seed, program in programs.items()
                    for p in check(seed, getattr(module, program.name), program, counts)]
    return problems, counts


def test_generated_leaves_do_what_python_does(capsys: pytest.CaptureFixture[str]) -> None:
    each = -(-FUNCTIONS // CHUNKS)
    counts: Counter[str] = Counter()
    problems: list[str] = []
    # Started afresh: a forked process may not use the parent's OpenMP team.
    with ProcessPoolExecutor(max_workers=os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for found, part in pool.map(run_chunk, range(0, each * CHUNKS, each), [each] * CHUNKS):
            problems += found
            counts += part
    with capsys.disabled():
        print(f"\ngenerated leaves: {dict(sorted(counts.items()))}")
    assert not problems, "\n".join(problems[:20])
    assert counts["valid"] >= FUNCTIONS
    assert counts["trapped"] * 5 < FUNCTIONS
