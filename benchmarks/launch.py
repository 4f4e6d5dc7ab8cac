"""What a launch costs from Python, by number of arguments, next to a numpy call on the same arrays.

The kernels touch 16 elements, so that what is measured is the way there and back. Rounds of both
calls alternate, so that a busy machine slows both. Run: `python benchmarks/launch.py`.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable

import numpy as np

import hvisa

ROUNDS, CALLS = 300, 300


def leaf(arrays: int) -> str:
    """A leaf with a scalar, `arrays - 1` read arrays and an updated one."""
    ports = "".join(f", in %x{n}: buf<f32>[%n]" for n in range(arrays - 1))
    body = "".join(f"  %v{n} = load %x{n}[%i]\n  %s{n + 1} = add %s{n}, %v{n}\n"
                   for n in range(arrays - 1))
    return (f"leaf @f(%a: f32{ports}, inout %y: buf<f32>[%n]) grid(%i < %n) {{\n"
            f"  %s0 = load %y[%i]\n{body}  %r = mul %a, %s{arrays - 1}\n  store %r, %y[%i]\n}}\n")


OUT = """leaf @f(in %x: buf<f32>[%n], out %y: buf<f32>[%n]) grid(%i < %n) {
  %v = load %x[%i]
  store %v, %y[%i]
}
"""
SCALARS = "leaf @f(%a: f64, %b: f64) -> (%r: f64) {\n  %r = add %a, %b\n  yield %r\n}\n"


def measure(*calls: Callable[[], object]) -> list[list[float]]:
    """Microseconds a call in each round, the calls taking turns."""
    found: list[list[float]] = [[] for _ in calls]
    for call in calls:
        for _ in range(1000):
            call()
    for _ in range(ROUNDS):
        for times, call in zip(found, calls, strict=True):
            started = time.perf_counter_ns()
            for _ in range(CALLS):
                call()
            times.append((time.perf_counter_ns() - started) / CALLS / 1e3)
    return found


def main() -> None:
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, "
          f"numpy {np.__version__}; microseconds: least, median")
    x, y = np.zeros(16, np.float32), np.zeros(16, np.float32)
    for device in ("x86", "multicore"):
        for arrays in (1, 2, 4, 8):
            entry = hvisa.load(leaf(arrays), device=device).entry()
            passed = (0.5, *(x.copy() for _ in range(arrays - 1)), y)
            show(f"{device}: {arrays + 1} arguments", lambda e=entry, p=passed: e(*p), x, y)
        for name, text, passed in (("in -> out", OUT, (x,)), ("2 scalars", SCALARS, (1.0, 2.0))):
            entry = hvisa.load(text, device=device).entry()
            show(f"{device}: {name}", lambda e=entry, p=passed: e(*p), x, y)
    entry = hvisa.load(leaf(2), device="x86").entry()
    show("general path, 3 arguments", lambda: entry(0.5, x, y, timeout=10.0), x, y)


def show(name: str, call: Callable[[], object], x: np.ndarray, y: np.ndarray) -> None:
    ours, numpys = measure(call, lambda: np.add(x, y, y))
    print(f"{name:<28} {min(ours):6.2f} {statistics.median(ours):6.2f}   "
          f"np.add(x, y, y) {min(numpys):6.2f} {statistics.median(numpys):6.2f}")


if __name__ == "__main__":
    main()
