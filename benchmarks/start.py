"""What a new process costs: import, a program that ran before, one that did not, the command line.

Wall and CPU time of whole processes, least and median of several. Run: `python benchmarks/start.py`.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
SAXPY = Path(__file__).resolve().parents[1] / "examples" / "saxpy" / "saxpy.hvasm"
CALL = f"""
import hvisa
entry = hvisa.load({str(SAXPY)!r}).entry()
import numpy as np
entry(2.0, np.ones(1000, np.float32), np.ones(1000, np.float32))
"""
RUN = ["-m", "hvisa", "run", str(SAXPY), "-i", "a=2", "-i", "x=[1,2,3]", "-i", "y=ones(3)"]


def measure(words: list[str], cache: str, cold: bool) -> tuple[list[float], list[float]]:
    """Milliseconds of wall and CPU time in each round."""
    wall: list[float] = []
    cpu: list[float] = []
    for _ in range(ROUNDS):
        if cold:
            shutil.rmtree(cache, ignore_errors=True)
        started = time.perf_counter()
        process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL,
                                   env={**os.environ, "HVISA_CACHE_DIR": cache})
        _, status, usage = os.wait4(process.pid, 0)
        wall.append((time.perf_counter() - started) * 1e3)
        cpu.append((usage.ru_utime + usage.ru_stime) * 1e3)
        assert status == 0
    return wall, cpu


def main() -> None:
    print("milliseconds: wall least, median; CPU least, median")
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "cache")
        for name, words, cold in (
                ("python", ["-c", "pass"], False), ("import hvisa", ["-c", "import hvisa"], False),
                ("import numpy", ["-c", "import numpy"], False),
                ("load and call, cold", ["-c", CALL], True),
                ("load and call, warm", ["-c", CALL], False),
                ("hvisa run, cold", RUN, True), ("hvisa run, warm", RUN, False),
                ("hvisa --help", ["-m", "hvisa", "--help"], False)):
            if not cold:
                measure_once = subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL,
                                              env={**os.environ, "HVISA_CACHE_DIR": cache}, check=True)
                assert measure_once.returncode == 0
            wall, cpu = measure(words, cache, cold)
            print(f"{name:<22} {min(wall):7.1f} {statistics.median(wall):7.1f}   "
                  f"{min(cpu):7.1f} {statistics.median(cpu):7.1f}")


if __name__ == "__main__":
    main()
