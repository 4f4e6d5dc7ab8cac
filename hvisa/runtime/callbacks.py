"""Host functions that native code calls: `print` and externs. They run on the launching thread."""

from __future__ import annotations

import contextvars
import ctypes
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hvisa.runtime.host_values import scalar_bits, scalar_value
from hvisa.runtime.layout import PortLayout
from hvisa.runtime.monitor import Monitor, guarded

PRINT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_uint64))
EXTERN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64),
                          ctypes.POINTER(ctypes.c_uint64))

Extern = Callable[..., Any]
_VECTOR = re.compile(r"vec<(\w+), (\d+)>")


def value_layout(text: str) -> PortLayout:
    """The layout of a scalar or vector type as written."""
    match = _VECTOR.fullmatch(text)
    return PortLayout({"type": text, "kind": "vector" if match else "scalar", "shape": [], "dims": [],
                       "element": match[1] if match else text, "capacity": None,
                       "lanes": int(match[2]) if match else 0})


def _read(cells: Any, layouts: Sequence[PortLayout]) -> list[Any]:
    """Numpy scalars, and arrays for vectors, from cells of 8 bytes, one a lane."""
    out: list[Any] = []
    at = 0
    for layout in layouts:
        lanes = [scalar_value(cells[at + n], layout) for n in range(layout.lanes or 1)]
        at += len(lanes)
        out.append(np.array(lanes, layout.dtype) if layout.lanes else lanes[0])
    return out


# -- print -------------------------------------------------------------------------------------------

def print_function(sites: Sequence[Mapping[str, Any]], sink: Callable[[str], None],
                   monitor: Monitor, context: ctypes.Array[Any]) -> Any:
    """The callback for the context's `print`."""
    layouts: dict[int, list[PortLayout]] = {}

    def show(_: int, site: int, cells: Any) -> None:
        if site not in layouts:
            layouts[site] = [value_layout(t) for t in sites[site]["types"]]
        texts: list[str] = []
        at = 0
        for layout in layouts[site]:
            shown = [_literal(cells[at + n], layout) for n in range(layout.lanes or 1)]
            at += len(shown)
            texts.append(f"[{', '.join(shown)}]" if layout.lanes else shown[0])
        sink(filled(sites[site].get("text", ""), texts))
    return PRINT(guarded(monitor, context, show))


def _literal(cell: int, layout: PortLayout) -> str:
    from hvisa.spec.literals import format_literal
    return format_literal(cell & ((1 << layout.element.bits) - 1), layout.element)


def filled(template: str, texts: list[str]) -> str:
    """The template with each `{}` replaced by the next text; texts left over follow."""
    parts = template.split("{}")
    out = parts[0]
    for number, part in enumerate(parts[1:]):
        out += (texts[number] if number < len(texts) else "{}") + part
    return " ".join([out, *texts[len(parts) - 1:]])


# -- externs -----------------------------------------------------------------------------------------

def extern_function(name: str, types: Mapping[str, Sequence[str]], function: Extern,
                    monitor: Monitor, context: ctypes.Array[Any]) -> Any:
    """The callback for one entry of the context's table: reads the operands, stores the results."""
    operands = [value_layout(t) for t in types["operands"]]
    results = [value_layout(t) for t in types["results"]]

    def call(_: int, cells: Any, out: Any) -> None:
        found = function(*_read(cells, operands))
        found = found if isinstance(found, tuple) else (found,) if results else ()
        if len(found) != len(results):
            raise TypeError(f"it returned {len(found)} values, `@{name}` gives {len(results)}")
        for number, (value, layout) in enumerate(zip(found, results, strict=True)):
            out[number] = scalar_bits(value, layout, f"result {number} of `@{name}`")
    return EXTERN(guarded(monitor, context, call))


def call_beside_main(function: Callable[[], int], interrupt: Callable[[BaseException], None]) -> int:
    """`function()`, run so that signal handlers don't run inside its callbacks, where what they
    raise would be lost: on another thread, while this one waits and passes interruptions on."""
    if threading.current_thread() is not threading.main_thread():
        return function()
    found: list[int] = []
    done = threading.Event()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            found.append(context.run(function))
        finally:
            done.set()
    threading.Thread(target=work, name="hvisa-launch").start()
    # Not `join`: it takes a thread for ended when it is interrupted.
    while not done.is_set():
        try:
            done.wait()
        except BaseException as error:  # raised again when native code has stopped
            interrupt(error)
    return found[0]
