"""Throughput of the mathematics beside numpy, torch and libmvec, where they are: million elements a second.

    python benchmarks/mathematics.py [NAME ...] [--size N]

One thread, device x86, arrays of 100,000 elements (so that a call counts little) or of `--size`,
interleaved rounds, medians. libmvec is what gcc -O3 -ffast-math -march=native makes of a loop; its
bounds are 4 ULP. `ratio` is libmvec's speed over hvisa's.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for _name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(_name, None)

import numpy as np  # noqa: E402

import hvisa  # noqa: E402

_ONE = "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh cbrt erf"
ONE = _ONE.split()
RANGES = {"exp": (-20, 20), "exp2": (-20, 20), "expm1": (-20, 20), "asin": (-1, 1), "acos": (-1, 1),
          "log": (0.01, 100), "log2": (0.01, 100), "log10": (0.01, 100), "log1p": (0.01, 100),
          "tanh": (-5, 5), "pow": (0.01, 10)}
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "pow": "power"}
ROUNDS, SECONDS = 9, 0.004
Call = Callable[[], Any]


def own(name: str, type_: str, columns: list[np.ndarray], out: np.ndarray) -> Call:
    """hvisa's function in a leaf of its own."""
    ports = ", ".join(f"in %x{n}: buf<{type_}>[%n]" for n in range(len(columns)))
    loads = "\n".join(f"  %a{n} = load %x{n}[%i]" for n in range(len(columns)))
    given = ", ".join(f"%p{n}: {type_}" for n in range(len(columns)))
    text = f"""math 1
import "math" private func @{name}.{type_}({given}) -> ({type_})
leaf @f({ports}, inout %y: buf<{type_}>[%n]) grid(%i < %n) {{
{loads}
  %r = call @{name}.{type_}({', '.join(f'%a{n}' for n in range(len(columns)))})
  store %r, %y[%i]
}}
"""
    entry = hvisa.load(text, device="x86").entry("f")
    return lambda: entry(*columns, out)


def libmvec(names: list[str], folder: Path) -> ctypes.CDLL | None:
    """Loops over glibc's functions, vectorised by gcc; None without gcc."""
    if shutil.which("gcc") is None:
        return None
    lines = ["#include <math.h>"]
    for name in names:
        for type_, suffix in (("float", "f"), ("double", "")):
            second = f", const {type_}* restrict w" if name == "pow" else ""
            call = f"{name}{suffix}(x[i]{', w[i]' if second else ''})"
            lines.append(f"void {name}_{type_}(const {type_}* restrict x{second}, {type_}* restrict y, "
                         f"long n) {{ for (long i = 0; i < n; i++) y[i] = {call}; }}")
    source, target = folder / "loops.c", folder / "loops.so"
    source.write_text("\n".join(lines) + "\n")
    done = subprocess.run(["gcc", "-O3", "-ffast-math", "-march=native", "-shared", "-fPIC", str(source),
                           "-o", str(target), "-lm"], capture_output=True, check=False)
    return ctypes.CDLL(str(target)) if done.returncode == 0 else None


def glibc(library: ctypes.CDLL, name: str, columns: list[np.ndarray], out: np.ndarray) -> Call:
    function = getattr(library, f"{name}_{'float' if out.dtype == np.float32 else 'double'}")
    arguments = [ctypes.c_void_p(a.ctypes.data) for a in (*columns, out)] + [ctypes.c_long(len(out))]
    return lambda: function(*arguments)


def torch_call(name: str, columns: list[np.ndarray], out: np.ndarray) -> Call | None:
    """torch's function in one thread; None without torch, or where it has none."""
    try:
        import torch  # type: ignore[import-not-found]
    except ImportError:
        return None
    torch.set_num_threads(1)
    function = getattr(torch, name, None)
    tensors, result = [torch.from_numpy(a) for a in columns], torch.from_numpy(out)
    return function and (lambda: function(*tensors, out=result))


def speeds(calls: dict[str, Call], count: int) -> dict[str, float]:
    """Million elements a second, rounds interleaved."""
    times: dict[str, list[float]] = {n: [] for n in calls}
    repeats: dict[str, int] = {}
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        repeats[name] = max(1, int(SECONDS / max(time.perf_counter() - start, 1e-7)))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeats[name]):
                call()
            times[name].append((time.perf_counter() - start) / repeats[name])
    return {n: count / statistics.median(t) / 1e6 for n, t in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--size", type=int, default=100_000)
    options = parser.parse_args()
    hvisa.show_config()
    names = options.names or [*ONE, "pow"]
    with tempfile.TemporaryDirectory() as folder:
        library = libmvec(names, Path(folder))
        print(f"\n{options.size} elements   {'hvisa':>9} {'numpy':>9} {'torch':>9} {'libmvec':>9}  ratio")
        for name in names:
            for type_, dtype in (("f32", np.float32), ("f64", np.float64)):
                rng = np.random.default_rng(1)
                columns = [rng.uniform(*RANGES.get(name, (-10, 10)), options.size).astype(dtype)
                           for _ in range(2 if name == "pow" else 1)]
                out = np.empty(options.size, dtype)
                calls: dict[str, Call] = {"hvisa": own(name, type_, columns, out)}
                function = getattr(np, NUMPY.get(name, name), None)
                if function is not None:
                    calls["numpy"] = lambda f=function, c=columns, o=out: f(*c, out=o)
                found_torch = torch_call(name, columns, out)
                if found_torch is not None:
                    calls["torch"] = found_torch
                if library is not None:
                    calls["libmvec"] = glibc(library, name, columns, out)
                found = speeds(calls, options.size)
                shown = " ".join(f"{found[c]:9.0f}" if c in found else f"{'-':>9}"
                                 for c in ("hvisa", "numpy", "torch", "libmvec"))
                ratio = f"{found['libmvec'] / found['hvisa']:6.2f}" if "libmvec" in found else ""
                print(f"{name:8} {type_}  {shown} {ratio}", flush=True)


if __name__ == "__main__":
    main()
