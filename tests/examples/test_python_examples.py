"""The examples written in Python run as their text prints, and give the bits of those in `.hvasm`."""

from __future__ import annotations

import os
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hvisa

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PAGES = sorted(EXAMPLES.glob("*/*.py"))


def command(page: Path) -> tuple[list[str], list[str]]:
    """The command that the docstring shows, and the lines that it prints."""
    lines = page.read_text(encoding="utf-8").split('"""')[1].splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("    python "))
    shown = [line.removeprefix("    ") for line in lines[first + 1:] if line.startswith("    ")]
    return shlex.split(lines[first])[1:], shown


def test_each_example_has_a_python_form() -> None:
    assert [p.with_suffix(".py") for p in sorted(EXAMPLES.glob("*/*.hvasm"))] == PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_an_example_prints_what_its_text_says(page: Path, tmp_path: Path) -> None:
    words, shown = command(page)
    words = [str(tmp_path / w) if w == "edges.png" else w for w in words]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True,
                          check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == shown
    if page.stem == "edge":
        assert (tmp_path / "edges.png").stat().st_size > 1000


def inputs(name: str) -> list[Any]:
    """Arguments of the entry, from a fixed seed."""
    rng = np.random.default_rng(5)
    match name:
        case "saxpy":
            return [np.float32(0.7), rng.standard_normal(1003, np.float32),
                    rng.standard_normal(1003, np.float32)]
        case "histogram":
            return [rng.integers(0, 256, 5000).astype(np.uint8), 200]
        case "sgemm":
            return [rng.standard_normal((33, 20), np.float32), rng.standard_normal((20, 49), np.float32)]
        case "spmv":
            indptr = np.concatenate([[0], np.cumsum(rng.integers(0, 200, 60))]).astype(np.int32)
            return [indptr, rng.integers(0, 90, indptr[-1]).astype(np.int32),
                    rng.standard_normal(indptr[-1], np.float32), rng.standard_normal(90, np.float32)]
        case "bfs":
            pairs = rng.integers(0, 80, (110, 2))
            rows = np.concatenate([pairs[:, 0], pairs[:, 1]])
            order = np.argsort(rows, kind="stable")
            indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=80))]).astype(np.int32)
            indices = np.concatenate([pairs[:, 1], pairs[:, 0]])[order].astype(np.int32)
            return [indptr, indices, np.int32(3)]
        case _:
            return [rng.integers(0, 256, (57, 83)).astype(np.uint8), np.float32(0.15)]


@pytest.mark.parametrize("device", ["reference", "x86", "multicore"])
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_both_forms_give_the_same_bits(page: Path, device: str) -> None:
    name = page.stem
    python = runpy.run_path(str(page))[name]
    text = hvisa.load(page.with_suffix(".hvasm")).entry(name)
    names = [p.name for p in text.signature.taken]
    wanted = text.values(dict(zip(names, inputs(name), strict=True)), copy=True, device=device)
    found = python.entry.values(dict(zip(names, inputs(name), strict=True)), copy=True, device=device)
    assert len(found) == len(wanted) > 0
    for mine, theirs in zip(found, wanted, strict=True):
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        assert mine.dtype == theirs.dtype
        assert mine.shape == theirs.shape
        assert mine.tobytes() == theirs.tobytes()
