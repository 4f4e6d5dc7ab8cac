"""Generated programs: text and bytecode give them back, and all devices give the same bits.

`HVISA_PROGRAMS` raises the number of programs; the counts are printed, so that an idle run is seen.
"""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

from hvisa.assembler.decoder import decode
from hvisa.assembler.encoder import encode
from hvisa.assembler.parser import parse
from hvisa.assembler.printer import print_module
from hvisa.diagnostics import HvisaError, HvisaTrap
from hvisa.graph.interpreter import Interpreter
from hvisa.graph.model import Module
from hvisa.graph.verifier import verify
from hvisa.runtime.arguments import bind
from hvisa.runtime.launch import NativeLauncher
from tests.conformance.harness import canonical
from tests.conformance.native import make_launcher
from tests.differential.generator import Program, make

PROGRAMS = int(os.environ.get("HVISA_PROGRAMS", "2000"))
CHUNKS = 20
THREADS = (1, 2, 3)


def outcome(module: Module, run: Any) -> Any:
    """What a run gives, in a form that compares: canonical bits, or the code of the trap."""
    try:
        found = run()
    except HvisaTrap as trap:
        return trap.code
    definition = module.definitions["entry"]
    types = [p.type for p in definition.written] + definition.results
    return [canonical(v, t) for v, t in zip(found.values(), types, strict=True)]


def launch(launcher: NativeLauncher, program: Program, threads: int) -> dict[str, Any]:
    """The entry's outputs by name, on a team of so many threads."""
    launcher.limit_threads(threads)
    bound = bind(launcher.signature, program.arguments, None, True)
    values = launcher.launch(bound)
    names = [p.name for p in launcher.signature.written] + [r.name for r in launcher.signature.results]
    return dict(zip(names, values, strict=True))


def check(seed: int, counts: Counter[str]) -> list[str]:
    """What differs for one program."""
    program = make(seed)
    module = program.module
    counts.update(program.features)
    text = print_module(module)
    problems = [] if print_module(parse(text)) == text else [f"{seed}: text"]
    data = encode(module)
    problems += [] if encode(decode(data)) == data else [f"{seed}: bytecode"]
    try:
        verify(module)
    except HvisaError as error:
        counts["refused"] += 1
        return [*problems, f"{seed}: refused: {error}"]
    counts["valid"] += 1
    wanted = outcome(module, lambda: Interpreter(module).run("entry", program.arguments))
    counts["trapped"] += isinstance(wanted, str)
    for order in ("reverse", f"random:{seed}"):
        found = outcome(module, lambda order=order: Interpreter(module, lane_order=order).run(
            "entry", program.arguments))
        problems += [] if found == wanted else [f"{seed}: {order}"]
    x86 = make_launcher("x86", module, "entry")
    problems += [] if outcome(module, lambda: launch(x86, program, 1)) == wanted else [f"{seed}: x86"]
    many = make_launcher("multicore", module, "entry", serial_work=0)
    for threads in THREADS:
        found = outcome(module, lambda threads=threads: launch(many, program, threads))
        problems += [] if found == wanted else [f"{seed}: multicore on {threads}"]
    return problems


def run_chunk(first: int, count: int) -> tuple[list[str], Counter[str]]:
    counts: Counter[str] = Counter()
    problems = [p for seed in range(first, first + count) for p in check(seed, counts)]
    return problems, counts


def test_generated_programs_agree_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    each = -(-PROGRAMS // CHUNKS)
    counts: Counter[str] = Counter()
    problems: list[str] = []
    # Started afresh: a forked process may not use the parent's OpenMP team.
    context = get_context("spawn")
    with ProcessPoolExecutor(max_workers=os.cpu_count(), mp_context=context) as pool:
        for found, part in pool.map(run_chunk, range(0, each * CHUNKS, each), [each] * CHUNKS):
            problems += found
            counts += part
    with capsys.disabled():
        print(f"\ngenerated programs: {dict(sorted(counts.items()))}")
    assert not problems, problems[:20]
    assert counts["valid"] >= PROGRAMS
