"""Library nodes beside numpy: nanoseconds an element, and how many times faster hvisa is.

    python benchmarks/nodes.py [NAME ...] [--size N]

Devices x86 (one thread) and multicore; interleaved rounds, medians. numpy's sorts are its stable ones.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

for _name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(_name, None)

import numpy as np  # noqa: E402

import hvisa  # noqa: E402
from hvisa.library.standard import library_bytes  # noqa: E402

ROUNDS = 9
DEVICES = ("x86", "multicore")
Call = Callable[[], Any]


def cases(count: int) -> dict[str, tuple[str, str, list[Any], Call]]:
    """Module, node, arguments and numpy's way of each case."""
    rng = np.random.default_rng(1)
    x, k = rng.standard_normal(count).astype(np.float32), rng.integers(0, 256, count).astype(np.int32)
    wide, keep = rng.integers(0, 1 << 20, count).astype(np.int32), x > 0
    return {
        "sum f32": ("reduce.f32", "sum", [x], lambda: np.sum(x)),
        "argmax f32": ("reduce.f32", "argmax", [x], lambda: np.argmax(x)),
        "scan add f32": ("scan.f32", "scan_add", [x], lambda: np.cumsum(x)),
        "scan max f32": ("scan.f32", "scan_max", [x], lambda: np.maximum.accumulate(x)),
        "sort f32": ("sort.f32", "sort", [x], lambda: np.sort(x, kind="stable")),
        "sort i32": ("sort.i32", "sort", [wide], lambda: np.sort(wide, kind="stable")),
        "argsort f32": ("sort.f32", "argsort", [x], lambda: np.argsort(x, kind="stable")),
        "compact f32": ("compact.f32", "compact", [x, keep], lambda: x[keep]),
        "bincount 256": ("histogram.i32", "bincount", [k, 256], lambda: np.bincount(k, minlength=256)),
        "bincount 2^20": ("histogram.i32", "bincount", [wide, 1 << 20],
                          lambda: np.bincount(wide, minlength=1 << 20)),
        "histogram 64": ("histogram.f32", "histogram", [x, -3, 3, 64],
                         lambda: np.histogram(x, 64, (-3, 3)))}


def medians(calls: dict[str, Call]) -> dict[str, float]:
    times: dict[str, list[float]] = {n: [] for n in calls}
    for call in calls.values():
        call()
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {n: statistics.median(t) for n, t in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--size", type=int, default=1 << 20)
    options = parser.parse_args()
    hvisa.show_config()
    print(f"\n{options.size} elements, ns each {'x86':>8} {'multicore':>9} {'numpy':>8}   numpy/multicore")
    for title, (module, name, arguments, numpy) in cases(options.size).items():
        if options.names and not any(n in title for n in options.names):
            continue
        calls: dict[str, Call] = {"numpy": numpy}
        for device in DEVICES:
            entry = hvisa.load(library_bytes(module, 1), device=device).entry(
                f"{name}.{module.rpartition('.')[2]}")
            calls[device] = lambda e=entry, a=arguments: e(*a)
        found = {n: t / options.size * 1e9 for n, t in medians(calls).items()}
        print(f"{title:24} {found['x86']:8.2f} {found['multicore']:9.2f} {found['numpy']:8.2f}   "
              f"{found['numpy'] / found['multicore']:.1f}", flush=True)


if __name__ == "__main__":
    main()
