"""The team: who runs the instances of a leaf on all cores.

Translated code calls `GOMP_parallel` of an OpenMP runtime. One that the process already has is
used (two in one process may deadlock), else the system's libgomp, else an installed libiomp5, else a
small team of our own. The runtime is opened on first use.

libgomp hangs in a forked process whose parent used it. There our own team takes over; libiomp5 is made
for forks.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import NamedTuple

from hvisa.runtime.cores import usable_threads

# Short regions come in quick succession: a thread that still spins joins in 1 us, one that sleeps
# in 25 us, and one that spins for ever takes the core from everybody else. On a 2.6 GHz Zen 4 this
# count is 0.5 to 1 ms, which is also what a region costs for as long as the system keeps two
# threads on one core.
SPIN_COUNT = "20000"
_SURVIVES_FORK = frozenset({"libiomp5"})
_FILE_NAME = re.compile(r"lib(gomp|iomp5|omp)([-.]\w[-\w]*)*\.so(\.\d+)*")


class _Runtime(NamedTuple):
    """An opened OpenMP runtime, or what stands in for one: then `origin` says why."""

    name: str
    path: str
    origin: str
    parallel_address: int


class Team:
    """The threads that run instances. All teams of a process share one runtime and its threads.

    `threads` is how many to ask `GOMP_parallel` for; it is found once, when the team is made.
    """

    def __init__(self, threads: int | None = None):
        self.threads = usable_threads() if threads is None else threads
        self._lock = threading.Lock()
        self._runtime: _Runtime | None = None
        _teams.add(self)

    @property
    def name(self) -> str:
        """libgomp, libiomp5, libomp, own or serial."""
        return self._opened().name

    @property
    def parallel_address(self) -> int:
        """The address of `void GOMP_parallel(void (*region)(void *), void *data, unsigned threads,
        unsigned flags)`; 0 if the caller has to run the region itself, once."""
        return self._opened().parallel_address

    def describe(self) -> str:
        """One line that says who runs instances, and why."""
        runtime = self._opened()
        if not runtime.parallel_address:
            return f"serial: {runtime.origin}"
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{runtime.name} with {threads} ({', '.join(filter(None, runtime[1:3]))})"

    def __repr__(self) -> str:
        return f"Team({self.describe()})"

    def _opened(self) -> _Runtime:
        if self._runtime is None:
            with self._lock:
                if self._runtime is None:
                    self._runtime = _choose()
        return self._runtime

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
        if self._runtime and self._runtime.name not in _SURVIVES_FORK:
            self._runtime = None


@functools.cache
def process_team() -> Team:
    """The team of this process."""
    return Team()


_teams: weakref.WeakSet[Team] = weakref.WeakSet()


class _Process:
    """What is known of this process: whether it was forked, and which libraries it opened since."""

    def __init__(self, forked: bool):
        self.forked = forked
        self.opened: set[str] = set()


_process = _Process(forked=False)
_opening = threading.Lock()


def _after_fork_in_child() -> None:
    global _process, _opening
    _process = _Process(forked=True)
    _opening = threading.Lock()
    for team in list(_teams):
        team._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def _choose() -> _Runtime:
    """The runtime that this process uses from now on."""
    with _opening:
        for name, path in _loaded_runtimes(_mapped_files()):
            if (_process.forked and name not in _SURVIVES_FORK and path not in _process.opened):
                return _own(f"{name} does not work in a forked process ({path} was loaded "
                            "before the fork)")
            runtime = _open(name, path, "already loaded", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
            if runtime:
                return runtime
        runtime = _open_libgomp() if sys.platform.startswith("linux") else None
        if runtime:
            return runtime
        for path in _installed_libiomp5():
            runtime = _open("libiomp5", path, "from the Python installation")
            if runtime:
                return runtime
    return _own("no OpenMP runtime was found (libgomp.so.1 or libiomp5.so)")


def _own(reason: str) -> _Runtime:
    from hvisa.runtime.own_team import own_parallel
    address = own_parallel()
    return _Runtime("own" if address else "serial", "", reason, address)


def _open(name: str, path: str, origin: str, mode: int = ctypes.DEFAULT_MODE) -> _Runtime | None:
    """The runtime in a library; None if it can't be opened or can't be called this way."""
    try:
        library = ctypes.CDLL(path, mode=mode)
        address = ctypes.cast(library.GOMP_parallel, ctypes.c_void_p).value
    except (OSError, AttributeError):
        return None
    return _Runtime(name, path, origin, address) if address else None


def _open_libgomp() -> _Runtime | None:
    """The system's libgomp. It reads its settings while it is loaded, and only then."""
    ours = not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(os.environ)
    if ours:
        os.environ["GOMP_SPINCOUNT"] = SPIN_COUNT
    try:
        runtime = _open("libgomp", "libgomp.so.1", "of the system")
    finally:
        if ours:
            del os.environ["GOMP_SPINCOUNT"]
    if runtime:
        paths = [path for name, path in _loaded_runtimes(_mapped_files()) if name == "libgomp"]
        _process.opened.update(paths)
        runtime = runtime._replace(path=paths[0] if paths else runtime.path)
    return runtime


def _mapped_files() -> str:
    """The kernel's list of what this process has mapped; empty on systems without one."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def _loaded_runtimes(maps: str) -> list[tuple[str, str]]:
    """(name, path) of the OpenMP runtimes in a list of mapped files, libgomp first."""
    found: dict[tuple[str, str], None] = {}
    for line in maps.splitlines():
        path = line[line.find("/"):] if "/" in line else ""
        match = _FILE_NAME.fullmatch(os.path.basename(path))
        if match:
            found[f"lib{match[1]}", path] = None
    return sorted(found, key=lambda entry: ("libgomp", "libiomp5", "libomp").index(entry[0]))


def _installed_libiomp5() -> Iterator[str]:
    """Where Python packages put it."""
    folders = [os.path.join(sys.prefix, "lib")]
    folders += [os.path.join(folder, "lib") for folder in sys.path if "site-packages" in folder]
    for folder in folders:
        path = os.path.join(folder, "libiomp5.so")
        if os.path.exists(path):
            yield path
