"""Who may interrupt a launch: the deadline, Ctrl-C, an exception in a host function.

Native code asks every 20 ms, on the launching thread alone. The answer comes from a generator: when
a signal has arrived, Python runs its handler as soon as the generator resumes, which is inside the
`try`; in a plain function it would run before the first line and the exception would be lost.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Generator
from typing import Any

from hvisa.translators.native import CONTEXT

POLL_S = 0.02
# Until two polls have told how fast the time-stamp counter runs.
_GUESSED_TICKS = int(2.5e9 * POLL_S)

POLL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class _Clock:
    """Ticks of the time-stamp counter between polls: a guess first, then what two polls measured."""

    def __init__(self) -> None:
        self.ticks = _GUESSED_TICKS
        self.measured = False
        self._first: tuple[int, int] | None = None

    def observe(self, counter: int) -> None:
        now = time.monotonic_ns()
        if self._first is None:
            self._first = (counter, now)
            return
        ticks, elapsed_ns = counter - self._first[0], now - self._first[1]
        if elapsed_ns > 1_000_000 and ticks > 0:
            self.ticks = max(1, int(ticks * POLL_S * 1e9 / elapsed_ns))
            self.measured = True


clock = _Clock()


class Monitor:
    """The state of one launch as the host sees it.

    `deadline` is in seconds of the monotonic clock; `timed_out` that it has passed; `pending` the
    exception that is to be raised when native code has returned.
    """

    __slots__ = ("deadline", "pending", "timed_out")

    def __init__(self) -> None:
        self.deadline: float | None = None
        self.pending: BaseException | None = None
        self.timed_out = False

    def reset(self) -> None:
        self.deadline = self.pending = None
        self.timed_out = False

    def expired(self) -> bool:
        """Whether to stop because of the deadline."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            self.timed_out = True
        return self.timed_out


def poll_function(monitor: Monitor, context: ctypes.Array[Any]) -> Any:
    """The callback for the context's `poll`; keep it as long as native code may run."""
    answers = _answers(monitor, context)
    next(answers)
    return POLL(answers.send)


def _answers(monitor: Monitor, context: ctypes.Array[Any]) -> Generator[int, int, None]:
    """1 at each poll that is to stop the launch, else 0."""
    next_poll = ctypes.c_uint64.from_buffer(context, CONTEXT["next_poll"])
    poll_ticks = ctypes.c_uint64.from_buffer(context, CONTEXT["poll_ticks"])
    answer = 0
    while True:
        try:
            while True:
                yield answer
                if not clock.measured:
                    clock.observe(next_poll.value - poll_ticks.value)
                poll_ticks.value = clock.ticks
                answer = int(monitor.expired())
        except GeneratorExit:
            raise
        except BaseException as error:  # whatever a signal handler raises ends the launch
            monitor.pending = error
            answer = 1


def guarded(monitor: Monitor, context: ctypes.Array[Any],
            function: Callable[..., None]) -> Callable[..., int]:
    """`function` as a callback body: 0, or 1 with its exception noted and the launch stopped."""
    stop = ctypes.c_int32.from_buffer(context, CONTEXT["stop"])

    def call(*arguments: Any) -> int:
        try:
            function(*arguments)
        except BaseException as error:  # it can't pass through native code
            monitor.pending = error
            stop.value = 1
            return 1
        return 0
    return call
