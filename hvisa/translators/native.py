"""The interface between native code and the runtime: argument slots and the launch context.

An entry is `i32 entry(context*, i64* slots)`: 0 on success, 1 after a trap, 2 when stopped. Slots, in
port order: a scalar takes one (its bits), a buffer its address, then its extents, then, if its port is
strided, its strides in elements; a vector its address. Results follow, one slot each, written by the
code. A buffer with a capacity gets its extent written back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hvisa.graph.model import Definition, Instr
    from hvisa.spec import types as ty
    from hvisa.spec.dimensions import Dim

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
    "owner": 1152,  # the launching thread (its %fs base): it alone calls `poll`
}
CONTEXT_BYTES = 1160

STATUS_TRAP = 1


def entry_symbol() -> str:
    return "hvisa_entry"


def part_symbol() -> str:
    """`i32 part(context*, i64* slots, i64 begin, i64 end)`: some instances of a leaf, in linear numbers,
    on outputs that already hold what instances do not write."""
    return "hvisa_part"


def signature(definition: Definition) -> dict[str, Any]:
    """The layout of an entry's arguments as plain data, for the artifact's metadata.

    Ports have `name`, `direction`, `slot`, `type` (text) and what `_shape_of` tells of the type;
    results have `name`, `slot`, `type` and the same. `place` is where the entry is defined.
    """
    from hvisa.spec.operations import DIRECTIONS
    ports: list[dict[str, Any]] = []
    slot = 0
    for port in definition.ports:
        entry: dict[str, Any] = {"name": port.name, "direction": DIRECTIONS[port.direction],
                                 "slot": slot, "type": str(port.type), **_shape_of(port.type)}
        slot += 1
        if entry["kind"] == "buffer":
            entry |= {"strided": port.strided, "source": port.source or ""}
            slot += len(entry["shape"]) * (2 if port.strided else 1)
        ports.append(entry)
    results: list[dict[str, Any]] = []
    for name, type_ in zip(definition.result_keys, definition.results, strict=True):
        results.append({"name": name, "slot": slot, "type": str(type_), **_shape_of(type_)})
        slot += 1
    span = definition.span
    return {"entry": definition.name, "ports": ports, "results": results, "slots": slot,
            "grid": [dimension_data(d) for d in definition.grid],
            "place": [span.line, span.column] if span and span.line else []}


def accessed(instr: Instr) -> dict[str, Any]:
    """What messages say of an access: the buffer's name and rank, and the lanes of a vector or 0."""
    from hvisa.graph.model import GlobalRef, Value
    from hvisa.spec import types
    at = next((n for n, o in enumerate(instr.row.signature.operands) if o.name == "buffer"), 0)
    buffer = instr.operands[at]
    moved = [o.type for o in (*instr.operands[:at], *instr.results)]
    return {"buffer": f"%{buffer.name}" if isinstance(buffer, Value) else
            f"@{buffer.name}" if isinstance(buffer, GlobalRef) else "",
            "rank": buffer.type.rank if isinstance(buffer.type, types.BufferType) else 1,
            "lanes": next((t.lanes for t in moved if isinstance(t, types.VectorType)), 0)}


def _shape_of(type_: ty.Type) -> dict[str, Any]:
    """`kind` (scalar, vector, buffer, grid, stream), `element`, `lanes` (0 for no vector), `shape`
    (text of each extent), `dims` (the same as data) and `capacity` (as data, or None)."""
    from hvisa.spec import types
    element = types.element_of(type_)
    found: dict[str, Any] = {"kind": "scalar", "element": element.name if element else "",
                             "lanes": types.lanes_of(type_), "shape": [], "dims": [],
                             "capacity": None}
    dims: tuple[Dim, ...] = ()
    if isinstance(type_, types.VectorType):
        found["kind"] = "vector"
    elif isinstance(type_, types.BufferType):
        found["kind"], dims = "buffer", type_.shape
        found["element"] = type_.element.name
        if type_.capacity is not None:
            found["capacity"] = dimension_data(type_.capacity)
    elif isinstance(type_, types.GridType):
        found |= _shape_of(type_.element) | {"kind": "grid"}
        dims = type_.extents
    elif isinstance(type_, types.StreamType):
        found["kind"] = "stream"
        found["item"] = _shape_of(type_.item) | {"type": str(type_.item)}
    found["shape"] = [str(d) for d in dims]
    found["dims"] = [dimension_data(d) for d in dims]
    return found


def dimension_data(dim: Dim) -> list[Any]:
    """A dimension as plain data: a list of [coefficient, [atoms]], an atom being the name of a
    symbol or [kind, operands]."""
    return [[coefficient, [atom if isinstance(atom, str) else
                           [atom.kind, [dimension_data(o) for o in atom.operands]]
                           for atom in monomial]]
            for monomial, coefficient in dim.terms]
