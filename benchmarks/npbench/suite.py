"""The programs in `programs/`, and how their results are compared."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from hvisa.frontends.python.definitions import PythonFunction

FOLDER = Path(__file__).parent / "programs"
NAMES = tuple(sorted(f.stem for f in FOLDER.glob("*.py") if f.stem[0] != "_"))


class Benchmark(NamedTuple):
    """A program, what it should give, and what both take. All may change the arrays that they are given.

    `python` is the program's own source run by Python, as graphs are written in numpy's names; None
    where a leaf takes part. `reference` gets the same by another way.
    """

    name: str
    program: Any
    python: Callable[..., Any] | None
    reference: Callable[..., Any]
    inputs: Callable[[np.random.Generator, int], tuple[Any, ...]]

    def arguments(self, size: int) -> tuple[Any, ...]:
        """The same for the same size."""
        return self.inputs(np.random.default_rng(size), size)


def benchmark(name: str) -> Benchmark:
    """One of `NAMES`, which is what its program is called, too."""
    spec = importlib.util.spec_from_file_location(f"npbench_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    program = getattr(module, name)
    return Benchmark(name, program, _python(module, program), module.reference, module.inputs)


def _python(module: ModuleType, program: Any) -> Callable[..., Any] | None:
    """The functions of a module as Python has them. Written ports come back first, as from hvisa."""
    names = {n: v for n, v in vars(module).items() if isinstance(v, PythonFunction)}
    if program.kind != "graph" or any(v.kind == "leaf" for v in names.values()):
        return None
    there: dict[str, Any] = dict(vars(module))
    for name, value in names.items():
        code = value.python.__code__
        there[name] = FunctionType(code, there, name)
    function = there[program.__name__]

    def run(*arguments: Any) -> Any:
        found = function(*arguments)
        written = [a for a, p in zip(arguments, program.entry.signature.taken, strict=True) if p.written]
        given = () if found is None else found if isinstance(found, tuple) else (found,)
        return (*written, *given)
    return run


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
