"""How many threads make sense: cores this process may use, less what its CPU quota forbids."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hvisa.diagnostics import fail

MOST_THREADS = 1024


def usable_threads(root: Path = Path("/")) -> int:
    """HVISA_THREADS if set, else the smaller of `affinity_cores` and the quota rounded up."""
    chosen = os.environ.get("HVISA_THREADS", "").strip()
    if chosen:
        if not (chosen.isascii() and chosen.isdigit() and 1 <= int(chosen) <= MOST_THREADS):
            raise fail("HV1109", f"HVISA_THREADS is `{chosen}`, which is no number of threads",
                       help=f"set it to a number from 1 to {MOST_THREADS}, or not at all")
        return int(chosen)
    quota = quota_cores(root)
    cores = affinity_cores()
    return max(1, cores if quota is None else min(cores, -int(-quota // 1)))


def affinity_cores() -> int:
    """The cores that the system lets this process run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def quota_cores(root: Path = Path("/")) -> float | None:
    """The CPU time per time that control groups (v1, v2, or both) grant; None without a limit.

    A limit set on any group above ours counts. `root` is where /proc and /sys are looked for.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    mounted = root / "sys/fs/cgroup"
    found: list[float] = []
    for line in lines:
        _, controllers, path = line.split(":", 2) if line.count(":") >= 2 else ("", "?", "")
        if not controllers:
            for folder in (mounted, mounted / "unified"):
                found += filter(None, map(_quota_v2, _upwards(folder, path)))
        elif "cpu" in controllers.split(","):
            for folder in (mounted / controllers, mounted / "cpu"):
                found += filter(None, map(_quota_v1, _upwards(folder, path)))
    return min(found, default=None)


def _upwards(mounted: Path, path: str) -> Iterator[Path]:
    """The folder of a group and those above it. In a container the path may be the host's and not
    exist here; then the mounted root is our group."""
    parts = [part for part in path.split("/") if part not in ("", "..")]
    for length in range(len(parts), -1, -1):
        yield mounted.joinpath(*parts[:length])


def _quota_v2(folder: Path) -> float | None:
    return _ratio(_words(folder / "cpu.max"))


def _quota_v1(folder: Path) -> float | None:
    return _ratio(_words(folder / "cpu.cfs_quota_us") + _words(folder / "cpu.cfs_period_us"))


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []


def _ratio(words: list[str]) -> float | None:
    """quota / period; "max" and -1 stand for no limit."""
    if len(words) != 2 or not all(word.isdigit() for word in words) or int(words[1]) == 0:
        return None
    return int(words[0]) / int(words[1])
