"""Runs the OpenCL programs on small inputs of fixed seeds and compares their results with hvisa's."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import hvisa  # noqa: E402

# Looks at the device that the programs choose.
PROBE = """
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_device_type type = 0;
    return clGetPlatformIDs(1, &platform, NULL) ||
           clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL) ||
           clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL) ||
           !(type & CL_DEVICE_TYPE_CPU);
}
"""
POCL = Path("/etc/OpenCL/vendors/pocl.icd")


@dataclass(frozen=True)
class Case:
    """One run of an example.

    `command` holds the arguments of the OpenCL program: `<x` is a file with input `x`, `>` a file for the
    next result, in the order in which hvisa gives them. Results are equal bit for bit, or within `slack`
    where an OpenCL programmer would not keep hvisa's order of a sum.
    """

    example: str
    entry: str
    title: str
    inputs: dict[str, Any]
    command: tuple[str, ...]
    slack: np.ndarray | None = None


def cases() -> list[Case]:
    rng = np.random.default_rng(29)
    x, y = rng.standard_normal(1003, np.float32), rng.standard_normal(1003, np.float32)
    a, b = rng.standard_normal((33, 20), np.float32), rng.standard_normal((20, 49), np.float32)
    values = rng.integers(0, 256, 20_001, dtype=np.uint8)
    return [
        Case("saxpy", "saxpy", "1003 elements", {"a": 0.1, "x": x, "y": y},
             ("0.1", "1003", "<x", "<y", ">")),
        Case("sgemm", "sgemm", "33 x 20 by 20 x 49", {"a": a, "b": b}, ("33", "20", "49", "<a", "<b", ">")),
        Case("histogram", "histogram", "20001 bytes, 200 bins", {"x": values, "bins": 200},
             ("20001", "200", "<x", ">")),
        bfs_case(rng), *spmv_cases(rng), edge_case(rng)]


def bfs_case(rng: np.random.Generator) -> Case:
    """Sparse enough that the source does not reach every vertex."""
    count = 500
    pairs = rng.integers(0, count, (600, 2))
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=count))]).astype(np.int32)
    inputs = {"indptr": indptr, "indices": ends[:, 1].astype(np.int32), "source": 7}
    return Case("bfs", "bfs", "500 vertices, 1200 edges", inputs,
                (str(count), str(len(ends)), "7", "<indptr", "<indices", ">", ">"))


def spmv_cases(rng: np.random.Generator) -> list[Case]:
    """Once with numbers whose sums are exact in any order, once with any numbers."""
    rows, columns = 200, 150
    filled = rng.random((rows, columns)) < 0.3
    filled[3] = False
    indptr = np.concatenate([[0], np.cumsum(filled.sum(1))]).astype(np.int32)
    indices = np.nonzero(filled)[1].astype(np.int32)
    arguments = (str(rows), str(columns), str(len(indices)), "<indptr", "<indices", "<data", "<x", ">")

    def case(title: str, dense: np.ndarray, x: np.ndarray, slack: np.ndarray | None) -> Case:
        inputs = {"indptr": indptr, "indices": indices, "data": dense[filled], "x": x}
        return Case("spmv", "spmv", title, inputs, arguments, slack)
    whole = rng.integers(-9, 10, (rows, columns)).astype(np.float32)
    dense, x = rng.standard_normal((rows, columns), np.float32), rng.standard_normal(columns, np.float32)
    # Each of two orders is off by at most terms * 2^-24 of the sum of magnitudes, to first order.
    magnitudes = np.abs(np.where(filled, dense, 0).astype(np.float64)) @ np.abs(x)
    return [case("200 x 150, exact sums", whole, rng.integers(-9, 10, columns).astype(np.float32), None),
            case("200 x 150, rounded sums", dense, x, 2.01 * filled.sum(1) * 2.0**-24 * magnitudes)]


def edge_case(rng: np.random.Generator) -> Case:
    """Noisy waves and squares."""
    y, x = np.mgrid[0:90, 0:131]
    base = 90 + 60 * np.sin(x / 17.0) * np.cos(y / 13.0) + 50 * ((x // 40 + y // 30) % 2)
    frame = np.clip(base + rng.normal(0, 4, base.shape), 0, 255).astype(np.uint8)
    return Case("edge_detection", "edge", "90 x 131 pixels", {"frame": frame, "threshold": 0.15},
                ("90", "131", "<frame", "0.15", ">"))


def results(call: Callable[..., Any], case: Case) -> list[np.ndarray]:
    """What an entry gives on copies of the inputs, since `inout` arrays are updated in place."""
    copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in case.inputs.items()}
    found = call(**copies)
    return [np.asarray(v) for v in (found if isinstance(found, tuple) else (found,))]


def opencl_results(program: Path, case: Case, folder: Path, environment: dict[str, str],
                   like: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What a compiled program writes, read as arrays of the types and shapes of `like`."""
    work = Path(tempfile.mkdtemp(dir=program.parent))
    arguments, written = [], []
    for word in case.command:
        if word.startswith("<"):
            case.inputs[word[1:]].tofile(work / word[1:])
            word = str(work / word[1:])
        elif word == ">":
            word = str(work / f"result{len(written)}")
            written.append(word)
        arguments.append(word)
    done = subprocess.run([program, *arguments], cwd=folder, env=environment, capture_output=True,
                          text=True, check=False, timeout=300)
    if done.returncode:
        raise RuntimeError(f"the OpenCL program ends with {done.returncode}: {done.stderr.strip()}")
    found = [np.fromfile(file, array.dtype) for file, array in zip(written, like, strict=True)]
    return [f.reshape(a.shape) if f.size == a.size else f for f, a in zip(found, like, strict=True)]


def difference(wanted: Sequence[np.ndarray], found: Sequence[np.ndarray],
               slack: np.ndarray | None = None) -> str:
    """How results differ; empty if they do not."""
    if len(wanted) != len(found):
        return f"{len(found)} results, not {len(wanted)}"
    for k, (w, f) in enumerate(zip(wanted, found, strict=True)):
        if w.dtype != f.dtype or w.shape != f.shape:
            return f"result {k} is {f.dtype}{list(f.shape)}, not {w.dtype}{list(w.shape)}"
        if slack is not None:
            wrong = ~(np.abs(w.astype(np.float64) - f) <= slack)
        else:
            bits = f"u{w.dtype.itemsize}"
            wrong = w.reshape(-1).view(bits) != f.reshape(-1).view(bits)
        if wrong.any():
            return f"result {k} differs at {int(wrong.sum())} of {wrong.size} elements"
    return ""


def missing(work: Path, environment: dict[str, str]) -> str:
    """What the OpenCL programs need and is not here; empty if nothing is."""
    if shutil.which("gcc") is None:
        return "no gcc"
    (work / "probe.c").write_text(PROBE, encoding="utf-8")
    built = subprocess.run(["gcc", work / "probe.c", "-o", work / "probe", "-lOpenCL"], capture_output=True,
                           text=True, check=False, timeout=120)
    if built.returncode:
        return "no OpenCL headers or no libOpenCL (Debian: ocl-icd-opencl-dev)"
    if subprocess.run([work / "probe"], env=environment, check=False, timeout=120).returncode:
        return "no OpenCL device that is a CPU (Debian: pocl-opencl-icd)"
    return ""


def surroundings(work: Path) -> dict[str, str]:
    """An environment in which PoCL is the only platform, where it is installed, and keeps no files."""
    environment = {**os.environ, "POCL_CACHE_DIR": str(work / "pocl")}
    if POCL.is_file():
        (work / "vendors").mkdir()
        shutil.copy(POCL, work / "vendors")
        environment["OCL_ICD_VENDORS"] = str(work / "vendors")
    return environment


def compile_program(source: Path, work: Path) -> Path:
    program = work / source.stem
    subprocess.run(["gcc", "-O2", source, "-o", program, "-lOpenCL"], check=True, timeout=120)
    return program


def compare_all(opencl: Path, text_of: Callable[[str], Path], python_of: Callable[[str], Path | None],
                chosen: Sequence[Case] | None = None) -> int:
    """Prints a line a comparison; the exit status: 1 if any result differs."""
    status = 0

    def report(case: Case, version: str, wrong: str, right: str = "equal") -> None:
        nonlocal status
        print(f"{case.example:15} {case.title:25} {version:13} {wrong or right}", flush=True)
        status |= int(bool(wrong))
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        environment = surroundings(work)
        reason = missing(work, environment)
        if reason:
            print(f"skipped: {reason}")
            return 0
        for case in cases() if chosen is None else chosen:
            wanted = results(hvisa.load(text_of(case.example)).entry(case.entry), case)
            folder = opencl / case.example
            right = "equal"
            try:
                program = compile_program(folder / f"{case.example}.c", work)
                found = opencl_results(program, case, folder, environment, wanted)
                wrong = difference(wanted, found, case.slack)
                if case.slack is not None and not wrong:
                    same = sum(int((w == f).sum()) for w, f in zip(wanted, found, strict=True))
                    right = f"{same} of {wanted[0].size} equal, all within the bound of two orders of a sum"
            except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                wrong = str(error)
            report(case, "OpenCL", wrong, right)
            file = python_of(case.example)
            if file is not None:
                call = runpy.run_path(str(file)).get(case.entry)
                report(case, "hvisa Python", f"{file.name} has no `{case.entry}`" if call is None
                       else difference(wanted, results(call, case)))
    return status
