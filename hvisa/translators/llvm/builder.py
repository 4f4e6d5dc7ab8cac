"""Decides where LLVM runs: in this process for the first few small jobs, else in child processes.

LLVM keeps memory with every optimisation, aborts on internal errors, and its Python binding lets
one thread in at a time. A child is replaced after some 200 jobs, takes LLVM's faults with it, and
several of them use several cores. Starting one costs about 100 ms, so a short program does without.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref

from hvisa.diagnostics import HvisaError, fail
from hvisa.translators.llvm import worker
from hvisa.translators.llvm.build import DEFAULT_TRIPLE, build_object
from hvisa.translators.llvm.child import Child, ChildLost
from hvisa.translators.llvm.worker import Job

IN_PROCESS_JOBS = 48
IN_PROCESS_IR_CHARACTERS = 1 << 17
JOBS_PER_CHILD = 200
TIMEOUT_S = 120.0


class _ProcessBudget:
    """How many jobs this process may still do itself, over all builders."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.used = 0
        self.forked = False

    def take(self, limit: int) -> bool:
        with self.lock:
            if self.forked or self.used >= limit:
                return False
            self.used += 1
            return True


_budget = _ProcessBudget()
_builders: weakref.WeakSet[Builder] = weakref.WeakSet()


class Builder:
    """Builds objects for any number of threads. A forked process gets its own children.

    `in_process_jobs` counts over the whole process; `children` is how many may run at once
    (default: the usable cores, at most 4).
    """

    def __init__(self, *, in_process_jobs: int = IN_PROCESS_JOBS,
                 jobs_per_child: int = JOBS_PER_CHILD, timeout_s: float = TIMEOUT_S,
                 children: int | None = None):
        self.in_process_jobs = in_process_jobs
        self.jobs_per_child = jobs_per_child
        self.timeout_s = timeout_s
        self.children = children or _usable_cores(most=4)
        self._live: set[Child] = set()
        self._reset()
        _builders.add(self)

    def build(self, ir: str, *, cpu: str, features: str, name: str, opt_level: int = 3,
              triple: str = DEFAULT_TRIPLE, isolate: bool = False) -> bytes:
        """What `build_object` gives for the same arguments, and the same errors.

        `isolate` keeps the module out of this process (it comes from a stranger). Raises HV1106
        also if LLVM crashed or ran out of time.
        """
        if (not isolate and len(ir) <= IN_PROCESS_IR_CHARACTERS
                and _budget.take(self.in_process_jobs)):
            return build_object(ir, cpu=cpu, features=features, opt_level=opt_level,
                                triple=triple, name=name)
        job = Job(ir, cpu, features, opt_level, triple, name)
        with self._slots:
            kind, body = self._ask(job)
        if kind == worker.OBJECT:
            return body
        code, message, help_line = worker.unpack_fields(body)
        raise fail(code, message, help=help_line)

    def close(self) -> None:
        """Ends the idle children. The builder stays usable."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._live.difference_update(idle)
        for child in idle:
            child.close()

    def _reset(self) -> None:
        """The state of a builder without children, in a process that has not used it yet."""
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(self.children)
        self._idle: list[Child] = []
        for child in self._live:
            child.forget()
        self._live.clear()

    def _ask(self, job: Job) -> tuple[int, bytes]:
        """A child's answer. A child that did other jobs before may have died of those (or been
        killed for its size): then, and only then, the job gets a second, fresh child."""
        request = worker.pack_job(job)
        child = self._take()
        fresh = child.jobs_done == 0
        try:
            try:
                answer = child.ask(request, self.timeout_s)
            except ChildLost as lost:
                if fresh or lost.timed_out:
                    raise
                self._drop(child)
                child = self._start()
                answer = child.ask(request, self.timeout_s)
        except ChildLost as lost:
            raise _crashed(job, lost) from lost
        finally:
            self._give_back(child)
        return answer

    def _take(self) -> Child:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._start()

    def _start(self) -> Child:
        child = Child()
        with self._lock:
            self._live.add(child)
        return child

    def _drop(self, child: Child) -> None:
        with self._lock:
            self._live.discard(child)
        child.close()

    def _give_back(self, child: Child) -> None:
        if not child.usable or child.jobs_done >= self.jobs_per_child:
            self._drop(child)
            return
        with self._lock:
            self._idle.append(child)


def _crashed(job: Job, lost: ChildLost) -> HvisaError:
    return fail("HV1106", f"the translator failed on `{job.name}`: {lost}",
                help="this is a fault of the translator; report it with the program, "
                     "or run it on the device `reference`")


def _usable_cores(most: int) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(most, cores or 1))


def _close_builders() -> None:
    for builder in list(_builders):
        builder.close()


def _forget_builders() -> None:
    # LLVM's own lock may be held for ever by a thread that did not come along.
    _budget.forked = True
    _budget.lock = threading.Lock()
    for builder in list(_builders):
        builder._reset()


atexit.register(_close_builders)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_builders)
