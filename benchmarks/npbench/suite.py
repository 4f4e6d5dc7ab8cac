"""The programs in `programs/`, and how their results are compared."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = Path(__file__).parent / "programs"
NAMES = tuple(sorted(f.stem for f in FOLDER.glob("*.py") if f.stem[0] != "_"))


class Benchmark(NamedTuple):
    """A program, the same in numpy, and what both take. Both may change the arrays that they are given."""

    name: str
    program: Any
    reference: Any
    inputs: Any

    def arguments(self, size: int) -> tuple[Any, ...]:
        """The same for the same size."""
        return self.inputs(np.random.default_rng(size), size)


def benchmark(name: str) -> Benchmark:
    """One of `NAMES`, which is what its program is called, too."""
    spec = importlib.util.spec_from_file_location(f"npbench_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Benchmark(name, getattr(module, name), module.reference, module.inputs)


def results(found: Any) -> list[np.ndarray]:
    """What a call gave as a list of arrays."""
    return [np.asarray(v) for v in (found if isinstance(found, tuple) else (found,))]


def error(found: np.ndarray, wanted: np.ndarray) -> float:
    """NPBench's measure: the norm of the difference over that of what is wanted. Whole numbers differ by
    nothing or by infinity."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return np.inf
    if not np.issubdtype(wanted.dtype, np.floating):
        return 0.0 if np.array_equal(found, wanted) else np.inf
    size = float(np.linalg.norm(wanted.astype(np.float64)))
    return float(np.linalg.norm(found.astype(np.float64) - wanted)) / (size or 1.0)


def tolerance(wanted: np.ndarray) -> float:
    return 1e-5 if wanted.dtype == np.float32 else 1e-9
