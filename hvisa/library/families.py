"""The families of library nodes: the file that makes each, its element types, and what it has for each.

A module is `sort.f32`; its nodes carry the type too, so that several can be imported: `@argsort.f32`.
"""

from __future__ import annotations

from typing import NamedTuple

from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType

SCANS = ("add", "mul", "min", "max")
_FLOATS = (ty.F16, ty.BF16, ty.F32, ty.F64)
_WHOLE = tuple(t for t in ty.SCALARS if t.is_integer and t is not ty.INDEX)
_WIDE = (ty.I32, ty.I64, ty.U32, ty.U64, ty.F32, ty.F64)


class Family(NamedTuple):
    """`file` in `hvisa/library/nodes/`; `types` of elements."""

    file: str
    types: tuple[ScalarType, ...]


FAMILIES: dict[str, Family] = {
    "reduce": Family("reduction", (ty.I1, *_WHOLE, *_FLOATS)),
    "scan": Family("scan", _WIDE),
    "sort": Family("sort", (*_WHOLE, *_FLOATS)),
    "histogram": Family("histogram", (*_WHOLE, ty.F32, ty.F64)),
    "compact": Family("compact", (ty.I1, *_WHOLE, *_FLOATS)),
}


def node_names(family: str, type_: ScalarType) -> tuple[str, ...]:
    """The public nodes of a module."""
    words: tuple[str, ...]
    if family == "reduce":
        kinds = ("any", "all") if type_ is ty.I1 else ("sum", "product", "min", "max", "argmin", "argmax")
        words = tuple(k + where for k in kinds for where in ("", "_axis0", "_axis1"))
    elif family == "scan":
        words = tuple(f"scan_{op}{kind}" for op in SCANS for kind in ("", "_exclusive"))
    elif family == "sort":
        words = ("sort", "sort_pairs", "argsort")
    elif family == "histogram":
        words = ("histogram",) if type_.is_float else ("bincount",)
    else:
        words = ("compact", "nonzero") if type_ is ty.I1 else ("compact",)
    return tuple(f"{w}.{type_}" for w in words)


NODE_NAMES = frozenset(n for family, found in FAMILIES.items() for t in found.types
                       for n in node_names(family, t))
