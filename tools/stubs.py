"""Writes hvisa/frontends/python/names.pyi, by which editors know what programs in Python use; `--check`
says whether it is up to date.

    python tools/stubs.py [--check]

`In[f32, "n"]` is `Annotated[f32, "n"]` there, so that texts and symbols may stand in it; a port of that
type is an `f32` to a checker, and that class has what a number and what a buffer can.
"""

from __future__ import annotations

import keyword
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hvisa.frontends.python.annotations import BufferKind, StreamKind
from hvisa.frontends.python.names import NAMES, LibraryFunction
from hvisa.frontends.python.promotion import meet
from hvisa.spec import types as ty
from hvisa.spec.definitions import InstrDef
from hvisa.spec.operations import ATOMICS, REDUCTIONS, UPDATES
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType

PATH = Path(__file__).parent.parent / "hvisa" / "frontends" / "python" / "names.pyi"

HEAD = '''"""What a program written in Python uses, as editors see it. Made by tools/stubs.py."""

# An int meets an integer type as it is and a float makes f64 of it, and to a checker an int is a float.
# pyright: reportOverlappingOverload=false

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import (
{annotated}    Any,
    Literal,
    Protocol,
    Self,
    SupportsIndex,
    TypeVar,
    overload,
)

from hvisa.spec.definitions import InstrDef
from hvisa.spec.types import ScalarType

__all__ = [{all}]

class Operation:
    name: str
    row: InstrDef | None
    keywords: tuple[str, ...]
    builtin: bool
    def __init__(self, name: str, doc: str, row: InstrDef | None = None) -> None: ...
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...

class LibraryFunction:
    name: str
    ports: dict[str, ScalarType | None]
    parameters: list[str]
    results: list[ScalarType | None]
    types: tuple[ScalarType, ...]
    typed: bool
    least: int
    fast: bool
    count: str
    symbols: list[str]
    runner: Callable[[LibraryFunction, tuple[Any, ...]], Any] | None
    def __init__(self, name: str, ports: str, results: str = ..., *, types: str = ..., typed: bool = ...,
                 optional: str = ..., doc: str = ...) -> None: ...
    def symbol(self, own: ScalarType | None, fast: bool = ...) -> str: ...
    def signature(self, own: ScalarType | None) -> tuple[list[ScalarType], list[ScalarType]]: ...
    def in_order(self, arguments: Sequence[_T], zero: _T) -> dict[str, _T]: ...

MATH_VERSION: int
NAMES: dict[str, Any]
MATHEMATICS: dict[str, LibraryFunction]
RANDOM: dict[str, LibraryFunction]
LIBRARY: dict[str, LibraryFunction]
REDUCING: dict[str, str]
KEYWORDS: dict[str, tuple[str, ...]]
def aliases() -> dict[int, Any]: ...

_L = TypeVar("_L", contravariant=True)
_R = TypeVar("_R", covariant=True)
_T = TypeVar("_T")
_S = TypeVar("_S", bound=_Number)
_I = TypeVar("_I", bound=_Integer)
_Places = SupportsIndex | slice | None | tuple[SupportsIndex | slice | None, ...]

class _Joins(Protocol[_L, _R]):
    """A type that a number of type `_L` meets in `_R`."""

    def __joins__(self, left: _L, /) -> _R: ...

class _Number:
    """A number, a vector of them, or a buffer of them: what a port of this element type is."""

    ndim: int
    dtype: Any
    next: Any
    def __init__(self, value: _Number | float = ..., /) -> None: ...
    @property
    def shape(self) -> tuple[index, ...]:
        """The extents of a buffer."""
    @property
    def size(self) -> index:
        """The number of elements of a buffer."""
    @property
    def clamp(self) -> Self:
        """Read the nearest element where an index is out of bounds: `x.clamp[i - 1]`."""
    @property
    def zero(self) -> Self:
        """Read 0 where an index is out of bounds: `x.zero[i - 1]`."""
    @property
    def skip(self) -> Self:
        """Write nothing where an index is out of bounds: `y.skip[i + 1] = v`."""
    @property
    def T(self) -> Self: ...
    def vec(self, lanes: int, /) -> Self:
        """Vectors of consecutive elements: `x.vec(4)[4 * i]`."""
    def astype(self, type: type[_S], /) -> _S:
        """The value converted, truncated to integers and saturated."""
    def transpose(self, *axes: Any) -> Self: ...
    def copy(self) -> Self: ...
    def dot(self, other: Self, /) -> Self: ...
    def clip(self, low: Self | float | None, high: Self | float | None, /) -> Self: ...
{reductions}    def __len__(self) -> int: ...
    def __getitem__(self, at: _Places, /) -> Self: ...
    def __matmul__(self, other: Self, /) -> Self: ...
    def __bool__(self) -> bool: ...
    def __neg__(self) -> Self: ...
    def __pos__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __pow__(self, power: int, /) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __lt__(self, other: _Number | float, /) -> bool: ...
    def __le__(self, other: _Number | float, /) -> bool: ...
    def __gt__(self, other: _Number | float, /) -> bool: ...
    def __ge__(self, other: _Number | float, /) -> bool: ...
'''

_FLOAT = '''
class _Float(_Number):
    def __setitem__(self, at: _Places, value: _Number | float, /) -> None: ...
    def __float__(self) -> float: ...
'''
_INTEGER = '''
class _Integer(_Number):
    def __setitem__(self, at: _Places, value: _Integer | int, /) -> None: ...
    def __index__(self) -> int: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __invert__(self) -> Self: ...
'''
_OTHERS = '''
_Extent = int | str | index

class Size(index):
    """A symbolic dimension; several where `dims` names several."""

    def __iter__(self) -> Iterator[Size]: ...

class vec(Any):
    """`vec[f32, 4]`, a type; `vec(a, b, c)`, a value made of its lanes."""

    def __class_getitem__(cls, items: Any, /) -> type[vec]: ...
    def __init__(self, *lanes: _Number | float) -> None: ...

class Accumulate(_Number):
    """A buffer that instances only join values into: `h: Accumulate["add", i32, 256]`."""

    def __class_getitem__(cls, items: Any, /) -> type[Accumulate]: ...
    def __getitem__(self, at: _Places, /) -> Any: ...
    def __setitem__(self, at: _Places, value: Any, /) -> None: ...

'''


def _words(words: tuple[str, ...]) -> str:
    return f"Literal[{', '.join(map(_quoted, words))}]"


def _quoted(word: str) -> str:
    return f'"{word}"'


_NUMBER = "_Number | float"
_ALONG = "axis: int | tuple[int, ...] | None = ..., keepdims: bool = ..."
_EACH = ("(values: Iterable[_S], start: _S | float = ..., /) -> _S",
         "(values: Iterable[float], start: float = ..., /) -> index",
         f"(array: _S, /, {_ALONG}) -> _S")
_LEAST = ("(values: Iterable[_S], start: _S | float = ..., /) -> _S",
          "(a: _S | float, b: _S | float, /, *more: _S | float) -> _S",
          f"(array: _S, /, {_ALONG}) -> _S")
_BUFFER = "(type: type[_S], /, *extents: _Extent) -> _S"
_PAIRED = tuple(w for w in REDUCTIONS if w.startswith("arg"))
_SINGLE = tuple(w for w in REDUCTIONS if w not in _PAIRED)
_REDUCED = (f"(operator: {_words(_SINGLE)}, value: _S, /) -> _S",
            f"(operator: {_words(_PAIRED)}, value: _S, /) -> tuple[_S, index]")
# What stands behind the name of an operation that has no row of its own; more than one: overloads.
SIGNATURES: dict[str, tuple[str, ...]] = {
    "grid": ("(extent: _Extent, /) -> index", "(a: _Extent, b: _Extent, /) -> tuple[index, index]",
             "(a: _Extent, b: _Extent, c: _Extent, /) -> tuple[index, index, index]"),
    "local": (_BUFFER,), "scratch": (_BUFFER,), "zeros": (_BUFFER,),
    "barrier": ("() -> None",), "print": ("(*values: object) -> None",),
    "update": (f"(operator: {_words(UPDATES)}, element: Any, value: {_NUMBER}, /) -> None",),
    "atomic": (f"(operator: {_words(ATOMICS)}, element: _S, value: {_NUMBER}, /) -> _S",),
    "compare_exchange": (f"(element: _S, expected: {_NUMBER}, value: {_NUMBER}, /) -> _S",),
    "set_extent": ("(buffer: _Number, count: SupportsIndex, /) -> None",),
    "splat": ("(value: _S | float, lanes: int, /) -> _S",),
    "permute": ("(vector: _S, /, *lanes: int) -> _S",),
    "fold_lanes": _REDUCED, "group_reduce": _REDUCED,
    "group_scan": (f"(operator: {_words(ROWS['group_scan'].immediates[0].choices)}, value: _S, /, *, "
                   "exclusive: bool = ...) -> _S",),
    "bitcast": (f"(type: type[_S], value: {_NUMBER}, /) -> _S",),
    "sum": _EACH, "prod": _EACH, "min": _LEAST, "max": _LEAST,
    **dict.fromkeys(("any", "all"), ("(values: Iterable[object], /) -> bool",
                                     f"(array: _Number, /, {_ALONG}) -> Any")),
    **dict.fromkeys(("argmin", "argmax"), ("(values: Iterable[_S], /) -> tuple[_S, index]",
                                           "(array: _Number, /, axis: int | None = ..., keepdims: bool "
                                           "= ...) -> Any")),
    "static_range": ("(stop: int, /) -> range", "(start: int, stop: int, step: int = ..., /) -> range"),
    "collect": ("(result: _S, /) -> _S",),
    "reduce": (f"(operator: {_words(REDUCTIONS)}, result: _S, /) -> _S",),
    "split": ("(buffer: _S, /, *at: _Extent, axis: int = ...) -> tuple[_S, ...]",),
    "join": ("(*parts: _S, axis: int = ...) -> _S",),
    "match": ("(a: _Extent, b: _Extent, /) -> None",), "delay": ("(init: _S, /) -> _S",),
    "where": ("(condition: object, a: _S | float, b: _S | float, /) -> _S",),
    "mean": (f"(array: _S, /, {_ALONG}) -> _S",),
    "transpose": ("(array: _S, axes: tuple[int, ...] | None = ..., /) -> _S",),
    "flip": ("(array: _S, axis: int | None = ..., /) -> _S",), "copy": ("(array: _S, /) -> _S",),
    **dict.fromkeys(("dot", "matmul", "outer"), ("(a: _S, b: _S, /) -> _S",)),
    "clip": ("(array: _S, low: _S | float | None, high: _S | float | None, /) -> _S",),
    "empty": (_BUFFER,), "ones": (_BUFFER,),
    "full": ("(shape: Any, value: _S, /, dtype: Any = ...) -> _S",),
    **dict.fromkeys(("zeros_like", "empty_like", "ones_like"), ("(array: _S, /, dtype: Any = ...) -> _S",)),
    "full_like": (f"(array: _S, value: {_NUMBER}, /, dtype: Any = ...) -> _S",),
    "arange": ("(*bounds: _Extent, dtype: Any = ...) -> i64",),
    "dims": ("(names: str) -> Size",),
    "copy_of": ("(port: str) -> Any",),
    "ceildiv": ("(a: int, b: int) -> int", "(a: _Extent, b: _Extent) -> index")}
ANY = "(*arguments: Any, **named: Any) -> Any"


def operators(integer: bool) -> Iterator[str]:
    """The methods of operators, of integers or of floats."""
    joining = ["add", "sub", "mul", *(["floordiv", "mod", "and", "or", "xor", "lshift", "rshift"]
                                      if integer else ["truediv"])]
    for name in joining:
        both = integer and name in ("add", "sub", "mul")
        forms = ["other: int, /) -> Self"] if integer else ["other: float, /) -> Self"]
        forms += ["other: float, /) -> f64"] * both
        yield from _overloads(f"__{name}__", [f"(self, {f}" for f in [
            *forms, "other: _Joins[Self, _T], /) -> _T"]], "", "    ")
        yield from _overloads(f"__r{name}__", [f"(self, {f}" for f in forms], "", "    ")
    if integer:
        yield from _overloads("__truediv__", ["(self, other: _Integer | float, /) -> f64",
                                              "(self, other: _Joins[Self, _T], /) -> _T"], "", "    ")
        yield "    def __rtruediv__(self, other: float, /) -> f64: ..."


def scalar(type_: ScalarType) -> Iterator[str]:
    """The class of a number type."""
    yield f"class {type_.name}(_{'Float' if type_.is_float else 'Integer'}):"
    yield f'    """{_scalar_doc(type_)}"""\n'
    groups: dict[str, list[str]] = {}
    for left in ty.SCALARS:
        # Most numbers of type `index` are ids and counters, which take the type of what they meet.
        found, _ = meet(left, left is ty.INDEX, type_, type_ is ty.INDEX)
        groups.setdefault(found.name, []).append(left.name)
    yield from _overloads("__joins__", [f"(self, left: {' | '.join(lefts)}, /) -> {result}"
                                        for result, lefts in groups.items()], "", "    ")
    yield ""


def _scalar_doc(type_: ScalarType) -> str:
    kind = "a float" if type_.is_float else "a truth value" if type_ is ty.I1 else \
        "an integer of 64 bits that indexes and counts" if type_ is ty.INDEX else \
        "an unsigned integer" if type_.kind == "unsigned" else "a signed integer"
    bits = "" if type_ in (ty.I1, ty.INDEX) else f" of {type_.bits} bits"
    return f"{type_.name}: {kind}{bits}. `{type_.name}(x)` converts."


def row_signature(row: InstrDef) -> str:
    """How the operation of a row is called."""
    if row.immediates or row.type_argument != "none" or not row.classes:
        return ANY
    own = "_S | float" if any(c.is_float for c in row.classes) else "_I | int"
    types = {"T": own, "vector": own, "element": _NUMBER, "mask": "_Number | bool", "i1": "_Number | bool",
             "index": "SupportsIndex"}
    words = [p.word for p in (*(o.pattern for o in row.signature.operands), *row.signature.results)]
    if words.count("T") == 1:  # a variable that stands once says nothing
        types["T"] = _NUMBER if own[1] == "S" else "_Integer | int"
    result = {"mask": "bool", "i1": "bool"}.get(row.signature.results[0].word, own[:2])
    takes = [f"{'*' * o.variadic}{o.name}: {types[o.pattern.word]}" for o in row.signature.operands]
    takes.insert(sum(not o.variadic for o in row.signature.operands), "/")
    return f"({', '.join(takes)}) -> {result}"


def library_signature(found: LibraryFunction) -> str:
    """How a function of the library is called."""
    own = "_S" if found.typed or None in found.ports.values() else "".join(map(str, found.types))
    takes = ["type: type[_S]"] if found.typed else []
    for number, name in enumerate(found.parameters):
        type_ = "int | _Integer" if found.ports[name] is not None else "_S | float"
        takes.append(f"{name}: {type_}{' = ...' * (number >= found.least)}")
    gives = [str(r or own) for r in found.results]
    joined = f"tuple[{', '.join(gives)}]"
    return f"({', '.join(takes)}, /) -> {gives[0] if len(gives) == 1 else joined}"


def _overloads(name: str, forms: list[str], doc: str, indent: str = "") -> Iterator[str]:
    for form in forms:
        if len(forms) > 1:
            yield f"{indent}@overload"
        text = f"{indent}def {name}{form}:"
        if len(text) > 100:
            text = text.replace(f"{name}(", f"{name}(\n{indent}    ").replace(") -> ", f"\n{indent}) -> ")
        if doc:
            yield text
            yield from _docstring(doc, f"{indent}    ")
        else:
            yield f"{text} ..."


def _docstring(doc: str, indent: str) -> Iterator[str]:
    words = " ".join(doc.split()).replace("\\", "\\\\")
    space = " " if words.endswith('"') else ""
    yield textwrap.fill(f'"""{words}{space}"""', 104, initial_indent=indent, subsequent_indent=indent,
                        break_long_words=False, break_on_hyphens=False)


def text() -> str:
    """The file."""
    names = [n for n in NAMES if not keyword.iskeyword(n)]
    annotated = sorted(n for n, found in NAMES.items() if isinstance(found, (BufferKind, StreamKind))
                       and n != "Accumulate")
    listed = textwrap.fill(", ".join(map(_quoted, names)), 100, initial_indent="    ",
                           subsequent_indent="    ", break_on_hyphens=False)
    whole = {**dict.fromkeys(("sum", "prod", "min", "max", "mean"), "Self"), "any": "i1", "all": "i1",
             **dict.fromkeys(("argmin", "argmax"), "tuple[Self, index]")}
    head = HEAD.replace("{annotated}", "".join(f"    Annotated as {n},\n" for n in annotated))
    head = head.replace("{all}", f"\n{listed}\n").replace("{reductions}", "".join(
        f"    def {n}(self, {_ALONG}) -> {result}: ...\n"
        for n, result in whole.items()))
    lines = [head,
             _FLOAT.strip("\n"), *operators(False), _INTEGER.rstrip("\n"), *operators(True), ""]
    for type_ in ty.SCALARS:
        lines += scalar(type_)
    lines.append(_OTHERS.strip("\n") + "\n")
    for name in names:
        found: Any = NAMES[name]
        if name in annotated or isinstance(found, ScalarType) or name in ("vec", "Accumulate"):
            continue
        row = getattr(found, "row", None)
        forms = SIGNATURES.get(name)
        if forms is None and isinstance(found, LibraryFunction):
            forms = (library_signature(found),)
        if forms is None:
            forms = (ANY if row is None else row_signature(row),)
        lines += _overloads(name, list(forms), found.__doc__ or "")
    return "\n".join(lines) + "\n"


def main() -> int:
    if "--check" in sys.argv[1:]:
        current = is_current()
        if not current:
            print(f"{PATH} is out of date: run tools/stubs.py")
        return 0 if current else 1
    PATH.write_text(text(), encoding="utf-8")
    return 0


def is_current() -> bool:
    return PATH.is_file() and PATH.read_text(encoding="utf-8") == text()


if __name__ == "__main__":
    sys.exit(main())
