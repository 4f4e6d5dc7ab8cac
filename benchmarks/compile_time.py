"""What compiling a Python function costs: front end, verification, both; translation is not in it.

Each kernel has about 50 lines of loops, branches and calls. A round compiles each from its source
to a verified module in this process, where everything is imported and the file is parsed, as for the
second and later functions of a file; the first one pays for both, which is printed too. Run:
`python benchmarks/compile_time.py [--profile]`.
"""

from __future__ import annotations

import cProfile
import pstats
import statistics
import subprocess
import sys
import time

import hvisa
from hvisa import In, InOut, Out, f32, i32, index
from hvisa.decorated import Compiled
from hvisa.frontends.python.compiler import build_module
from hvisa.graph.verifier import verify

ROUNDS = 40
GOAL_MS = 20.0
n, m = hvisa.dims("n m")


@hvisa.func
def clamped(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


@hvisa.func
def smooth(t: f32) -> f32:
    u = clamped(t, f32(0), f32(1))
    return u * u * (3 - 2 * u)


@hvisa.leaf
def statistics_of_rows(x: In[f32, n, m], w: In[f32, m], low: f32, high: f32, mean: Out[f32, n],
                       spread: Out[f32, n], best: Out[i32, n], changes: Out[i32, n]):
    i = hvisa.grid(n)
    total, weights = 0.0, 0.0
    for k in range(m):
        v = x[i, k]
        if v < low or v > high:
            continue
        total += v * w[k]
        weights += w[k]
    centre = f32(0)
    if weights > 0:
        centre = f32(total / weights)
    squares = 0.0
    count, last, where = 0, f32(0), -1
    largest = f32(-1)
    for k in range(m):
        v = clamped(x[i, k], low, high)
        d = v - centre
        squares += d * d * w[k]
        if k > 0 and v * last < 0:
            count += 1
        if abs(d) > largest:
            largest = abs(d)
            where = k
        last = v
    s = f32(squares)
    if weights > 1:
        s = f32(squares / (weights - 1))
    root = hvisa.sqrt(s)
    guess = s * 0.5 + 0.5
    rounds = 0
    while rounds < 8:
        step = (guess - s / guess) * 0.5
        guess -= step
        rounds += 1
        if abs(step) < 1e-6:
            break
    mean[i] = centre
    spread[i] = root if abs(root - guess) < 1e-3 else guess
    best[i] = where
    changes[i] = count


@hvisa.leaf
def march(field: In[f32, n, m], steps: i32, shade: Out[f32, n, m], depth: Out[i32, n, m]):
    i, j = hvisa.grid(n, m)
    x, y = f32(i), f32(j)
    dx, dy = f32(0.5), f32(0.25)
    light, travelled = f32(0), f32(0)
    hit = -1
    for k in range(steps):
        r, c = index(x), index(y)
        if r < 0 or c < 0 or r >= n or c >= m:
            break
        here = field.clamp[r, c]
        right = field.clamp[r, c + 1]
        below = field.clamp[r + 1, c]
        fx, fy = x - f32(r), y - f32(c)
        value = here + (right - here) * fy + (below - here) * fx
        slope = hvisa.sqrt((right - here) * (right - here) + (below - here) * (below - here) + 1)
        if value > travelled and hit < 0:
            hit = k
            light = smooth(1 / slope)
        elif value > 0.5:
            light += smooth(value) * 0.125
        else:
            light = light * 0.5
        if slope > 4:
            dx, dy = -dx, -dy
        elif slope > 2:
            dx, dy = dy, dx
        travelled += 0.125
        x += dx
        y += dy
    total = f32(0)
    for a in hvisa.static_range(-1, 2):
        for b in hvisa.static_range(-1, 2):
            near = field.zero[i + a, j + b]
            if near > total:
                total = near
    if hit < 0:
        light = total * 0.5
    elif hit > 4:
        light = clamped(light, f32(0), total)
    shade[i, j] = light
    depth[i, j] = hit


@hvisa.leaf
def sorted_rows(x: In[i32, n, 16], keys: In[i32, 16], low: i32, y: InOut[i32, n, 16],
                places: Out[i32, n, 16], found: Out[i32, n]):
    r = hvisa.grid(n)
    t, at = hvisa.local(i32, 16), hvisa.local(i32, 16)
    for k in range(16):
        t[k] = x[r, k] ^ keys[k]
        at[k] = k
    width = 1
    while width < 16:
        for a in range(16):
            other = a ^ width
            if other > a:
                up = (a & (2 * width)) == 0
                p, q = t[a], t[other]
                if (p > q) == up:
                    t[a], t[other] = q, p
                    u, v = at[a], at[other]
                    at[a], at[other] = v, u
        width *= 2
    for a in range(1, 16):
        v, w = t[a], at[a]
        b = a - 1
        while b >= 0 and t[b] > v:
            t[b + 1] = t[b]
            at[b + 1] = at[b]
            b -= 1
        t[b + 1] = v
        at[b + 1] = w
    first, last = 0, 16
    while first < last:
        middle = (first + last) // 2
        if t[middle] < low:
            first = middle + 1
        else:
            last = middle
    bits = 0
    for k in range(16):
        if t[k] % 3 == 0:
            bits |= 1 << k
        y[r, k] = y[r, k] + t[k]
        places[r, k] = at[k]
    if first < 16 and t[first] == low:
        found[r] = first + hvisa.popcount(i32(bits))
    else:
        found[r] = -1


KERNELS: list[Compiled] = [statistics_of_rows, march, sorted_rows]
FIRST = f"""
import time
started = time.perf_counter()
import numpy, hvisa.decorated, hvisa.frontends.python.compiler, hvisa.graph.verifier
sources = time.perf_counter()
import runpy
kernel = runpy.run_path({__file__!r})["march"]
begun = time.perf_counter()
kernel.module
print((sources - started) * 1e3, (time.perf_counter() - begun) * 1e3)
"""


def once(kernel: Compiled) -> tuple[float, float]:
    """Milliseconds of the front end and of the verifier."""
    started = time.perf_counter()
    module = build_module([kernel], kernel.__name__)
    built = time.perf_counter()
    verify(module)
    return (built - started) * 1e3, (time.perf_counter() - built) * 1e3


def main() -> None:
    hvisa.show_config()
    if "--profile" in sys.argv[1:]:
        profile = cProfile.Profile()
        for kernel in KERNELS:
            once(kernel)
        profile.enable()
        for kernel in KERNELS * ROUNDS:
            once(kernel)
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)
        return
    found: dict[str, list[tuple[float, float]]] = {k.__name__: [] for k in KERNELS}
    for _ in range(ROUNDS):
        for kernel in KERNELS:
            found[kernel.__name__].append(once(kernel))
    print("\nmilliseconds, median (least)   lines instructions   front end     verifier      both")
    for kernel in KERNELS:
        times = found[kernel.__name__]
        shown = [_shown([f(t) for t in times]) for f in (lambda t: t[0], lambda t: t[1], sum)]
        print(f"{kernel.__name__:30} {_lines(kernel):5} {_instructions(kernel):12}   {'  '.join(shown)}")
    worst = max(statistics.median(map(sum, found[k.__name__])) / _lines(k) * 50 for k in KERNELS)
    print(f"50 lines, the dearest kernel: {worst:.1f} ms; goal {GOAL_MS:.0f} ms, "
          f"{'met' if worst <= GOAL_MS else 'not met'}")
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    imports, first = map(float, done.stdout.split())
    print(f"first function of a new process: {first:.1f} ms, after {imports:.0f} ms of imports")


def _lines(kernel: Compiled) -> int:
    _, node = kernel.source
    return (node.end_lineno or 0) - node.lineno + 1


def _shown(times: list[float]) -> str:
    return f"{statistics.median(times):5.2f} ({min(times):5.2f})"


def _instructions(kernel: Compiled) -> int:
    def count(region: object) -> int:
        return sum(1 + sum(map(count, i.regions)) for i in region.body)  # type: ignore[attr-defined]
    return sum(count(d.body) for d in kernel.module.definitions.values() if d.body is not None)


if __name__ == "__main__":
    main()
