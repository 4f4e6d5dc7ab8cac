"""The mathematics of other libraries: what a program would call instead, measured beside hvisa's.

`glibc` are its scalar functions, called from C without -ffast-math; `libmvec` its vector functions, which
gcc calls in loops with -O3 -ffast-math. numpy and torch are called on arrays, torch if it is installed.
Only functions with the meaning of hvisa's count: `powi` of numpy gives f64, `remainder` of numpy and of
torch rounds the quotient down. CUDA's are not run: `CUDA` is what its manual documents.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import platform
import re
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np

from hvisa.library.catalogue import CATALOGUE, Entry
from tools.ulp import C_TYPES, DTYPES, EXPRESSIONS, shared_library

Function = Callable[..., Any]
PEERS = ("glibc", "libmvec", "numpy", "torch")
# "CUDA C++ Programming Guide", last edition (CUDA 13.0), section 17.1, tables 17 and 18: f32 and f64.
CUDA = {
    "exp": "2 1", "exp2": "2 1", "exp10": "2 1", "expm1": "1 1", "sinh": "3 2", "cosh": "2 1",
    "tanh": "2 1", "log": "1 1", "log2": "1 1", "log10": "2 1", "log1p": "1 1", "pow": "4 2",
    "rsqrt": "2 1", "cbrt": "1 1", "hypot": "3 2", "asinh": "3 3", "acosh": "4 3", "atanh": "3 2",
    "sin": "2 2", "cos": "2 2", "sincos": "2 2", "tan": "4 2", "atan": "2 2", "atan2": "3 2",
    "asin": "2 2", "acos": "2 2", "erf": "2 2", "erfc": "4 5", "tgamma": "5 10", "lgamma": "6^ 4^",
    "round_half_even": "0 0", "ldexp": "0 0", "frexp": "0 0", "modf": "0 0", "fmod": "0 0",
    "remainder": "0 0"}

_VECTOR_FLAGS = ("-O3", "-ffast-math", "-march=native")
_GLIBC_LACKS = ("rsqrt", "powi")
_GLIBC = {"copysign": "copysign{s}(x, y)", "sincos": "(sincos{s}(x, &w, &v), w)"}
_NUMPY = ("copysign", "hypot", "ldexp", "frexp", "modf", "nextafter", "fmod")
_NUMPY_LACKS = ("powi", "sincos")
_TORCH = {"round_half_even": "round"}
_TORCH_LACKS = ("remainder",)
_LOOP = """
void {name}_{t}(const {t}* restrict xs, const {second}* restrict ys, {t}* restrict out, long n) {{
  for (long i = 0; i < n; i++) {{
    {t} x = xs[i], w, v;
    int e;
    {y}
    out[i] = {call};
    (void)w, (void)v, (void)e;
  }}
}}
"""


def function_of(peer: str, name: str, type_: str) -> Function | None:
    """A function of arrays, of which the first result is given; None where the library lacks it or is not
    there."""
    find = {"glibc": _glibc, "libmvec": _libmvec, "numpy": _numpy, "torch": _torch}[peer]
    function = find(CATALOGUE[name], type_)

    def run(*arguments: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            found = function(*arguments)
        return np.asarray(found[0] if isinstance(found, tuple) else found)
    return function and run


def documented(name: str, type_: str) -> str:
    """CUDA's bound."""
    return CUDA.get(name, "- -").split()[list(DTYPES).index(type_)]


def versions() -> str:
    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout
    torch = "not installed" if importlib.util.find_spec("torch") is None else _torch_module().__version__
    return (f"glibc {platform.libc_ver()[1]} with libmvec, gcc {gcc.strip()}, numpy {np.__version__}, "
            f"torch {torch}")


def _loops() -> str:
    lines = []
    for entry in (e for e in CATALOGUE.values() if e.name not in _GLIBC_LACKS):
        default = f"{entry.name}{{s}}({'x, y' if entry.arguments == 2 else 'x'})"
        for type_, (narrow, s, _, _) in C_TYPES.items():
            call = _GLIBC.get(entry.name) or EXPRESSIONS.get(entry.name, (default,))[0]
            second = "int" if entry.integer else narrow
            lines.append(_LOOP.format(
                name=entry.name, t=C_TYPES[type_][0], second=second, call=call.format(s=s, n=s),
                y=f"{second} y = ys[i];" if entry.arguments == 2 else ""))
    return "".join(lines)


@functools.cache
def _c_library(*flags: str) -> ctypes.CDLL:
    library = shared_library(_loops(), *flags)
    if library is None:
        raise SystemExit("gcc was not found: it calls glibc's functions; install it")
    return library


def _c_function(library: ctypes.CDLL, entry: Entry, type_: str) -> Function:
    function = getattr(library, f"{entry.name}_{C_TYPES[type_][0]}")

    def run(*arguments: np.ndarray) -> np.ndarray:
        out = np.empty(len(arguments[0]), DTYPES[type_])
        kept = [np.ascontiguousarray(a) for a in (arguments[0], arguments[-1], out)]
        function(*(ctypes.c_void_p(a.ctypes.data) for a in kept), ctypes.c_long(len(out)))
        return kept[-1]
    return run


def _glibc(entry: Entry, type_: str) -> Function | None:
    return None if entry.name in _GLIBC_LACKS else _c_function(_c_library(), entry, type_)


@functools.cache
def _vectorised() -> set[str]:
    """The functions that gcc calls in glibc's vector library, by their names in C."""
    text = "#define _GNU_SOURCE\n#include <math.h>\n" + _loops()
    made = subprocess.run(["gcc", *_VECTOR_FLAGS, "-x", "c", "-S", "-", "-o", "-"], input=text,
                          capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b_ZGV[a-zA-Z0-9]+_(\w+)", made))


def _libmvec(entry: Entry, type_: str) -> Function | None:
    if entry.name + C_TYPES[type_][1] not in _vectorised():
        return None
    return _c_function(_c_library(*_VECTOR_FLAGS), entry, type_)


def _numpy(entry: Entry, type_: str) -> Function | None:
    if entry.name in _NUMPY_LACKS:
        return None
    return getattr(np, entry.name) if entry.name in _NUMPY else entry.numpy


@functools.cache
def _torch_module() -> Any:
    import torch  # type: ignore[import-not-found]
    torch.set_num_threads(1)
    return torch


def _torch(entry: Entry, type_: str) -> Function | None:
    if importlib.util.find_spec("torch") is None or entry.name in _TORCH_LACKS:
        return None
    torch = _torch_module()
    function = getattr(torch, _TORCH.get(entry.name, entry.name), None)
    return function and (lambda *arguments: function(*map(torch.from_numpy, arguments)))
