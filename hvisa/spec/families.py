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


# What each node means, by the words of its name.
_REDUCED = {"sum": "The sum.", "product": "The product.", "min": "The least, NaN if there is one.",
            "max": "The greatest, NaN if there is one.",
            "argmin": "The least and its place: the first NaN, else the first of equals; -1 of nothing.",
            "argmax": "The greatest and its place, likewise.",
            "any": "Whether one is true.", "all": "Whether no one is false."}
_ALONG = {"": "Of the whole buffer, over all threads.", "_axis0": "Of each column of a matrix.",
          "_axis1": "Of each row of a matrix."}
_SCANNED = {"": "Each element joined with all before it.",
            "_exclusive": "All before each element joined; first 0, 1, the greatest or the least number."}
MEANINGS: dict[str, str] = {
    **{k + where: f"{text} {_ALONG[where]}" for k, text in _REDUCED.items() for where in _ALONG},
    **{f"scan_{op}{kind}": text for op in SCANS for kind, text in _SCANNED.items()},
    "sort": "The elements in order; equal ones stay in theirs, -0 equals 0, NaN comes last.",
    "sort_pairs": "The same, with a number that goes with each element.",
    "argsort": "Where the elements of `sort` come from.",
    "histogram": "How many elements lie in each of `bins` classes of equal width from low to high. The "
                 "last class has its upper end; what is outside, and NaN, counts nowhere. low < high, else "
                 "HV0903.",
    "bincount": "How often each of 0 to bins - 1 occurs; any other number is a trap (HV0902).",
    "compact": "The elements that are kept, in their order.",
    "nonzero": "The places of what is true."}


def node_names(family: str, type_: ScalarType) -> tuple[str, ...]:
    """The public nodes of a module."""
    if family == "reduce":
        kinds = ("any", "all") if type_ is ty.I1 else tuple(k for k in _REDUCED if k not in ("any", "all"))
        words = [k + where for k in kinds for where in _ALONG]
    elif family == "scan":
        words = [f"scan_{op}{kind}" for op in SCANS for kind in _SCANNED]
    elif family == "sort":
        words = ["sort", "sort_pairs", "argsort"]
    elif family == "histogram":
        words = ["histogram" if type_.is_float else "bincount"]
    else:
        words = ["compact", *(["nonzero"] if type_ is ty.I1 else [])]
    return tuple(f"{w}.{type_}" for w in words)


NODE_NAMES = frozenset(n for family, found in FAMILIES.items() for t in found.types
                       for n in node_names(family, t))
