"""Frames a second of the edge pipeline at 1920 x 1080: `python benchmarks/edge.py [--peers PATH]`.

With `--peers` the folder of a peer collection, its fused C and numpy columns run interleaved in the same
process and each is shown as a ratio; skipped without.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

for _name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(_name, None)

import numpy as np  # noqa: E402

import hvisa  # noqa: E402

PROGRAM = Path(__file__).parent.parent / "examples" / "edge_detection" / "edge.hvasm"


def make_frames(count: int) -> list[np.ndarray]:
    """Noisy waves and squares that move from frame to frame."""
    rng = np.random.default_rng(13)
    y, x = np.mgrid[0:1080, 0:1920]
    base = 90 + 60 * np.sin(x / 37.0) * np.cos(y / 29.0) + 50 * ((x // 160 + y // 120) % 2)
    return [np.clip(np.roll(base, 7 * k, 1) + rng.normal(0, 4, base.shape), 0, 255).astype(np.uint8)
            for k in range(count)]


def seconds_a_frame(device: str, frames: list[np.ndarray], rounds: int) -> float:
    """Median over rounds of the mean time of a frame; outputs are reused."""
    entry = hvisa.load(PROGRAM, device=device).entry("edge")
    edges = np.empty_like(frames[0])
    entry(frames[0], 0.15, out={"edges": edges})
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        for frame in frames:
            entry(frame, 0.15, out={"edges": edges})
        times.append((time.perf_counter() - start) / len(frames))
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", type=Path)
    options = parser.parse_args()
    frames = make_frames(options.frames)
    hvisa.show_config()
    for device in ("x86", "multicore"):
        each = seconds_a_frame(device, frames, options.rounds)
        print(f"{device:10} {each * 1e3:8.2f} ms a frame {1 / each:8.1f} frames a second")
    if options.peers is not None:
        run_peers(options.peers)


def run_peers(folder: Path) -> None:
    """hvisa as one more column of the peer collection, on its case `edge`."""
    sys.path.insert(0, str(folder))
    from peers import register, report, run  # type: ignore[import-not-found]

    def make(case):
        frames, threshold = case.inputs["frames"], float(case.inputs["threshold"])
        entry = hvisa.load(PROGRAM, device="multicore").entry("edge")
        edges = case.outputs["edges"]

        def call():
            for frame, out in zip(frames, edges, strict=True):
                entry(frame, threshold, out={"edges": out})
            return edges
        return call
    register("hvisa", "edge", make)
    print(report.grid(run(only=["edge"], peers=["hvisa", "c-fast", "numpy"], quick=True)))


if __name__ == "__main__":
    main()
