"""What a program written in Python uses: types, kinds of ports, and operations.

An operation is only a name here: the compiler knows what it means. Those that are instructions are
made from the instruction table, so `hvisa.popcount` is there because the row `popcount` is. Called from
plain Python, an operation acts on numbers, as far as it has a meaning there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hvisa.diagnostics import fail
from hvisa.frontends.python.annotations import (
    STRIDED,
    BufferKind,
    StreamKind,
    VectorKind,
    copy_of,
    dimension,
)
from hvisa.spec import dimensions as dim_module, types as ty
from hvisa.spec.definitions import Form, InstrDef, Level
from hvisa.spec.dimensions import Dim
from hvisa.spec.table import ROWS

_T = TypeVar("_T")
# The operations that join elements, and the operator of each.
REDUCING = {"sum": "add", "prod": "mul", "min": "min", "max": "max", "any": "any", "all": "all",
            "argmin": "argmin", "argmax": "argmax"}
# The arguments that operations take by name; all others are taken by position alone.
KEYWORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("split", "join", "flip"), ("axis",)),
    **dict.fromkeys((*REDUCING, "amax", "amin", "mean"), ("axis", "keepdims")),
    **dict.fromkeys(("zeros", "empty", "ones", "full", "zeros_like", "empty_like", "ones_like",
                     "full_like", "arange"), ("dtype",)),
    **dict.fromkeys(("sort", "argsort"), ("axis", "kind")),
    **dict.fromkeys(("cumsum", "cumprod"), ("axis",)),
    "transpose": ("axes",), **dict.fromkeys(("group_scan", "scan"), ("exclusive",))}


class Operation:
    """A name that the compiler knows. `row` is the instruction that it stands for, if it is one;
    `keywords` are the arguments that it takes by name."""

    def __init__(self, name: str, doc: str, row: InstrDef | None = None):
        self.name = name
        self.__doc__ = doc
        self.row = row
        self.keywords = KEYWORDS.get(name, ())
        self.builtin = False  # Python's own function of the name, which takes arrays row by row

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        from hvisa.frontends.python.emulation import run_operation
        return run_operation(self, arguments, named)

    def __repr__(self) -> str:
        return f"hvisa.{self.name}"


# The functions of the mathematics that have variants `.fast`.
_FAST = ("exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sincos asin acos atan atan2 sinh cosh tanh "
         "asinh acosh atanh cbrt erf pow hypot")


class LibraryFunction:
    """A function of the module `math` of the standard library (semantics 16).

    `ports` are its numbers by name, as the module has them: of the type behind the colon, or of the
    function's own (None). In Python the `optional` one stands last and is 0 if not given. Results are of
    the types that are named, or of the own one. The own type is one of `types`: the one in which the
    arguments meet, or, if `typed`, what stands first in a call. `fast` says whether there are fast
    variants. `runner` gives the value on plain numbers; what can run programs sets it.
    """

    runner: Callable[[LibraryFunction, tuple[Any, ...]], Any] | None = None

    def __init__(self, name: str, ports: str, results: str = "own", *, types: str = "f32 f64",
                 typed: bool = False, optional: str = "", doc: str = ""):
        self.name = name
        self.ports = {n: ty.BY_NAME.get(t) for n, _, t in (p.partition(":") for p in ports.split())}
        self.results = [ty.BY_NAME.get(r) for r in results.split()]
        self.types = tuple(ty.BY_NAME[t] for t in types.split())
        self.typed = typed
        self.parameters = sorted(self.ports, key=lambda n: n == optional)
        self.least = len(self.ports) - bool(optional)
        self.fast = name in _FAST.split()
        self.__doc__ = doc or f"`{name}` of the standard mathematics, for f32 and f64."

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if named:
            raise fail("HV1211", f"`{self.name}` takes no `{next(iter(named))}`",
                       help="its arguments stand in order; for fast variants: `@hvisa.leaf(fast=True)`")
        assert LibraryFunction.runner is not None, "set by `hvisa`"
        return LibraryFunction.runner(self, arguments)

    def __repr__(self) -> str:
        return f"hvisa.{self.name}"

    def symbol(self, own: ty.ScalarType | None, fast: bool = False) -> str:
        """What the module calls it."""
        return (self.name if own is None else f"{self.name}.{own}") + ".fast" * fast

    @property
    def symbols(self) -> list[str]:
        """What the module calls it, for all types, and its fast variants."""
        return [self.symbol(t, f) for t in self.types or (None,) for f in (False, True)[:1 + self.fast]]

    def signature(self, own: ty.ScalarType | None) -> tuple[list[ty.ScalarType], list[ty.ScalarType]]:
        """The types of what it takes and gives, in the module's order."""
        takes, gives = ([t or own for t in types] for types in (self.ports.values(), self.results))
        return [t for t in takes if t is not None], [t for t in gives if t is not None]

    def in_order(self, arguments: Sequence[_T], zero: _T) -> dict[str, _T]:
        """Arguments of a call, as many as it takes, in the module's order."""
        given = dict(zip(self.parameters, arguments, strict=False))
        return {name: given.get(name, zero) for name in self.ports}

    @property
    def count(self) -> str:
        """How many arguments it takes, in words."""
        most = len(self.ports)
        numbers = f"{self.least} to {most} " if self.least < most else f"{most} "
        return ("a type and " if self.typed else "") + numbers + (
            "number" if self.typed else "argument") + "s" * (most != 1)


MATH_VERSION = 1  # of the mathematics that new modules use

In = BufferKind("In", "in")
Out = BufferKind("Out", "out")
InOut = BufferKind("InOut", "inout")
Checked = BufferKind("Checked", "inout", "own checked")
Shared = BufferKind("Shared", "inout", "shared")
Accumulate = BufferKind("Accumulate", "inout", "accumulate")
Stream = StreamKind()
vec = VectorKind()


def dims(names: str) -> Dim | tuple[Dim, ...]:
    """Symbolic dimensions: `n = dims("n")`, `m, k = dims("m k")`. A string in an annotation and the
    symbol of that name are the same."""
    found = tuple(dim_module.symbol(n) for n in names.replace(",", " ").split())
    return found[0] if len(found) == 1 else found


def ceildiv(a: Any, b: Any) -> Any:
    """a / b rounded up, of dimensions or integers; b is at least 1."""
    if isinstance(a, (Dim, str)) or isinstance(b, (Dim, str)):
        return dim_module.ceildiv(dimension(a), dimension(b))
    return -(-a // b)


# Operations without a row of their own, or whose row is written in another way.
_LEAF: dict[str, str] = {
    "grid": "The ids of this instance in a grid of these extents; the first statement of a leaf.",
    "local": "A private array of this instance, zero at first: `t = hvisa.local(f32, 16)`.",
    "barrier": "Wait until all instances of the parent are here.",
    "print": "Write a line for debugging: `hvisa.print(\"x = {}\", x)`.",
    "update": "Join a value into an element as one step: `hvisa.update(\"min\", h[b], v)`.",
    "atomic": "The same, giving the old value: `old = hvisa.atomic(\"add\", h[b], 1)`.",
    "compare_exchange": "`old = hvisa.compare_exchange(h[b], expected, value)`.",
    "set_extent": "How many leading elements of an `Out[i32, \"f <= n\"]` are valid.",
    "splat": "A vector with one number in every lane: `hvisa.splat(x, 4)`.",
    "permute": "Lanes of a vector in another order: `hvisa.permute(v, 3, 2, 1, 0)`.",
    "fold_lanes": "The lanes of a vector joined: `hvisa.fold_lanes(\"add\", v)`.",
    "bitcast": "The same bits as another type: `hvisa.bitcast(u32, x)`.",
    "sum": "The sum of a generator: `hvisa.sum(x[k] for k in range(n))`; fixed order, vectorised.",
    "prod": "The product of a generator.",
    "min": "The smaller of two numbers (NaN wins), the least of a generator or of an array.",
    "max": "The greater of two numbers (NaN wins), the greatest of a generator or of an array.",
    "any": "Whether a condition holds for any element of a generator.",
    "all": "Whether a condition holds for all elements of a generator.",
    "argmin": "The least of a generator over one range, and where it is.",
    "argmax": "The greatest of a generator over one range, and where it is.",
    "group_reduce": "The values of all instances of the parent joined: `group_reduce(\"add\", x)`.",
    "group_scan": "Those up to this instance: `group_scan(\"add\", x, exclusive=True)`.",
    "static_range": "`range` whose loop is unrolled; its bounds are constants.",
}
_GRAPH: dict[str, str] = {
    "scratch": "A buffer of one instance of a graph: `t = hvisa.scratch(f32, 32, 32)`.",
    "zeros": "A new buffer of zeros: `z = hvisa.zeros(i32, n)`.",
    "collect": "A per-instance result as a buffer: `v = hvisa.collect(f(x))`.",
    "reduce": "Per-instance results joined: `m = hvisa.reduce(\"max\", f(x))`.",
    "split": "Disjoint parts of a buffer: `a, b = hvisa.split(x, k, axis=0)`.",
    "join": "Parts one after another: `x = hvisa.join(a, b, axis=0)`.",
    "match": "State that two dimensions are equal; a launch error if not.",
    "delay": "A stream one item later: `last = hvisa.delay(init)`, then `last.next = state`.",
    "where": "`a` where a condition holds, else `b`, of whole arrays.",
    "mean": "The mean of an array, of all elements or along an axis.",
    "transpose": "The array with its dimensions reversed, or in another order.",
    "flip": "The array backwards, along an axis or all of them.",
    "dot": "The product of two vectors, or of matrices; as `@`.",
    "matmul": "The product of two matrices, or of stacks of them; as `@`.",
    "outer": "All products of an element of one vector with one of another.",
    "clip": "The array with what is less than the one bound or more than the other replaced by it.",
    "copy": "The array as it is now.",
    "empty": "As `zeros`.",
    "ones": "A new array of ones: `hvisa.ones(i32, n)`.",
    "full": "A new array of one number: `hvisa.full((n, m), 0.5)`.",
    "zeros_like": "A new buffer of zeros with the shape and type of another array.",
    "empty_like": "As `zeros_like`.",
    "ones_like": "A new array of ones with the shape and type of another.",
    "full_like": "A new array of one number with the shape and type of another.",
    "arange": "Whole numbers in order: `hvisa.arange(n)`.",
    "scan": "Each element joined with all before it: `hvisa.scan(\"add\", x, exclusive=True)`.",
    "sort": "The elements of an array of one axis in order; NaN comes last.",
    "argsort": "Where the elements come from that `sort` gives; equal ones keep their order.",
    "sort_pairs": "Keys in order, each with its value: `k, v = hvisa.sort_pairs(keys, values)`.",
    "take": "The elements at some places: `hvisa.take(x, hvisa.argsort(y))`.",
    "compact": "The elements that a condition keeps: `hvisa.compact(x, x > 0)`.",
    "bincount": "How often each of the numbers 0 to bins - 1 occurs: `hvisa.bincount(x, bins)`.",
    "histogram": "How many elements lie in equal classes: `hvisa.histogram(x, bins, low, high)`.",
}
# Functions that numpy has and that are operators here; known by numpy's names alone, on whole arrays.
_NUMPY = {name: Operation(name, f"numpy.{name}, on whole arrays.") for name in (
    "divide", "square", "logical_and", "logical_or", "logical_xor", "logical_not", "amax", "amin", "cumsum",
    "cumprod", "compress", "flatnonzero")}

_ONE = ("exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh "
        "atanh rsqrt cbrt erf erfc lgamma tgamma round_half_even")
_TWO = "pow hypot fmod remainder copysign nextafter"
MATHEMATICS: dict[str, LibraryFunction] = {f.name: f for f in [
    *(LibraryFunction(n, "x") for n in _ONE.split()), *(LibraryFunction(n, "x y") for n in _TWO.split()),
    LibraryFunction("atan2", "y x"), LibraryFunction("powi", "x n:i32"),
    LibraryFunction("ldexp", "x n:i32"), LibraryFunction("sincos", "x", "own own"),
    LibraryFunction("frexp", "x", "own i32"), LibraryFunction("modf", "x", "own own")]}
_ELEMENT, _BLOCK = "seed:u64 stream:u64 index:u64", "seed:u64 stream:u64 block:u64"
RANDOM: dict[str, LibraryFunction] = {f.name: f for f in [
    LibraryFunction("philox4x32", "c0:u32 c1:u32 c2:u32 c3:u32 k0:u32 k1:u32", "u32 u32 u32 u32", types="",
                    doc="The four words that Philox 4x32-10 makes of a counter and a key."),
    LibraryFunction("random_bits", _ELEMENT, types="u32 u64", typed=True, optional="stream",
                    doc="Random bits: `hvisa.random_bits(u32, seed, index)`."),
    LibraryFunction("random_uniform", _ELEMENT, typed=True, optional="stream",
                    doc="A random number of [0, 1): `hvisa.random_uniform(f32, seed, index)`."),
    LibraryFunction("random_normal", _ELEMENT, typed=True, optional="stream",
                    doc="A random number of the normal distribution: `hvisa.random_normal(f32, seed, i)`."),
    LibraryFunction("random_uniform4", _BLOCK, "own own own own", types="f32", optional="stream",
                    doc="Elements 4 b to 4 b + 3 of `random_uniform`: `hvisa.random_uniform4(seed, b)`."),
    LibraryFunction("random_normal4", _BLOCK, "own own own own", types="f32", optional="stream",
                    doc="Elements 4 b to 4 b + 3 of `random_normal`: `hvisa.random_normal4(seed, b)`.")]}
LIBRARY = MATHEMATICS | RANDOM


def _from_rows() -> dict[str, Operation]:
    """An operation for each instruction that takes numbers and gives one."""
    return {name: Operation(name, row.doc, row) for name, row in ROWS.items()
            if row.form is Form.PLAIN and row.level & Level.BODY and row.semantics is not None
            and not row.regions and row.signature.results}


def _all() -> dict[str, Any]:
    found: dict[str, Any] = dict(_from_rows())
    for mnemonic in ("group_any", "group_all", "group_broadcast", "group_shuffle"):
        found[mnemonic] = Operation(mnemonic, ROWS[mnemonic].doc, ROWS[mnemonic])
    found |= {name: Operation(name, doc) for name, doc in (_LEAF | _GRAPH).items()}
    found |= LIBRARY
    found |= {t.name: t for t in ty.SCALARS}
    return found | {"In": In, "Out": Out, "InOut": InOut, "Checked": Checked, "Shared": Shared,
                    "Accumulate": Accumulate, "Stream": Stream, "vec": vec, "dims": dims,
                    "ceildiv": ceildiv, "strided": STRIDED, "copy_of": copy_of}


NAMES: dict[str, Any] = _all()

# Python's and numpy's own names for the same things, by the objects that a body's names stand for.
_ALIASES: dict[str, tuple[str, ...]] = {
    "abs": ("abs", "math.fabs", "numpy.abs", "numpy.fabs"), "min": ("min", "numpy.minimum"),
    "max": ("max", "numpy.maximum"), "sqrt": ("math.sqrt", "numpy.sqrt"),
    "floor": ("numpy.floor",), "ceil": ("numpy.ceil",), "trunc": ("numpy.trunc",),
    "fma": ("math.fma",), "sum": ("sum", "numpy.sum"), "any": ("any", "numpy.any"),
    "all": ("all", "numpy.all"), "where": ("numpy.where",), "mean": ("numpy.mean",),
    "print": ("print",), "prod": ("math.prod", "numpy.prod"), "argmin": ("numpy.argmin",),
    "argmax": ("numpy.argmax",), "is_nan": ("math.isnan", "numpy.isnan"),
    "amax": ("numpy.max", "numpy.amax"), "amin": ("numpy.min", "numpy.amin"),
    **{name: (f"numpy.{name}",) for name in (
        "transpose", "flip", "dot", "matmul", "outer", "clip", "copy", "empty", "zeros", "ones", "full",
        "zeros_like", "empty_like", "ones_like", "full_like", "arange", "sort", "argsort", "take", *_NUMPY)
        if name not in ("amax", "amin")},
    **{name: (f"numpy.{numpy}",) for name, numpy in {
        "add": "add", "sub": "subtract", "mul": "multiply", "neg": "negative", "eq": "equal",
        "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
        "ge": "greater_equal"}.items()},
    **{name: tuple(f"{m}.{p}" for m in ("math", "numpy") for p in (name, python)
                if (m, p) != ("numpy", "remainder"))  # which is Python's `%`
       for name, python in [(n, {"asin": "arcsin", "acos": "arccos", "atan": "arctan",
                                 "sinh": "sinh", "atan2": "arctan2", "asinh": "arcsinh",
                                 "acosh": "arccosh", "atanh": "arctanh", "pow": "power",
                                 "tgamma": "gamma"}.get(n, n)) for n in MATHEMATICS]},
}


def _builtin(name: str) -> Operation:
    made = Operation(name, NAMES[name].__doc__ or "", NAMES[name].row)
    made.builtin = True
    return made


@functools.cache
def aliases() -> dict[int, Any]:
    """By the identity of a function of Python, `math` or numpy: what it is here."""
    import builtins
    import importlib
    found: dict[int, Any] = {}
    for name, places in _ALIASES.items():
        for place in places:
            module, _, attribute = place.rpartition(".")
            owner: Any = importlib.import_module(module) if module else builtins
            python: Callable[..., Any] | None = getattr(owner, attribute, None)
            if python is not None:
                found[id(python)] = _NUMPY[name] if name in _NUMPY else NAMES[name] if module \
                    or name not in REDUCING else _builtin(name)
    return found
