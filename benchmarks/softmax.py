"""Strict softmax of the rows of a matrix, over the library's `exp`, beside numpy: milliseconds.

    python benchmarks/softmax.py [--rows N] [--columns N]

Interleaved rounds, medians; outputs are given, so that no memory is made.
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
from hvisa import In, Out, f32  # noqa: E402

ROUNDS = 15


@hvisa.leaf
def softmax(x: In[f32, "m", "n"], y: Out[f32, "m", "n"]):
    row = hvisa.grid("m")
    top = max(x[row, k] for k in range(x.shape[1]))
    total = sum(hvisa.exp(x[row, k] - top) for k in range(x.shape[1]))
    for k in range(x.shape[1]):
        y[row, k] = hvisa.exp(x[row, k] - top) / total


def by_numpy(x: np.ndarray, out: np.ndarray) -> None:
    np.subtract(x, x.max(axis=1, keepdims=True), out=out)
    np.exp(out, out=out)
    np.divide(out, out.sum(axis=1, keepdims=True), out=out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8192)
    parser.add_argument("--columns", type=int, default=1024)
    options = parser.parse_args()
    hvisa.show_config()
    x = np.random.default_rng(1).standard_normal((options.rows, options.columns)).astype(np.float32)
    out, other = np.empty_like(x), np.empty_like(x)
    calls: dict[str, Callable[[], Any]] = {
        device: lambda d=device: softmax(x, out={"y": out}, device=d) for device in ("x86", "multicore")}
    calls["numpy"] = lambda: by_numpy(x, other)
    times: dict[str, list[float]] = {n: [] for n in calls}
    for call in calls.values():
        call()
    np.testing.assert_allclose(out, other, rtol=1e-5)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    print(f"\n{options.rows} x {options.columns}, ms")
    for name, found in times.items():
        print(f"{name:10} {statistics.median(found) * 1e3:8.2f}")


if __name__ == "__main__":
    main()
