"""Encoding and decoding speed on a leaf of 10,000 mixed instructions.

`python benchmarks/bytecode_speed.py` prints instructions per second, the best of several runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from hvisa.assembler.decoder import decode
from hvisa.assembler.encoder import encode
from hvisa.assembler.parser import parse
from hvisa.graph.inference import complete
from hvisa.graph.model import Module

BLOCK = """
  %a{n} = load.zero %x[%i - 1, {k}]
  %b{n} = fma %a{n}, %s, 0.5
  %c{n} = mul %b{n}, %a{n}
  %d{n} = lt %c{n}, {n}.0
  %e{n} = select %d{n}, %b{n}, %c{n}
  %f{n} = convert i32 %e{n}
  %g{n} = add %f{n}, {n}
  %h{n} = and %g{n}, 255
  %j{n} = convert index %h{n}
  store.skip %e{n}, %y[%j{n}]
"""


def make_text(instructions: int) -> str:
    """A leaf of so many instructions: arithmetic, comparisons, conversions, one access in five."""
    blocks = "".join(BLOCK.format(n=n, k=n % 7) for n in range(instructions // 10))
    return ("leaf @mixed(in %x: buf<f32>[%m, %n], %s: f32, out shared %y: buf<f32>[%n]) "
            f"grid(%i < %m) nondeterministic {{{blocks}}}\n")


def best_s(action: Callable[[], object], runs: int = 7) -> float:
    """The shortest of several runs, in seconds."""
    times: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(instructions: int = 10_000) -> dict[str, float]:
    """Instructions per second of each step."""
    module = parse(make_text(instructions))
    data, bare = encode(module), encode(module, strip_names=True)

    def infer() -> None:
        complete(module)

    steps: dict[str, Callable[[], bytes | Module | None]] = {
        "encode": lambda: encode(module),
        "encode, no names": lambda: encode(module, strip_names=True),
        "decode": lambda: decode(data),
        "decode, no names": lambda: decode(bare),
        "inference alone": infer}
    print(f"{len(data)} bytes, {len(bare)} without names")
    return {name: instructions / best_s(step) for name, step in steps.items()}


if __name__ == "__main__":
    for name, speed in measure().items():
        print(f"{name:20} {speed:12,.0f} instructions/s")
