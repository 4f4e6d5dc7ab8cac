"""Launches of native artifacts: code in memory, contexts, calls, and what comes back.

Any number of threads may launch at once; each launch has a context and slots of its own, which are
kept for the next one. Nothing of a launch is global.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hvisa.diagnostics import Diagnostic, HvisaError, LaunchTimeout, Source
from hvisa.runtime.arguments import Bound, aligned_empty
from hvisa.runtime.host_values import Array, scalar_value
from hvisa.runtime.layout import PortLayout, Signature, evaluate
from hvisa.runtime.loader import load_object
from hvisa.runtime.monitor import Monitor, clock, poll_function
from hvisa.runtime.team import process_team
from hvisa.translators.artifact import Artifact
from hvisa.translators.native import CONTEXT, CONTEXT_BYTES, STATUS_TRAP, entry_symbol

# Without argument types: the arrays go by reference, 0.1 us sooner than through a conversion.
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int)
_MASK = (1 << 64) - 1
# Fields that a launch may leave changed when it does not end well.
_VOLATILE = slice(0, CONTEXT["parallel"])


@functools.cache
def _libc_addresses() -> tuple[int, int, int]:
    """aligned_alloc, free and usleep."""
    libc = ctypes.CDLL(None)
    return tuple(ctypes.cast(getattr(libc, n), ctypes.c_void_p).value or 0
                 for n in ("aligned_alloc", "free", "usleep"))  # type: ignore[return-value]


class State:
    """What one launch at a time uses: context, slots, monitor, and the callbacks in the context."""

    __slots__ = ("context", "keep", "monitor", "slots")

    def __init__(self, slots: int):
        self.context = (ctypes.c_char * CONTEXT_BYTES)()
        self.slots = (ctypes.c_uint64 * max(1, slots))()
        self.monitor = Monitor()
        self.keep: list[Any] = []

    def set(self, name: str, value: int) -> None:
        struct.pack_into("<Q", self.context, CONTEXT[name], value)

    def clear(self) -> None:
        """Forget how the last launch ended."""
        self.context[_VOLATILE] = bytes(CONTEXT["parallel"])
        self.monitor.reset()


class NativeLauncher:
    """One entry's code, ready to be launched. Dropping it frees the code.

    `externs` are the host functions by name, `print_sink` takes the lines that the program prints,
    `sources` gives the text of a file that trap sites name.
    """

    moves_items = False

    def __init__(self, artifact: Artifact, *, externs: Mapping[str, Callable[..., Any]],
                 print_sink: Callable[[str], None] = print,
                 sources: Callable[[str], Source] = Source):
        self.metadata = artifact.metadata
        self.signature = Signature(artifact.metadata["signature"])
        self.loaded = load_object(artifact.code, artifact.entry)
        self.function = _ENTRY(self.loaded.address(entry_symbol()))
        self.states: list[State] = []
        self._externs = externs
        self._print_sink = print_sink
        self._sources = sources
        self._prints = any(s["code"] == "print" for s in self.metadata["sites"])
        # Host functions keep their order, and one thread: the program does not say what they stand.
        self.calls_back = self._prints or bool(self.metadata["externs"])
        self._threads = self.metadata["options"]["threads"] == "True" and not self.calls_back
        self._limit: int | None = None
        _launchers.add(self)

    def limit_threads(self, threads: int | None) -> None:
        """Run on so many threads from now on; None is as many as the process may use."""
        self._limit = threads
        self.states.clear()

    def new_state(self) -> State:
        """A state with every field of the context filled in."""
        state = State(self.signature.slots)
        allocate, release, sleep = _libc_addresses()
        threads = (self._limit or process_team().threads) if self._threads else 1
        parallel = process_team().parallel_address if threads > 1 else 0
        poll = poll_function(state.monitor, state.context)
        state.keep.append(poll)
        for name, value in (("parallel", parallel), ("threads", threads), ("allocate", allocate),
                            ("release", release), ("sleep", sleep), ("poll_ticks", clock.ticks),
                            ("poll", _address(poll))):
            state.set(name, value)
        if self.calls_back:
            self._add_callbacks(state)
        return state

    def _add_callbacks(self, state: State) -> None:
        from hvisa.runtime.callbacks import extern_function, print_function
        if self._prints:
            sink = print_function(self.metadata["sites"], self._print_sink, state.monitor,
                                  state.context)
            state.keep.append(sink)
            state.set("print", _address(sink))
        names = self.metadata["externs"]
        functions = [extern_function(n, self.metadata["extern_types"][n], self._externs[n],
                                     state.monitor, state.context) for n in names]
        table = (ctypes.c_void_p * max(1, len(names)))(*map(_address, functions))
        state.keep += [*functions, table]
        state.set("externs", ctypes.addressof(table))

    # -- launches ------------------------------------------------------------------------------

    def launch(self, bound: Bound, timeout: float | None = None) -> list[Any]:
        """Run the entry on bound arguments: written ports, then results, in order."""
        state = self._state()
        arrays = self._fill(state, bound)
        if timeout is not None:
            state.monitor.deadline = time.monotonic() + timeout
        status = self._call(state)
        if status or state.monitor.pending is not None:
            self.failed(state, status, bound.symbols, timeout)
        results = self._results(state, bound, arrays)
        counts = {p.name: state.slots[p.slot + 1] for p in self.signature.ports
                  if p.capacity is not None and p.direction == "out"}
        state.monitor.reset()
        self.states.append(state)
        return bound.publish(counts) + results

    def _state(self) -> State:
        # Another thread may take the last one between a test and a pop.
        try:
            return self.states.pop()
        except IndexError:
            return self.new_state()

    def _call(self, state: State) -> int:
        if not self.calls_back:
            return self.function(state.context, state.slots)
        from hvisa.runtime.callbacks import call_beside_main

        def interrupt(error: BaseException) -> None:
            state.monitor.pending = error
            struct.pack_into("<i", state.context, CONTEXT["stop"], 1)
        return call_beside_main(lambda: self.function(state.context, state.slots), interrupt)

    def _fill(self, state: State, bound: Bound) -> list[Array]:
        """Write the slots. The arrays made for results, in order."""
        slots = state.slots
        for port in self.signature.ports:
            value = bound.values[port.name]
            if port.kind == "scalar":
                slots[port.slot] = value
            elif port.kind == "buffer":
                _fill_buffer(slots, port, value)
            else:
                slots[port.slot] = value.ctypes.data
        grid = tuple(evaluate(d, bound.symbols) for d in self.signature.grid)
        keep: list[Array] = []
        for result in self.signature.results:
            if self._by_array(result):
                whole = tuple(evaluate(d, bound.symbols) for d in result.dims) \
                    if result.kind == "grid" else grid
                shape = (*whole, result.lanes) if result.lanes else whole
                # A grid that can't be is refused by the code, before it touches the array.
                array = aligned_empty(shape if all(0 <= n <= 1 << 48 for n in shape) else (0,),
                                      result.dtype, "the results")
                keep.append(array)
                slots[result.slot] = array.ctypes.data
        return keep

    def _by_array(self, result: PortLayout) -> bool:
        """Whether a result comes in an array of the host: vectors, and values given per instance."""
        return bool(result.lanes or self.signature.grid or result.kind == "grid")

    def _results(self, state: State, bound: Bound, arrays: list[Array]) -> list[Any]:
        remaining = iter(arrays)
        out: list[Any] = []
        for result in self.signature.results:
            if self._by_array(result):
                found = next(remaining)
            else:
                found = scalar_value(state.slots[result.slot], result)
            if bound.bfloat16 is not None and result.element.name == "bf16":
                found = np.asarray(found).view(bound.bfloat16)
                found = found if found.ndim else found[()]
            out.append(found)
        return out

    def failed(self, state: State, status: int, symbols: Mapping[str, int],
               timeout: float | None = None) -> None:
        """Raises what a launch that did not end well means for the caller."""
        from hvisa.runtime.traps import DONATED, Record, trap_error
        pending, timed_out = state.monitor.pending, state.monitor.timed_out
        record = Record(state.context)
        state.clear()
        self.states.append(state)
        donated = any(p.direction == "inout" for p in self.signature.ports)
        trapped = status == STATUS_TRAP and not isinstance(pending, HvisaError)
        if pending is not None and not (trapped and isinstance(pending, Exception)):
            raise pending
        if trapped:
            raise trap_error(record, self.metadata, symbols, self._sources, donated,
                             pending) from pending
        assert timed_out, f"status {status} without a reason"
        raise LaunchTimeout(Diagnostic(
            "HV1008", f"`@{self.signature.entry}` ran longer than its timeout of {timeout:g} s",
            help="\n".join(filter(None, ("give it more time: `timeout=`", DONATED * donated)))))


def _fill_buffer(slots: Any, port: PortLayout, array: Array) -> None:
    at = port.slot
    slots[at] = array.ctypes.data
    for extent in array.shape:
        at += 1
        slots[at] = extent
    if port.strided:
        for stride in array.strides:
            at += 1
            slots[at] = stride // array.itemsize & _MASK


def _address(callback: Any) -> int:
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


# A forked process has no team threads, and contexts hold the address of what starts them.
_launchers: weakref.WeakSet[NativeLauncher] = weakref.WeakSet()


def _forget_states() -> None:
    for launcher in list(_launchers):
        launcher.states.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_states)
