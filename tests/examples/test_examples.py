"""The examples run as their own text prints, and give what mathematics says on larger inputs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hvisa

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PAGES = sorted(p for p in EXAMPLES.glob("*/*.hvasm"))
COMMAND = re.compile(r"^//   hvisa (run .*)\n((?://   .*\n)*)", re.MULTILINE)
DEVICES = ("reference", "x86", "multicore")


def entry(name: str, device: str) -> hvisa.Entry:
    return hvisa.load(EXAMPLES / name / f"{name}.hvasm", device=device).entry()


@pytest.mark.parametrize("page", [p for p in PAGES if p.stem != "edge"], ids=lambda p: p.stem)
def test_an_example_prints_what_its_text_says(page: Path) -> None:
    found = COMMAND.search(page.read_text(encoding="utf-8"))
    assert found is not None, f"{page} shows no command"
    done = subprocess.run([sys.executable, "-m", "hvisa", *shlex.split(found[1])], cwd=page.parent,
                          capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    shown = [line.removeprefix("//   ") for line in found[2].splitlines()]
    assert done.stdout.splitlines() == shown


def environment() -> dict[str, str]:
    import os
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize("device", DEVICES)
def test_saxpy(device: str) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random(1000, np.float32), rng.random(1000, np.float32)
    wanted = np.float32(2.5) * x + y
    assert np.array_equal(entry("saxpy", device)(a=2.5, x=x, y=y), wanted)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (16, 16, 16), (33, 20, 17), (5, 0, 4)])
def test_sgemm(device: str, sizes: tuple[int, int, int]) -> None:
    m, k, n = sizes
    rng = np.random.default_rng(1)
    a, b = rng.random((m, k), np.float32), rng.random((k, n), np.float32)
    found = entry("sgemm", device)(a=a, b=b)
    np.testing.assert_allclose(found, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_histogram(device: str) -> None:
    x = np.random.default_rng(2).integers(0, 256, 20_000, dtype=np.uint8)
    assert np.array_equal(entry("histogram", device)(x=x, bins=256), np.bincount(x, minlength=256))


@pytest.mark.parametrize("device", DEVICES)
def test_bfs(device: str) -> None:
    rng = np.random.default_rng(3)
    count = 300
    pairs = rng.integers(0, count, (400, 2))
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in pairs.tolist():
        near[a].append(b)
        near[b].append(a)
    indptr = np.cumsum([0, *map(len, near)]).astype(np.int32)
    indices = np.array([v for n in near for v in n], np.int32)
    level, rounds = entry("bfs", device)(indptr=indptr, indices=indices, source=7)
    wanted = np.full(count, -1)
    wanted[7], depth, last = 0, 0, [7]
    while last:
        depth += 1
        last = sorted({v for u in last for v in near[u] if wanted[v] < 0})
        wanted[last] = depth
    assert np.array_equal(level, wanted)
    assert rounds == wanted.max() + 1


@pytest.mark.parametrize("device", DEVICES)
def test_spmv(device: str) -> None:
    rng = np.random.default_rng(4)
    dense = np.where(rng.random((60, 40)) < 0.2, rng.random((60, 40)), 0).astype(np.float32)
    rows, columns = np.nonzero(dense)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=60))]).astype(np.int32)
    x = rng.random(40, np.float32)
    data = dense[rows, columns]
    found = entry("spmv", device)(indptr=indptr, indices=columns.astype(np.int32), data=data, x=x)
    np.testing.assert_allclose(found, dense.astype(np.float64) @ x, rtol=1e-5)


def edges_of(frame: np.ndarray, threshold: float) -> np.ndarray:
    """The pipeline in float64 with numpy."""
    height, width = frame.shape

    def windows(array: np.ndarray) -> np.ndarray:
        padded = np.pad(array, 1, mode="edge")
        return np.stack([padded[j:j + height, i:i + width] for j in range(3) for i in range(3)])
    padded = np.pad(frame.astype(np.float64), 2, mode="edge")
    taps = (1, 4, 6, 4, 1)
    rows = sum(t * padded[j:j + height] for j, t in enumerate(taps))
    smooth = sum(t * rows[:, j:j + width] for j, t in enumerate(taps)) / 65280.0
    w = windows(smooth)
    sign = windows(w.max(0) + w.min(0) - 2 * smooth > 0)
    crossing = sign.any(0) != sign.all(0)
    gx = (w[2] - w[0]) + 2 * (w[5] - w[3]) + (w[8] - w[6])
    gy = (w[6] - w[0]) + 2 * (w[7] - w[1]) + (w[8] - w[2])
    gradient = np.sqrt(gx * gx + gy * gy)
    return np.where(crossing & (gradient > threshold * gradient.max()), 255, 0)


@pytest.mark.parametrize("image", ["camera", "coins"])
def test_edges_of_photographs(image: str) -> None:
    from PIL import Image
    frame = np.array(Image.open(EXAMPLES / "edge_detection" / "images" / f"{image}.png"))
    program = hvisa.load(EXAMPLES / "edge_detection" / "edge.hvasm")
    found = [program.entry("edge")(frame=frame, threshold=0.15, device=d) for d in DEVICES]
    assert all(np.array_equal(f, found[0]) for f in found[1:]), "devices differ"
    assert (found[0] != edges_of(frame, 0.15)).mean() < 0.002
    assert 0.01 < (found[0] > 0).mean() < 0.2


def test_a_stream_of_frames(tmp_path: Path) -> None:
    """The camera pans over a photograph; each frame is a file."""
    from PIL import Image
    picture = np.array(Image.open(EXAMPLES / "edge_detection" / "images" / "camera.png"))
    frames, edges = tmp_path / "frames", tmp_path / "edges"
    frames.mkdir()
    for k in range(4):
        Image.fromarray(picture[100:196, 40 * k:40 * k + 128]).save(frames / f"{k:03}.png")
    done = subprocess.run([sys.executable, "-m", "hvisa", "run",
                           str(EXAMPLES / "edge_detection" / "edge.hvasm"), "--entry", "edge",
                           "--input", f"frame={frames}", "--input", "threshold=0.15", "--output",
                           f"edges={edges}"], capture_output=True, text=True, check=False,
                          env=environment())
    assert done.returncode == 0, done.stderr
    made = sorted(edges.iterdir())
    assert len(made) == 4
    for k, file in enumerate(made):
        wanted = edges_of(picture[100:196, 40 * k:40 * k + 128], 0.15)
        assert (np.array(Image.open(file)) != wanted).mean() < 0.005
