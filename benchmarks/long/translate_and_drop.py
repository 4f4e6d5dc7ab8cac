"""How a process grows that translates, runs and drops 10,000 programs: less than 20 MB.

Each program is another one, so nothing comes from the cache, which is switched off. Takes some 20
minutes. Run: `python benchmarks/long/translate_and_drop.py [count]`.
"""

from __future__ import annotations

import os
import resource
import sys
import time

os.environ["HVISA_CACHE"] = "off"
LIMIT_BYTES = 20 << 20
TEXT = """leaf @f(inout %y: buf<i32>[%n]) grid(%i < %n) {{
  %v = load %y[%i]
  %w = add %v, {number}
  store %w, %y[%i]
}}
"""


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main(count: int) -> int:
    import numpy as np

    import hvisa

    def once(number: int) -> None:
        entry = hvisa.load(TEXT.format(number=number), device="x86").entry()
        for _ in range(3):
            assert entry(np.zeros(3, np.int32))[0] == number
    # LLVM runs in this process for the first programs, and in children after those.
    warm = min(100, count // 2)
    for number in range(warm):
        once(number)
    start, started = resident_bytes(), time.monotonic()
    for number in range(warm, count):
        once(number)
        if number % max(1, count // 20) == 0:
            print(f"{number:6} programs, {(resident_bytes() - start) / 1e6:+.1f} MB, "
                  f"{time.monotonic() - started:.0f} s", flush=True)
    grown = resident_bytes() - start
    print(f"{count - warm} programs: the process grew by {grown / 1e6:.1f} MB")
    return 0 if grown < LIMIT_BYTES else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
