"""Times the NPBench programs next to numpy.

    python benchmarks/npbench/run.py [--size 120] [--device x86] [name ...]

cold    reading the Python source, compiling, translating and the first call, with an empty cache
warm    the same in a new process that finds the translation in the cache
steady  the median of further calls; they alternate with numpy's, so that a busy machine slows both
numpy   the median of the program's own source run by numpy; "loops" is its mathematics in Python where
        the program has leaves, which Python would run point by point

ratio is numpy over steady: above 1 hvisa is faster. Arrays are copied before each call, outside of what is
timed. numpy's products use as many threads as its library likes; to compare one thread with one, run it
with `--device x86` and OPENBLAS_NUM_THREADS=1. Threads that wait for each other measure the other load of a
machine more than anything else: use `multicore` on an idle one.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FEWEST, MOST, LONGEST_S = 5, 200, 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs; all by default")
    parser.add_argument("--size", type=int, default=120)
    parser.add_argument("--device", default="multicore")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent))
    import suite
    if options.child:
        print(json.dumps(measure(suite, *options.names, options.size, options.device)))
        return
    unknown = set(options.names) - set(suite.NAMES)
    if unknown:
        parser.error(f"{sorted(unknown)[0]} is none of {', '.join(suite.NAMES)}")
    import hvisa
    hvisa.show_config()
    print(f"processor  {processor()}\nsize {options.size}, device {options.device}\n")
    print(f"{'':16} {'cold s':>8} {'warm s':>8} {'steady ms':>10} {'numpy ms':>10} {'ratio':>8}")
    ratios: list[float] = []
    for name in options.names or suite.NAMES:
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = (child(name, options, folder) for _ in range(2))
        ratio = warm["numpy"] / warm["steady"]
        ratios += [ratio] * (not warm["loops"])
        print(f"{name:16} {cold['first']:8.2f} {warm['first']:8.2f} {warm['steady'] * 1e3:10.3f} "
              f"{warm['numpy'] * 1e3:10.3f} {ratio:8.2f}{'  loops' * warm['loops']}", flush=True)
    if len(ratios) > 1:
        print(f"\ngeometric mean of the ratios to numpy: {statistics.geometric_mean(ratios):.2f}")


def child(name: str, options: argparse.Namespace, folder: str) -> dict[str, Any]:
    """What a new process measures."""
    done = subprocess.run([sys.executable, __file__, "--child", name, "--size", str(options.size),
                           "--device", options.device], capture_output=True, text=True, check=False,
                          env={**os.environ, "HVISA_CACHE_DIR": folder, "HVISA_CACHE": ""})
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def measure(suite: Any, name: str, size: int, device: str) -> dict[str, Any]:
    import numpy as np

    import hvisa
    found = suite.benchmark(name)
    arguments = found.arguments(size)
    assert np.dot(np.ones(2), np.ones(2))  # imported before the clock starts
    given = copy.deepcopy(arguments)
    started = time.perf_counter()
    # A program made for one device has the short way from Python.
    program = hvisa.Program.from_module(found.program.module, device=device).entry(name)
    first = suite.results(program(*given))
    first_s = time.perf_counter() - started
    wanted = suite.results(found.reference(*copy.deepcopy(arguments)))
    wrong = max(suite.error(a, b) / suite.tolerance(b) for a, b in zip(first, wanted, strict=True))
    if not wrong <= 1:
        sys.exit(f"the results differ: {wrong} times the tolerance")
    steady, numpy = alternate(arguments, program, found.python or found.reference)
    return {"first": first_s, "steady": steady, "numpy": numpy, "loops": found.python is None}


def alternate(arguments: tuple[Any, ...], *calls: Callable[..., Any]) -> list[float]:
    """The median time of each call."""
    times: list[list[float]] = [[] for _ in calls]
    end = time.perf_counter() + LONGEST_S
    while len(times[0]) < FEWEST or (len(times[0]) < MOST and time.perf_counter() < end):
        for found, call in zip(times, calls, strict=True):
            given = copy.deepcopy(arguments)
            started = time.perf_counter()
            call(*given)
            found.append(time.perf_counter() - started)
    return [statistics.median(t) for t in times]


def processor() -> str:
    import platform
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    model = next((n.partition(":")[2].strip() for n in lines if n.startswith("model name")), "")
    return f"{model or platform.processor() or platform.machine()}, {os.cpu_count()} threads"


if __name__ == "__main__":
    main()
