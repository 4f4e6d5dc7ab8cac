"""Random numbers beside numpy's generators: million numbers a second.

    python benchmarks/random_numbers.py [--size N] [--rounds N]

One thread, device x86, arrays of f32 of 1,000,000 numbers or of `--size`; interleaved rounds, medians.
`element` asks for each number by its index, so that a block is computed four times; `block` is a leaf whose
instance computes a block and writes four numbers into a row; `four arrays` writes them into four arrays,
whose accesses are consecutive. numpy fills an array that is there (`out=`).
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hvisa
from hvisa import InOut, f32, u64

Call = Callable[[], Any]


@hvisa.leaf
def uniform(seed: u64, y: InOut[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.random_uniform(f32, seed, i)


@hvisa.leaf
def normal(seed: u64, y: InOut[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.random_normal(f32, seed, i)


@hvisa.leaf
def uniform_blocks(seed: u64, y: InOut[f32, "n", 4]):
    b = hvisa.grid("n")
    y[b, 0], y[b, 1], y[b, 2], y[b, 3] = hvisa.random_uniform4(seed, b)


@hvisa.leaf
def normal_blocks(seed: u64, y: InOut[f32, "n", 4]):
    b = hvisa.grid("n")
    y[b, 0], y[b, 1], y[b, 2], y[b, 3] = hvisa.random_normal4(seed, b)


@hvisa.leaf
def uniform_arrays(seed: u64, w: InOut[f32, "n"], x: InOut[f32, "n"], y: InOut[f32, "n"],
                   z: InOut[f32, "n"]):
    b = hvisa.grid("n")
    w[b], x[b], y[b], z[b] = hvisa.random_uniform4(seed, b)


@hvisa.leaf
def normal_arrays(seed: u64, w: InOut[f32, "n"], x: InOut[f32, "n"], y: InOut[f32, "n"],
                  z: InOut[f32, "n"]):
    b = hvisa.grid("n")
    w[b], x[b], y[b], z[b] = hvisa.random_normal4(seed, b)


def calls(element: Any, block: Any, arrays: Any, fill: str, size: int) -> dict[str, Call]:
    """What fills an array of so many numbers, by name."""
    flat = np.empty(size, np.float32)
    rows, parts = flat.reshape(-1, 4), list(flat.reshape(4, -1))
    found: dict[str, Call] = {
        "element": lambda: element(7, flat, device="x86"), "block": lambda: block(7, rows, device="x86"),
        "four arrays": lambda: arrays(7, *parts, device="x86")}
    for made in (np.random.Philox, np.random.PCG64):
        method = getattr(np.random.Generator(made(7)), fill)
        found[f"numpy {made.__name__}"] = lambda m=method: m(dtype=np.float32, out=flat)
    return found


def speeds(found: dict[str, Call], size: int, rounds: int) -> dict[str, float]:
    """Million numbers a second."""
    times: dict[str, list[float]] = {n: [] for n in found}
    for call in found.values():
        call()
    for _ in range(rounds):
        for name, call in found.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {n: size / statistics.median(t) / 1e6 for n, t in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    hvisa.show_config()
    size = options.size // 4 * 4
    for name, given in (("uniform", (uniform, uniform_blocks, uniform_arrays, "random")),
                        ("normal", (normal, normal_blocks, normal_arrays, "standard_normal"))):
        for who, speed in speeds(calls(*given, size), size, options.rounds).items():
            print(f"{name:8} {who:14} {speed:8.0f} M/s", flush=True)


if __name__ == "__main__":
    main()
