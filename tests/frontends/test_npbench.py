"""The NPBench programs against numpy, by NPBench's measure, and with the same bits on every device."""

from __future__ import annotations

import copy
import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PLACE = Path(__file__).parents[2] / "benchmarks" / "npbench" / "suite.py"
SPEC = importlib.util.spec_from_file_location("npbench_suite", PLACE)
assert SPEC is not None and SPEC.loader is not None
suite = importlib.util.module_from_spec(SPEC)
sys.modules["npbench_suite"] = suite
SPEC.loader.exec_module(suite)


def run(function: Any, arguments: tuple[Any, ...], **options: Any) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        return suite.results(function(*copy.deepcopy(arguments), **options))


@pytest.mark.parametrize("name", suite.NAMES)
def test_program(name: str) -> None:
    found = suite.benchmark(name)
    for size, devices in ((2, ("x86", "reference")), (5, ("x86", "reference")), (21, ("x86",))):
        arguments = found.arguments(size)
        wanted = run(found.reference, arguments)
        if found.python is not None:  # the same source is a numpy program
            check(run(found.python, arguments), wanted, f"numpy, {size}")
        got = [run(found.program, arguments, device=d) for d in devices]
        for device, values in zip(devices, got, strict=True):
            check(values, wanted, f"{device}, {size}")
            assert [v.tobytes() for v in values] == [v.tobytes() for v in got[0]]


@pytest.mark.parametrize("name", ["gemm", "jacobi_2d", "lu", "conv2d", "nbody", "azimint_naive"])
def test_program_on_threads(name: str) -> None:
    found = suite.benchmark(name)
    arguments = found.arguments(33)
    check(run(found.program, arguments, device="multicore"), run(found.reference, arguments), name)


def check(found: list[np.ndarray], wanted: list[np.ndarray], where: str) -> None:
    assert len(found) == len(wanted)
    for got, right in zip(found, wanted, strict=True):
        error = suite.error(got, right)
        assert error <= suite.tolerance(right), f"{where}: {error}"


def test_there_are_enough_programs() -> None:
    assert len(suite.NAMES) >= 16
