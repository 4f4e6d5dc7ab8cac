"""The interface between native code and the runtime: argument slots and the launch context.

An entry is `i32 entry(context*, i64* slots)`: 0 on success, 1 after a trap, 2 when stopped. Slots, in
port order: a scalar takes one (its bits), a buffer its address, then its extents, then, if its port is
strided, its strides in elements; a vector its address. Results follow, one slot each, written by the
code. A buffer with a capacity gets its extent written back.
"""

from __future__ import annotations

from typing import Any

from hvisa.graph.model import Definition
from hvisa.spec import types as ty
from hvisa.spec.operations import DIRECTIONS
from hvisa.spec.types import BufferType, ScalarType

# Byte offsets in the launch context; every field has 8 bytes unless said otherwise.
CONTEXT: dict[str, int] = {
    "state": 0,  # i32: 0 running, 1 a trap is recorded
    "stop": 4,  # i32: set to stop the launch
    "trap_code": 8,  # i32
    "trap_site": 12,  # i32
    "trap_instance": 16,
    "trap_a": 24,
    "trap_b": 32,
    "path_length": 40,  # node ids from the trapping leaf outwards, in `path`
    "parallel": 48,  # GOMP_parallel, or 0
    "threads": 56,
    "allocate": 64,  # void* (alignment, size)
    "release": 72,  # void (void*)
    "print": 80,  # void (context*, i32 site, i64* values)
    "externs": 88,  # table of i32 (context*, i64* arguments, i64* results)
    "poll": 96,  # i32 (context*): nonzero stops; 0 if nobody wants to be asked
    "next_poll": 104,  # in time-stamp ticks
    "poll_ticks": 112,  # ticks between polls
    "sleep": 120,  # usleep
    "path": 128,  # i32[256]
}
CONTEXT_BYTES = 128 + 4 * 256

STATUS_TRAP = 1
STATUS_STOPPED = 2


def entry_symbol() -> str:
    return "hvisa_entry"


def signature(definition: Definition) -> dict[str, Any]:
    """The layout of an entry's arguments as plain data, for the artifact's metadata."""
    ports: list[dict[str, Any]] = []
    slot = 0
    for port in definition.ports:
        type_ = port.type
        entry: dict[str, Any] = {"name": port.name, "direction": DIRECTIONS[port.direction],
                                 "slot": slot, "type": str(type_)}
        if isinstance(type_, BufferType):
            entry |= {"element": type_.element.name, "shape": [str(d) for d in type_.shape],
                      "strided": port.strided, "capacity": str(type_.capacity or ""),
                      "source": port.source or ""}
            slot += 1 + type_.rank * (2 if port.strided else 1)
        else:
            slot += 1
            if isinstance(type_, ScalarType):
                entry["scalar"] = type_.name
        ports.append(entry)
    results: list[dict[str, Any]] = []
    for number, (name, type_) in enumerate(zip(definition.result_names, definition.results,
                                               strict=True)):
        results.append({"name": name or f"result{number}", "slot": slot, "type": str(type_)})
        slot += 1
    return {"ports": ports, "results": results, "slots": slot}


def storage_bits(type_: ty.Type) -> int:
    """Bits that one element takes in memory."""
    element = ty.element_of(type_)
    assert element is not None
    return element.size_bytes * 8
