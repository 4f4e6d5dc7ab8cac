"""Throughput of the mathematics beside numpy, torch and libmvec, where they are: million elements a second.

    python benchmarks/mathematics.py [NAME ...] [--size N] [--type f32|f64]

One thread, device x86. `fast` is the function that the flag `approximate` chooses, if there is one. Arrays
have 4,096 elements or `--size`, so that they stay in the innermost caches; one launch goes over them so
often that it takes about a millisecond, since a launch costs microseconds. Rounds are interleaved, and the
best one counts: other processes only ever add to a time (J. Chen, J. Revels, "Robust benchmarking in noisy
environments", arXiv:1608.04295, section 5). libmvec is what gcc -O3 -ffast-math -march=native makes of a
loop; its bounds are 4 ULP. The ratios are times over libmvec's, of `hvisa` and of `fast`.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

for _name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(_name, None)

import numpy as np  # noqa: E402

import hvisa  # noqa: E402
from hvisa.frontends.python.names import MATHEMATICS  # noqa: E402
from hvisa.library.catalogue import CATALOGUE  # noqa: E402

_ALL = ("exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh "
        "atanh cbrt rsqrt erf erfc pow atan2 hypot lgamma tgamma sincos")
RANGES = {"exp": (-20, 20), "exp2": (-20, 20), "exp10": (-20, 20), "expm1": (-20, 20), "asin": (-1, 1),
          "acos": (-1, 1), "atanh": (-1, 1), "acosh": (1, 100), "log": (0.01, 100), "log2": (0.01, 100),
          "log10": (0.01, 100), "log1p": (0.01, 100), "rsqrt": (0.01, 100), "tanh": (-5, 5),
          "erf": (-4, 4), "erfc": (-4, 4), "pow": (0.01, 10), "lgamma": (0.5, 30), "tgamma": (0.5, 30)}
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
         "atanh": "arctanh", "pow": "power", "atan2": "arctan2"}
ROUNDS, SECONDS = 15, 0.001
Call = Callable[[int], object]  # computes the arrays that often


def own(name: str, type_: str, columns: list[np.ndarray], out: np.ndarray, fast: bool = False) -> Call:
    """hvisa's function in a leaf of its own. Every round of the grid's first axis writes the same."""
    callee = f"{name}.{type_}" + (".fast" if fast else "")
    ports = ", ".join(f"in %x{n}: buf<{type_}>[%n]" for n in range(len(columns)))
    loads = "\n".join(f"  %a{n} = load %x{n}[%i]" for n in range(len(columns)))
    given = ", ".join(f"%p{n}: {type_}" for n in range(len(columns)))
    count = len(MATHEMATICS[name].results)
    results = [f"%r{n}" for n in range(count)]
    kept = "  %sum = add %r0, %r1" if count > 1 else ""
    text = f"""math 1
import "math" private func @{callee}({given}) -> ({', '.join([type_] * count)}) {"inexact" if fast else ""}
leaf @f(%rounds: index, {ports}, inout shared %y: buf<{type_}>[%n]) grid(%r < %rounds, %i < %n)
    nondeterministic {{
{loads}
  {', '.join(results)} = call @{callee}({', '.join(f'%a{n}' for n in range(len(columns)))})
{kept}
  store {'%sum' if kept else '%r0'}, %y[%i]
}}
"""
    entry = hvisa.load(text, device="x86").entry("f")
    return lambda rounds: entry(rounds, *columns, out)


def numpys(function: Callable[..., object], columns: list[np.ndarray], out: np.ndarray) -> Call:
    def call(rounds: int) -> None:
        for _ in range(rounds):
            function(*columns, out=out)
    return call


def torchs(name: str, columns: list[np.ndarray], out: np.ndarray) -> Call | None:
    """torch's function in one thread; None without torch, or where it has none of that name."""
    try:
        import torch  # type: ignore[import-not-found]
    except ImportError:
        return None
    torch.set_num_threads(1)
    function = getattr(torch, name, None)
    tensors, result = [torch.from_numpy(a) for a in columns], torch.from_numpy(out)

    def call(rounds: int) -> None:
        for _ in range(rounds):
            function(*tensors, out=result)
    return function and call


def libmvec(names: list[str], folder: Path) -> ctypes.CDLL | None:
    """Loops over glibc's functions, vectorised by gcc; None without gcc."""
    if shutil.which("gcc") is None:
        return None
    lines = ["#define _GNU_SOURCE", "#include <math.h>"]
    for name in names:
        if name == "sincos":  # has no result that a loop could store
            continue
        for type_, suffix in (("float", "f"), ("double", "")):
            second = f", const {type_}* restrict w" if CATALOGUE[name].arguments > 1 else ""
            call = f"{name}{suffix}(x[i]{', w[i]' if second else ''})"
            if name == "rsqrt":
                call = f"1 / sqrt{suffix}(x[i])"
            lines.append(f"void {name}_{type_}(const {type_}* restrict x{second}, {type_}* restrict y, "
                         f"long n, long rounds) {{ for (long r = 0; r < rounds; r++) {{ "
                         f"for (long i = 0; i < n; i++) y[i] = {call}; "
                         "__asm__ volatile(\"\" : : \"r\"(x), \"r\"(y) : \"memory\"); } }")
    source, code, target = (str(folder / n) for n in ("loops.c", "loops.o", "loops.so"))
    Path(source).write_text("\n".join(lines) + "\n")
    # Linked without -ffast-math, which would make the whole process flush subnormals.
    for command in (["-O3", "-ffast-math", "-march=native", "-fPIC", "-c", source, "-o", code],
                    ["-shared", code, "-o", target, "-lmvec", "-lm"]):
        if subprocess.run(["gcc", *command], capture_output=True, check=False).returncode:
            return None
    return ctypes.CDLL(target)


def glibc(library: ctypes.CDLL, name: str, columns: list[np.ndarray], out: np.ndarray) -> Call:
    function = getattr(library, f"{name}_{'float' if out.dtype == np.float32 else 'double'}")
    arguments = [ctypes.c_void_p(a.ctypes.data) for a in (*columns, out)] + [ctypes.c_long(len(out))]
    return lambda rounds: function(*arguments, ctypes.c_long(rounds))


def seconds(call: Call, repeats: int) -> float:
    """The time of one round."""
    start = time.perf_counter()
    call(repeats)
    return (time.perf_counter() - start) / repeats


def speeds(calls: dict[str, Call], count: int) -> dict[str, float]:
    """Million elements a second; the best of interleaved rounds."""
    # The first launches translate.
    tried = {n: min(seconds(call, 16) for _ in range(5)) for n, call in calls.items()}
    repeats = {n: max(1, int(SECONDS / t)) for n, t in tried.items()}
    best = tried
    for _ in range(ROUNDS):
        for name, call in calls.items():
            best[name] = min(best[name], seconds(call, repeats[name]))
    return {n: count / t / 1e6 for n, t in best.items()}


def candidates(name: str, type_: str, size: int, library: ctypes.CDLL | None) -> dict[str, Call]:
    """What is compared, on the same arrays."""
    dtype = np.float32 if type_ == "f32" else np.float64
    rng = np.random.default_rng(1)
    columns = [rng.uniform(*RANGES.get(name, (-10, 10)), size).astype(dtype)
               for _ in range(CATALOGUE[name].arguments)]
    out = np.empty(size, dtype)
    calls = {"hvisa": own(name, type_, columns, out)}
    if CATALOGUE[name].fast_bound(type_) is not None:
        calls["fast"] = own(name, type_, columns, out, fast=True)
    function = getattr(np, NUMPY.get(name, name), None)
    if function is not None:
        calls["numpy"] = numpys(function, columns, out)
    of_torch = torchs(name, columns, out)
    if of_torch is not None:
        calls["torch"] = of_torch
    if library is not None and name != "sincos":
        calls["libmvec"] = glibc(library, name, columns, out)
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--size", type=int, default=4_096)
    parser.add_argument("--type", choices=("f32", "f64"))
    options = parser.parse_args()
    hvisa.show_config()
    names = options.names or _ALL.split()
    columns = ("hvisa", "fast", "numpy", "torch", "libmvec")
    with tempfile.TemporaryDirectory() as folder:
        library = libmvec(names, Path(folder))
        print(f"\n{options.size} elements  {' '.join(f'{c:>9}' for c in columns)}  hvisa/  fast/")
        for name in names:
            for type_ in [options.type] if options.type else ["f32", "f64"]:
                found = speeds(candidates(name, type_, options.size, library), options.size)
                shown = " ".join(f"{found[c]:9.0f}" if c in found else f"{'-':>9}" for c in columns)
                ratios = " ".join(f"{found['libmvec'] / found[c]:6.2f}" for c in ("hvisa", "fast")
                                  if c in found and "libmvec" in found)
                print(f"{name:8} {type_}    {shown}  {ratios}", flush=True)


if __name__ == "__main__":
    main()
