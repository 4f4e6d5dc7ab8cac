"""Words that instructions share as immediates: reduction operators, bounds forms, access modes.

The position of a word is its code in bytecode: append only.
"""

from __future__ import annotations

from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType

REDUCTIONS = ("add", "mul", "min", "max", "and", "or", "xor", "argmin", "argmax", "any", "all")
UPDATES = ("add", "min", "max", "and", "or", "xor")
ATOMICS = (*UPDATES, "exchange")
LOAD_BOUNDS = ("trap", "zero", "clamp")
STORE_BOUNDS = ("trap", "skip")

DIRECTIONS = ("value", "in", "out", "inout")
# Access modes of written ports (semantics 2); `accumulate` carries its operator.
MODES = ("own", "own checked", "accumulate", "shared")
EFFECT_CLASSES = ("exact", "inexact", "nondeterministic")
UNIFORMITY = ("constant", "launch", "parent", "varying")
# What joins the instances of a producing grid to one consumer (semantics 5).
OUTPUT_FORMS = ("plain", "collect", "reduce")
EDGE_KINDS = ("all", "one")
STREAM_POLICIES = ("block", "drop_oldest", "reject")
ATTRIBUTE_KINDS = ("hint", "licence", "requirement")

# Fast flags, one bit each, in this order (semantics 27).
FAST_FLAGS = ("no_nans", "no_infs", "no_signed_zeros", "reciprocal", "contract", "reassociate",
              "approximate")
ALL_FAST = (1 << len(FAST_FLAGS)) - 1

ORDER_FREE = frozenset({"min", "max", "and", "or", "xor", "argmin", "argmax", "any", "all"})


def fast_words(mask: int) -> str:
    """`.fast` or `.fast(contract, reassociate)` for the text form; empty for none."""
    if not mask:
        return ""
    if mask == ALL_FAST:
        return ".fast"
    words = [w for bit, w in enumerate(FAST_FLAGS) if mask >> bit & 1]
    return f".fast({', '.join(words)})"


def reduction_takes(op: str, element: ScalarType) -> bool:
    """Whether `op` is defined on elements of this type."""
    if op in ("any", "all"):
        return element is ty.I1
    if op in ("and", "or", "xor"):
        return element is ty.I1 or element.is_integer
    return element is not ty.I1


def update_takes(op: str, element: ScalarType) -> bool:
    """Whether an atomic update by `op` is defined on elements of this type."""
    if op == "exchange":
        return True
    if op in ("and", "or", "xor"):
        return element.is_integer
    return element is not ty.I1
