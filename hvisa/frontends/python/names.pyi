"""What a program written in Python uses, as editors see it. Made by tools/stubs.py."""

# An int meets an integer type as it is and a float makes f64 of it, and to a checker an int is a float.
# pyright: reportOverlappingOverload=false

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import (
    Annotated as Checked,
    Annotated as In,
    Annotated as InOut,
    Annotated as Out,
    Annotated as Shared,
    Annotated as Stream,
    Any,
    Literal,
    Protocol,
    Self,
    SupportsIndex,
    TypeVar,
    overload,
)

from hvisa.spec.definitions import InstrDef
from hvisa.spec.types import ScalarType

__all__ = [
    "add", "sub", "mul", "div", "rem", "neg", "abs", "min", "max", "fma", "sqrt", "floor", "ceil",
    "trunc", "round", "mul_high", "add_sat", "sub_sat", "xor", "shl", "shr", "rotl", "rotr",
    "funnel_shl", "funnel_shr", "clz", "ctz", "popcount", "bit_reverse", "byte_swap", "eq", "ne",
    "lt", "le", "gt", "ge", "is_nan", "sign_bit", "total_lt", "select", "pack", "splat", "extract",
    "insert", "permute", "fold_lanes", "convert", "bitcast", "group_any", "group_all",
    "group_broadcast", "group_shuffle", "grid", "local", "barrier", "print", "update", "atomic",
    "compare_exchange", "set_extent", "sum", "prod", "any", "all", "argmin", "argmax",
    "group_reduce", "group_scan", "static_range", "scratch", "zeros", "collect", "reduce", "split",
    "join", "match", "delay", "where", "mean", "transpose", "flip", "dot", "matmul", "outer",
    "clip", "copy", "empty", "ones", "full", "zeros_like", "empty_like", "ones_like", "full_like",
    "arange", "scan", "sort", "argsort", "sort_pairs", "take", "compact", "bincount", "histogram",
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin",
    "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "rsqrt", "cbrt", "erf",
    "erfc", "lgamma", "tgamma", "round_half_even", "pow", "hypot", "fmod", "remainder", "copysign",
    "nextafter", "atan2", "powi", "ldexp", "sincos", "frexp", "modf", "philox4x32", "random_bits",
    "random_uniform", "random_normal", "random_uniform4", "random_normal4", "i1", "i8", "i16",
    "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "index", "In", "Out",
    "InOut", "Checked", "Shared", "Accumulate", "Stream", "vec", "dims", "ceildiv", "strided",
    "copy_of"
]

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
    def sum(self, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> Self: ...
    def prod(self, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> Self: ...
    def min(self, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> Self: ...
    def max(self, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> Self: ...
    def mean(self, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> Self: ...
    def any(self, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> i1: ...
    def all(self, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> i1: ...
    def argmin(self, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> tuple[Self, index]: ...
    def argmax(self, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> tuple[Self, index]: ...
    def __len__(self) -> int: ...
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

class _Float(_Number):
    def __setitem__(self, at: _Places, value: _Number | float, /) -> None: ...
    def __float__(self) -> float: ...
    @overload
    def __add__(self, other: float, /) -> Self: ...
    @overload
    def __add__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __radd__(self, other: float, /) -> Self: ...
    @overload
    def __sub__(self, other: float, /) -> Self: ...
    @overload
    def __sub__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rsub__(self, other: float, /) -> Self: ...
    @overload
    def __mul__(self, other: float, /) -> Self: ...
    @overload
    def __mul__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rmul__(self, other: float, /) -> Self: ...
    @overload
    def __truediv__(self, other: float, /) -> Self: ...
    @overload
    def __truediv__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rtruediv__(self, other: float, /) -> Self: ...

class _Integer(_Number):
    def __setitem__(self, at: _Places, value: _Integer | int, /) -> None: ...
    def __index__(self) -> int: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __invert__(self) -> Self: ...
    @overload
    def __add__(self, other: int, /) -> Self: ...
    @overload
    def __add__(self, other: float, /) -> f64: ...
    @overload
    def __add__(self, other: _Joins[Self, _T], /) -> _T: ...
    @overload
    def __radd__(self, other: int, /) -> Self: ...
    @overload
    def __radd__(self, other: float, /) -> f64: ...
    @overload
    def __sub__(self, other: int, /) -> Self: ...
    @overload
    def __sub__(self, other: float, /) -> f64: ...
    @overload
    def __sub__(self, other: _Joins[Self, _T], /) -> _T: ...
    @overload
    def __rsub__(self, other: int, /) -> Self: ...
    @overload
    def __rsub__(self, other: float, /) -> f64: ...
    @overload
    def __mul__(self, other: int, /) -> Self: ...
    @overload
    def __mul__(self, other: float, /) -> f64: ...
    @overload
    def __mul__(self, other: _Joins[Self, _T], /) -> _T: ...
    @overload
    def __rmul__(self, other: int, /) -> Self: ...
    @overload
    def __rmul__(self, other: float, /) -> f64: ...
    @overload
    def __floordiv__(self, other: int, /) -> Self: ...
    @overload
    def __floordiv__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rfloordiv__(self, other: int, /) -> Self: ...
    @overload
    def __mod__(self, other: int, /) -> Self: ...
    @overload
    def __mod__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rmod__(self, other: int, /) -> Self: ...
    @overload
    def __and__(self, other: int, /) -> Self: ...
    @overload
    def __and__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rand__(self, other: int, /) -> Self: ...
    @overload
    def __or__(self, other: int, /) -> Self: ...
    @overload
    def __or__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __ror__(self, other: int, /) -> Self: ...
    @overload
    def __xor__(self, other: int, /) -> Self: ...
    @overload
    def __xor__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rxor__(self, other: int, /) -> Self: ...
    @overload
    def __lshift__(self, other: int, /) -> Self: ...
    @overload
    def __lshift__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rlshift__(self, other: int, /) -> Self: ...
    @overload
    def __rshift__(self, other: int, /) -> Self: ...
    @overload
    def __rshift__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rrshift__(self, other: int, /) -> Self: ...
    @overload
    def __truediv__(self, other: _Integer | float, /) -> f64: ...
    @overload
    def __truediv__(self, other: _Joins[Self, _T], /) -> _T: ...
    def __rtruediv__(self, other: float, /) -> f64: ...

class i1(_Integer):
    """i1: a truth value. `i1(x)` converts."""

    @overload
    def __joins__(self, left: i1, /) -> i1: ...
    @overload
    def __joins__(self, left: i8, /) -> i8: ...
    @overload
    def __joins__(self, left: i16, /) -> i16: ...
    @overload
    def __joins__(self, left: i32, /) -> i32: ...
    @overload
    def __joins__(self, left: i64, /) -> i64: ...
    @overload
    def __joins__(self, left: u8, /) -> u8: ...
    @overload
    def __joins__(self, left: u16, /) -> u16: ...
    @overload
    def __joins__(self, left: u32, /) -> u32: ...
    @overload
    def __joins__(self, left: u64, /) -> u64: ...
    @overload
    def __joins__(self, left: f16, /) -> f16: ...
    @overload
    def __joins__(self, left: bf16, /) -> bf16: ...
    @overload
    def __joins__(self, left: f32, /) -> f32: ...
    @overload
    def __joins__(self, left: f64, /) -> f64: ...
    @overload
    def __joins__(self, left: index, /) -> index: ...

class i8(_Integer):
    """i8: a signed integer of 8 bits. `i8(x)` converts."""

    @overload
    def __joins__(self, left: i1 | i8 | index, /) -> i8: ...
    @overload
    def __joins__(self, left: i16 | u8, /) -> i16: ...
    @overload
    def __joins__(self, left: i32 | u16, /) -> i32: ...
    @overload
    def __joins__(self, left: i64 | u32, /) -> i64: ...
    @overload
    def __joins__(self, left: u64 | f64, /) -> f64: ...
    @overload
    def __joins__(self, left: f16, /) -> f16: ...
    @overload
    def __joins__(self, left: bf16, /) -> bf16: ...
    @overload
    def __joins__(self, left: f32, /) -> f32: ...

class i16(_Integer):
    """i16: a signed integer of 16 bits. `i16(x)` converts."""

    @overload
    def __joins__(self, left: i1 | i8 | i16 | u8 | index, /) -> i16: ...
    @overload
    def __joins__(self, left: i32 | u16, /) -> i32: ...
    @overload
    def __joins__(self, left: i64 | u32, /) -> i64: ...
    @overload
    def __joins__(self, left: u64 | f64, /) -> f64: ...
    @overload
    def __joins__(self, left: f16 | bf16 | f32, /) -> f32: ...

class i32(_Integer):
    """i32: a signed integer of 32 bits. `i32(x)` converts."""

    @overload
    def __joins__(self, left: i1 | i8 | i16 | i32 | u8 | u16 | index, /) -> i32: ...
    @overload
    def __joins__(self, left: i64 | u32, /) -> i64: ...
    @overload
    def __joins__(self, left: u64 | f16 | bf16 | f32 | f64, /) -> f64: ...

class i64(_Integer):
    """i64: a signed integer of 64 bits. `i64(x)` converts."""

    @overload
    def __joins__(self, left: i1 | i8 | i16 | i32 | i64 | u8 | u16 | u32 | index, /) -> i64: ...
    @overload
    def __joins__(self, left: u64 | f16 | bf16 | f32 | f64, /) -> f64: ...

class u8(_Integer):
    """u8: an unsigned integer of 8 bits. `u8(x)` converts."""

    @overload
    def __joins__(self, left: i1 | u8 | index, /) -> u8: ...
    @overload
    def __joins__(self, left: i8 | i16, /) -> i16: ...
    @overload
    def __joins__(self, left: i32, /) -> i32: ...
    @overload
    def __joins__(self, left: i64, /) -> i64: ...
    @overload
    def __joins__(self, left: u16, /) -> u16: ...
    @overload
    def __joins__(self, left: u32, /) -> u32: ...
    @overload
    def __joins__(self, left: u64, /) -> u64: ...
    @overload
    def __joins__(self, left: f16, /) -> f16: ...
    @overload
    def __joins__(self, left: bf16, /) -> bf16: ...
    @overload
    def __joins__(self, left: f32, /) -> f32: ...
    @overload
    def __joins__(self, left: f64, /) -> f64: ...

class u16(_Integer):
    """u16: an unsigned integer of 16 bits. `u16(x)` converts."""

    @overload
    def __joins__(self, left: i1 | u8 | u16 | index, /) -> u16: ...
    @overload
    def __joins__(self, left: i8 | i16 | i32, /) -> i32: ...
    @overload
    def __joins__(self, left: i64, /) -> i64: ...
    @overload
    def __joins__(self, left: u32, /) -> u32: ...
    @overload
    def __joins__(self, left: u64, /) -> u64: ...
    @overload
    def __joins__(self, left: f16 | bf16 | f32, /) -> f32: ...
    @overload
    def __joins__(self, left: f64, /) -> f64: ...

class u32(_Integer):
    """u32: an unsigned integer of 32 bits. `u32(x)` converts."""

    @overload
    def __joins__(self, left: i1 | u8 | u16 | u32 | index, /) -> u32: ...
    @overload
    def __joins__(self, left: i8 | i16 | i32 | i64, /) -> i64: ...
    @overload
    def __joins__(self, left: u64, /) -> u64: ...
    @overload
    def __joins__(self, left: f16 | bf16 | f32 | f64, /) -> f64: ...

class u64(_Integer):
    """u64: an unsigned integer of 64 bits. `u64(x)` converts."""

    @overload
    def __joins__(self, left: i1 | u8 | u16 | u32 | u64 | index, /) -> u64: ...
    @overload
    def __joins__(self, left: i8 | i16 | i32 | i64 | f16 | bf16 | f32 | f64, /) -> f64: ...

class f16(_Float):
    """f16: a float of 16 bits. `f16(x)` converts."""

    @overload
    def __joins__(self, left: i1 | i8 | u8 | f16 | index, /) -> f16: ...
    @overload
    def __joins__(self, left: i16 | u16 | bf16 | f32, /) -> f32: ...
    @overload
    def __joins__(self, left: i32 | i64 | u32 | u64 | f64, /) -> f64: ...

class bf16(_Float):
    """bf16: a float of 16 bits. `bf16(x)` converts."""

    @overload
    def __joins__(self, left: i1 | i8 | u8 | bf16 | index, /) -> bf16: ...
    @overload
    def __joins__(self, left: i16 | u16 | f16 | f32, /) -> f32: ...
    @overload
    def __joins__(self, left: i32 | i64 | u32 | u64 | f64, /) -> f64: ...

class f32(_Float):
    """f32: a float of 32 bits. `f32(x)` converts."""

    @overload
    def __joins__(self, left: i1 | i8 | i16 | u8 | u16 | f16 | bf16 | f32 | index, /) -> f32: ...
    @overload
    def __joins__(self, left: i32 | i64 | u32 | u64 | f64, /) -> f64: ...

class f64(_Float):
    """f64: a float of 64 bits. `f64(x)` converts."""

    def __joins__(
        self, left: i1 | i8 | i16 | i32 | i64 | u8 | u16 | u32 | u64 | f16 | bf16 | f32 | f64 | index, /
    ) -> f64: ...

class index(_Integer):
    """index: an integer of 64 bits that indexes and counts. `index(x)` converts."""

    @overload
    def __joins__(self, left: i1 | index, /) -> index: ...
    @overload
    def __joins__(self, left: i8, /) -> i8: ...
    @overload
    def __joins__(self, left: i16, /) -> i16: ...
    @overload
    def __joins__(self, left: i32, /) -> i32: ...
    @overload
    def __joins__(self, left: i64, /) -> i64: ...
    @overload
    def __joins__(self, left: u8, /) -> u8: ...
    @overload
    def __joins__(self, left: u16, /) -> u16: ...
    @overload
    def __joins__(self, left: u32, /) -> u32: ...
    @overload
    def __joins__(self, left: u64, /) -> u64: ...
    @overload
    def __joins__(self, left: f16, /) -> f16: ...
    @overload
    def __joins__(self, left: bf16, /) -> bf16: ...
    @overload
    def __joins__(self, left: f32, /) -> f32: ...
    @overload
    def __joins__(self, left: f64, /) -> f64: ...

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

def add(a: _S | float, b: _S | float, /) -> _S:
    """a + b. Integers wrap modulo 2^bits; floats round once. Example: `%s = add %x, 1.0`"""
def sub(a: _S | float, b: _S | float, /) -> _S:
    """a - b. Integers wrap modulo 2^bits; floats round once. Example: `%d = sub %x, %y`"""
def mul(a: _S | float, b: _S | float, /) -> _S:
    """a * b. Integers keep the low half; floats round once. Example: `%p = mul %a, %x`"""
def div(a: _S | float, b: _S | float, /) -> _S:
    """a / b. Integers truncate towards zero, the least number divided by -1 wraps to itself, division
    by zero traps (HV0901). Floats follow IEEE 754 and never trap. Example: `%q = div %n, 3`"""
def rem(a: _I | int, b: _I | int, /) -> _I:
    """a - b * trunc(a / b). The sign is that of `a`; the least number over -1 gives 0; division by zero
    traps (HV0901). Example: `%r = rem %i, 4`"""
def neg(a: _S | float, /) -> _S:
    """-a. Integers wrap (unsigned ones modulo 2^bits); floats flip the sign bit, also of NaN and
    zero."""
def abs(a: _S | float, /) -> _S:
    """|a|. The least integer wraps to itself; floats clear the sign bit, also of NaN."""
@overload
def min(values: Iterable[_S], start: _S | float = ..., /) -> _S:
    """The smaller of two numbers (NaN wins), the least of a generator or of an array."""
@overload
def min(a: _S | float, b: _S | float, /, *more: _S | float) -> _S:
    """The smaller of two numbers (NaN wins), the least of a generator or of an array."""
@overload
def min(array: _S, /, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> _S:
    """The smaller of two numbers (NaN wins), the least of a generator or of an array."""
@overload
def max(values: Iterable[_S], start: _S | float = ..., /) -> _S:
    """The greater of two numbers (NaN wins), the greatest of a generator or of an array."""
@overload
def max(a: _S | float, b: _S | float, /, *more: _S | float) -> _S:
    """The greater of two numbers (NaN wins), the greatest of a generator or of an array."""
@overload
def max(array: _S, /, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> _S:
    """The greater of two numbers (NaN wins), the greatest of a generator or of an array."""
def fma(a: _S | float, b: _S | float, c: _S | float, /) -> _S:
    """a * b + c, rounded once. An ordinary strict instruction on every device (semantics 16). Nothing
    else is ever contracted."""
def sqrt(a: _S | float, /) -> _S:
    """Square root, correctly rounded. sqrt(-0) is -0; of anything below zero it is NaN."""
def floor(a: _S | float, /) -> _S:
    """The greatest integral value not above a; the sign of zero is kept."""
def ceil(a: _S | float, /) -> _S:
    """The least integral value not below a; ceil(-0.5) is -0."""
def trunc(a: _S | float, /) -> _S:
    """The integral part of a; the sign of zero is kept."""
def round(a: _S | float, /) -> _S:
    """The nearest integral value, halves away from zero; the sign of zero is kept. Halves to even is
    the library's `round_half_even`."""
def mul_high(a: _I | int, b: _I | int, /) -> _I:
    """The upper half of the full product. For u32, `mul_high(a, b)` is floor(a * b / 2^32); signed
    types use the signed product."""
def add_sat(a: _I | int, b: _I | int, /) -> _I:
    """a + b, held within the range of the type."""
def sub_sat(a: _I | int, b: _I | int, /) -> _I:
    """a - b, held within the range of the type."""
def xor(a: _I | int, b: _I | int, /) -> _I:
    """Bitwise exclusive or; of truth values, just one."""
def shl(a: _I | int, amount: _I | int, /) -> _I:
    """a shifted left by amount modulo the width; zeros come in."""
def shr(a: _I | int, amount: _I | int, /) -> _I:
    """a shifted right by amount modulo the width. The sign bit comes in for signed types, zeros for
    unsigned ones."""
def rotl(a: _I | int, amount: _I | int, /) -> _I:
    """a rotated left by amount modulo the width."""
def rotr(a: _I | int, amount: _I | int, /) -> _I:
    """a rotated right by amount modulo the width."""
def funnel_shl(high: _I | int, low: _I | int, amount: _I | int, /) -> _I:
    """The upper half of high:low shifted left by amount modulo the width."""
def funnel_shr(high: _I | int, low: _I | int, amount: _I | int, /) -> _I:
    """The lower half of high:low shifted right by amount modulo the width."""
def clz(a: _I | int, /) -> _I:
    """Zero bits above the highest one bit; the width if a is 0."""
def ctz(a: _I | int, /) -> _I:
    """Zero bits below the lowest one bit; the width if a is 0."""
def popcount(a: _I | int, /) -> _I:
    """The number of one bits."""
def bit_reverse(a: _I | int, /) -> _I:
    """The bits in the opposite order."""
def byte_swap(a: _I | int, /) -> _I:
    """The bytes in the opposite order."""
def eq(a: _S | float, b: _S | float, /) -> bool:
    """a = b; false if either is NaN; -0 equals +0."""
def ne(a: _S | float, b: _S | float, /) -> bool:
    """a differs from b; true if either is NaN."""
def lt(a: _S | float, b: _S | float, /) -> bool:
    """a < b; false if either is NaN."""
def le(a: _S | float, b: _S | float, /) -> bool:
    """a <= b; false if either is NaN."""
def gt(a: _S | float, b: _S | float, /) -> bool:
    """a > b; false if either is NaN."""
def ge(a: _S | float, b: _S | float, /) -> bool:
    """a >= b; false if either is NaN."""
def is_nan(a: _Number | float, /) -> bool:
    """Whether a is a NaN."""
def sign_bit(a: _Number | float, /) -> bool:
    """Whether the sign bit is set; true of -0, false of every NaN (semantics 13)."""
def total_lt(a: _S | float, b: _S | float, /) -> bool:
    """a comes before b in the total order -inf < ... < -0 < +0 < ... < +inf < NaN. All NaNs are one
    value, the greatest (semantics 13)."""
def select(condition: _Number | bool, a: _S | float, b: _S | float, /) -> _S:
    """a where the condition holds, else b; bits are kept. The condition is one i1, or one for each
    lane. Both a and b are computed."""
def pack(a: _S | float, /, *rest: _S | float) -> _S:
    """A vector of the operands, the first in lane 0. Example: `%v = pack %r, %g, %b`"""
def splat(value: _S | float, lanes: int, /) -> _S:
    """A vector with one number in every lane: `hvisa.splat(x, 4)`."""
def extract(*arguments: Any, **named: Any) -> Any:
    """One lane of a vector. Example: `%g = extract %rgb, 1`"""
def insert(*arguments: Any, **named: Any) -> Any:
    """The vector with one lane replaced. Example: `%w = insert %v, %x, 3`"""
def permute(vector: _S, /, *lanes: int) -> _S:
    """Lanes of a vector in another order: `hvisa.permute(v, 3, 2, 1, 0)`."""
@overload
def fold_lanes(
    operator: Literal["add", "mul", "min", "max", "and", "or", "xor", "any", "all"], value: _S, /
) -> _S:
    """The lanes of a vector joined: `hvisa.fold_lanes("add", v)`."""
@overload
def fold_lanes(operator: Literal["argmin", "argmax"], value: _S, /) -> tuple[_S, index]:
    """The lanes of a vector joined: `hvisa.fold_lanes("add", v)`."""
def convert(*arguments: Any, **named: Any) -> Any:
    """The number a as another type. Integer to integer wraps. Float to integer truncates towards zero
    and saturates; NaN gives 0. Integer or float to float rounds once, to nearest even. To i1: a differs
    from 0 (true of NaN). From i1: 0 or 1. Example: `%f = convert f32 %i`"""
def bitcast(type: type[_S], value: _Number | float, /) -> _S:
    """The same bits as another type: `hvisa.bitcast(u32, x)`."""
def group_any(*arguments: Any, **named: Any) -> Any:
    """True if any instance's operand is true."""
def group_all(*arguments: Any, **named: Any) -> Any:
    """True if every instance's operand is true."""
def group_broadcast(a: _S | float, instance: SupportsIndex, /) -> _S:
    """The operand of one instance. `instance` is its linear number and must be parent-uniform; 0 of the
    type if there is none such."""
def group_shuffle(a: _S | float, instance: SupportsIndex, /) -> _S:
    """The operand of the instance with this linear number; 0 of the type if there is none."""
@overload
def grid(extent: _Extent, /) -> index:
    """The ids of this instance in a grid of these extents; the first statement of a leaf."""
@overload
def grid(a: _Extent, b: _Extent, /) -> tuple[index, index]:
    """The ids of this instance in a grid of these extents; the first statement of a leaf."""
@overload
def grid(a: _Extent, b: _Extent, c: _Extent, /) -> tuple[index, index, index]:
    """The ids of this instance in a grid of these extents; the first statement of a leaf."""
def local(type: type[_S], /, *extents: _Extent) -> _S:
    """A private array of this instance, zero at first: `t = hvisa.local(f32, 16)`."""
def barrier() -> None:
    """Wait until all instances of the parent are here."""
def print(*values: object) -> None:
    """Write a line for debugging: `hvisa.print("x = {}", x)`."""
def update(
    operator: Literal["add", "min", "max", "and", "or", "xor"], element: Any, value: _Number | float, /
) -> None:
    """Join a value into an element as one step: `hvisa.update("min", h[b], v)`."""
def atomic(
    operator: Literal["add", "min", "max", "and", "or", "xor", "exchange"], element: _S, value: _Number | float, /
) -> _S:
    """The same, giving the old value: `old = hvisa.atomic("add", h[b], 1)`."""
def compare_exchange(element: _S, expected: _Number | float, value: _Number | float, /) -> _S:
    """`old = hvisa.compare_exchange(h[b], expected, value)`."""
def set_extent(buffer: _Number, count: SupportsIndex, /) -> None:
    """How many leading elements of an `Out[i32, "f <= n"]` are valid."""
@overload
def sum(values: Iterable[_S], start: _S | float = ..., /) -> _S:
    """The sum of a generator: `hvisa.sum(x[k] for k in range(n))`; fixed order, vectorised."""
@overload
def sum(values: Iterable[float], start: float = ..., /) -> index:
    """The sum of a generator: `hvisa.sum(x[k] for k in range(n))`; fixed order, vectorised."""
@overload
def sum(array: _S, /, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> _S:
    """The sum of a generator: `hvisa.sum(x[k] for k in range(n))`; fixed order, vectorised."""
@overload
def prod(values: Iterable[_S], start: _S | float = ..., /) -> _S:
    """The product of a generator."""
@overload
def prod(values: Iterable[float], start: float = ..., /) -> index:
    """The product of a generator."""
@overload
def prod(array: _S, /, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> _S:
    """The product of a generator."""
@overload
def any(values: Iterable[object], /) -> bool:
    """Whether a condition holds for any element of a generator."""
@overload
def any(array: _Number, /, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> Any:
    """Whether a condition holds for any element of a generator."""
@overload
def all(values: Iterable[object], /) -> bool:
    """Whether a condition holds for all elements of a generator."""
@overload
def all(array: _Number, /, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> Any:
    """Whether a condition holds for all elements of a generator."""
@overload
def argmin(values: Iterable[_S], /) -> tuple[_S, index]:
    """The least of a generator over one range, and where it is."""
@overload
def argmin(array: _Number, /, axis: int | None = ..., keepdims: bool = ...) -> Any:
    """The least of a generator over one range, and where it is."""
@overload
def argmax(values: Iterable[_S], /) -> tuple[_S, index]:
    """The greatest of a generator over one range, and where it is."""
@overload
def argmax(array: _Number, /, axis: int | None = ..., keepdims: bool = ...) -> Any:
    """The greatest of a generator over one range, and where it is."""
@overload
def group_reduce(
    operator: Literal["add", "mul", "min", "max", "and", "or", "xor", "any", "all"], value: _S, /
) -> _S:
    """The values of all instances of the parent joined: `group_reduce("add", x)`."""
@overload
def group_reduce(operator: Literal["argmin", "argmax"], value: _S, /) -> tuple[_S, index]:
    """The values of all instances of the parent joined: `group_reduce("add", x)`."""
def group_scan(
    operator: Literal["add", "mul", "min", "max", "and", "or", "xor"], value: _S, /, *, exclusive: bool = ...
) -> _S:
    """Those up to this instance: `group_scan("add", x, exclusive=True)`."""
@overload
def static_range(stop: int, /) -> range:
    """`range` whose loop is unrolled; its bounds are constants."""
@overload
def static_range(start: int, stop: int, step: int = ..., /) -> range:
    """`range` whose loop is unrolled; its bounds are constants."""
def scratch(type: type[_S], /, *extents: _Extent) -> _S:
    """A buffer of one instance of a graph: `t = hvisa.scratch(f32, 32, 32)`."""
def zeros(type: type[_S], /, *extents: _Extent) -> _S:
    """A new buffer of zeros: `z = hvisa.zeros(i32, n)`."""
def collect(result: _S, /) -> _S:
    """A per-instance result as a buffer: `v = hvisa.collect(f(x))`."""
def reduce(
    operator: Literal["add", "mul", "min", "max", "and", "or", "xor", "argmin", "argmax", "any", "all"], result: _S, /
) -> _S:
    """Per-instance results joined: `m = hvisa.reduce("max", f(x))`."""
def split(buffer: _S, /, *at: _Extent, axis: int = ...) -> tuple[_S, ...]:
    """Disjoint parts of a buffer: `a, b = hvisa.split(x, k, axis=0)`."""
def join(*parts: _S, axis: int = ...) -> _S:
    """Parts one after another: `x = hvisa.join(a, b, axis=0)`."""
def match(a: _Extent, b: _Extent, /) -> None:
    """State that two dimensions are equal; a launch error if not."""
def delay(init: _S, /) -> _S:
    """A stream one item later: `last = hvisa.delay(init)`, then `last.next = state`."""
def where(condition: object, a: _S | float, b: _S | float, /) -> _S:
    """`a` where a condition holds, else `b`, of whole arrays."""
def mean(array: _S, /, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> _S:
    """The mean of an array, of all elements or along an axis."""
def transpose(array: _S, axes: tuple[int, ...] | None = ..., /) -> _S:
    """The array with its dimensions reversed, or in another order."""
def flip(array: _S, axis: int | None = ..., /) -> _S:
    """The array backwards, along an axis or all of them."""
def dot(a: _S, b: _S, /) -> _S:
    """The product of two vectors, or of matrices; as `@`."""
def matmul(a: _S, b: _S, /) -> _S:
    """The product of two matrices, or of stacks of them; as `@`."""
def outer(a: _S, b: _S, /) -> _S:
    """All products of an element of one vector with one of another."""
def clip(array: _S, low: _S | float | None, high: _S | float | None, /) -> _S:
    """The array with what is less than the one bound or more than the other replaced by it."""
def copy(array: _S, /) -> _S:
    """The array as it is now."""
def empty(type: type[_S], /, *extents: _Extent) -> _S:
    """As `zeros`."""
def ones(type: type[_S], /, *extents: _Extent) -> _S:
    """A new array of ones: `hvisa.ones(i32, n)`."""
def full(shape: Any, value: _S, /, dtype: Any = ...) -> _S:
    """A new array of one number: `hvisa.full((n, m), 0.5)`."""
def zeros_like(array: _S, /, dtype: Any = ...) -> _S:
    """A new buffer of zeros with the shape and type of another array."""
def empty_like(array: _S, /, dtype: Any = ...) -> _S:
    """As `zeros_like`."""
def ones_like(array: _S, /, dtype: Any = ...) -> _S:
    """A new array of ones with the shape and type of another."""
def full_like(array: _S, value: _Number | float, /, dtype: Any = ...) -> _S:
    """A new array of one number with the shape and type of another."""
def arange(*bounds: _Extent, dtype: Any = ...) -> i64:
    """Whole numbers in order: `hvisa.arange(n)`."""
def scan(*arguments: Any, **named: Any) -> Any:
    """Each element joined with all before it: `hvisa.scan("add", x, exclusive=True)`."""
def sort(*arguments: Any, **named: Any) -> Any:
    """The elements of an array of one axis in order; NaN comes last."""
def argsort(*arguments: Any, **named: Any) -> Any:
    """Where the elements come from that `sort` gives; equal ones keep their order."""
def sort_pairs(*arguments: Any, **named: Any) -> Any:
    """Keys in order, each with its value: `k, v = hvisa.sort_pairs(keys, values)`."""
def take(*arguments: Any, **named: Any) -> Any:
    """The elements at some places: `hvisa.take(x, hvisa.argsort(y))`."""
def compact(*arguments: Any, **named: Any) -> Any:
    """The elements that a condition keeps: `hvisa.compact(x, x > 0)`."""
def bincount(*arguments: Any, **named: Any) -> Any:
    """How often each of the numbers 0 to bins - 1 occurs: `hvisa.bincount(x, bins)`."""
def histogram(*arguments: Any, **named: Any) -> Any:
    """How many elements lie in equal classes: `hvisa.histogram(x, bins, low, high)`."""
def exp(x: _S | float, /) -> _S:
    """`exp` of the standard mathematics, for f32 and f64."""
def exp2(x: _S | float, /) -> _S:
    """`exp2` of the standard mathematics, for f32 and f64."""
def exp10(x: _S | float, /) -> _S:
    """`exp10` of the standard mathematics, for f32 and f64."""
def expm1(x: _S | float, /) -> _S:
    """`expm1` of the standard mathematics, for f32 and f64."""
def log(x: _S | float, /) -> _S:
    """`log` of the standard mathematics, for f32 and f64."""
def log2(x: _S | float, /) -> _S:
    """`log2` of the standard mathematics, for f32 and f64."""
def log10(x: _S | float, /) -> _S:
    """`log10` of the standard mathematics, for f32 and f64."""
def log1p(x: _S | float, /) -> _S:
    """`log1p` of the standard mathematics, for f32 and f64."""
def sin(x: _S | float, /) -> _S:
    """`sin` of the standard mathematics, for f32 and f64."""
def cos(x: _S | float, /) -> _S:
    """`cos` of the standard mathematics, for f32 and f64."""
def tan(x: _S | float, /) -> _S:
    """`tan` of the standard mathematics, for f32 and f64."""
def asin(x: _S | float, /) -> _S:
    """`asin` of the standard mathematics, for f32 and f64."""
def acos(x: _S | float, /) -> _S:
    """`acos` of the standard mathematics, for f32 and f64."""
def atan(x: _S | float, /) -> _S:
    """`atan` of the standard mathematics, for f32 and f64."""
def sinh(x: _S | float, /) -> _S:
    """`sinh` of the standard mathematics, for f32 and f64."""
def cosh(x: _S | float, /) -> _S:
    """`cosh` of the standard mathematics, for f32 and f64."""
def tanh(x: _S | float, /) -> _S:
    """`tanh` of the standard mathematics, for f32 and f64."""
def asinh(x: _S | float, /) -> _S:
    """`asinh` of the standard mathematics, for f32 and f64."""
def acosh(x: _S | float, /) -> _S:
    """`acosh` of the standard mathematics, for f32 and f64."""
def atanh(x: _S | float, /) -> _S:
    """`atanh` of the standard mathematics, for f32 and f64."""
def rsqrt(x: _S | float, /) -> _S:
    """`rsqrt` of the standard mathematics, for f32 and f64."""
def cbrt(x: _S | float, /) -> _S:
    """`cbrt` of the standard mathematics, for f32 and f64."""
def erf(x: _S | float, /) -> _S:
    """`erf` of the standard mathematics, for f32 and f64."""
def erfc(x: _S | float, /) -> _S:
    """`erfc` of the standard mathematics, for f32 and f64."""
def lgamma(x: _S | float, /) -> _S:
    """`lgamma` of the standard mathematics, for f32 and f64."""
def tgamma(x: _S | float, /) -> _S:
    """`tgamma` of the standard mathematics, for f32 and f64."""
def round_half_even(x: _S | float, /) -> _S:
    """`round_half_even` of the standard mathematics, for f32 and f64."""
def pow(x: _S | float, y: _S | float, /) -> _S:
    """`pow` of the standard mathematics, for f32 and f64."""
def hypot(x: _S | float, y: _S | float, /) -> _S:
    """`hypot` of the standard mathematics, for f32 and f64."""
def fmod(x: _S | float, y: _S | float, /) -> _S:
    """`fmod` of the standard mathematics, for f32 and f64."""
def remainder(x: _S | float, y: _S | float, /) -> _S:
    """`remainder` of the standard mathematics, for f32 and f64."""
def copysign(x: _S | float, y: _S | float, /) -> _S:
    """`copysign` of the standard mathematics, for f32 and f64."""
def nextafter(x: _S | float, y: _S | float, /) -> _S:
    """`nextafter` of the standard mathematics, for f32 and f64."""
def atan2(y: _S | float, x: _S | float, /) -> _S:
    """`atan2` of the standard mathematics, for f32 and f64."""
def powi(x: _S | float, n: int | _Integer, /) -> _S:
    """`powi` of the standard mathematics, for f32 and f64."""
def ldexp(x: _S | float, n: int | _Integer, /) -> _S:
    """`ldexp` of the standard mathematics, for f32 and f64."""
def sincos(x: _S | float, /) -> tuple[_S, _S]:
    """`sincos` of the standard mathematics, for f32 and f64."""
def frexp(x: _S | float, /) -> tuple[_S, i32]:
    """`frexp` of the standard mathematics, for f32 and f64."""
def modf(x: _S | float, /) -> tuple[_S, _S]:
    """`modf` of the standard mathematics, for f32 and f64."""
def philox4x32(
    c0: int | _Integer, c1: int | _Integer, c2: int | _Integer, c3: int | _Integer, k0: int | _Integer, k1: int | _Integer, /
) -> tuple[u32, u32, u32, u32]:
    """The four words that Philox 4x32-10 makes of a counter and a key."""
def random_bits(
    type: type[_S], seed: int | _Integer, index: int | _Integer, stream: int | _Integer = ..., /
) -> _S:
    """Random bits: `hvisa.random_bits(u32, seed, index)`."""
def random_uniform(
    type: type[_S], seed: int | _Integer, index: int | _Integer, stream: int | _Integer = ..., /
) -> _S:
    """A random number of [0, 1): `hvisa.random_uniform(f32, seed, index)`."""
def random_normal(
    type: type[_S], seed: int | _Integer, index: int | _Integer, stream: int | _Integer = ..., /
) -> _S:
    """A random number of the normal distribution: `hvisa.random_normal(f32, seed, i)`."""
def random_uniform4(
    seed: int | _Integer, block: int | _Integer, stream: int | _Integer = ..., /
) -> tuple[f32, f32, f32, f32]:
    """Elements 4 b to 4 b + 3 of `random_uniform`: `hvisa.random_uniform4(seed, b)`."""
def random_normal4(
    seed: int | _Integer, block: int | _Integer, stream: int | _Integer = ..., /
) -> tuple[f32, f32, f32, f32]:
    """Elements 4 b to 4 b + 3 of `random_normal`: `hvisa.random_normal4(seed, b)`."""
def dims(names: str) -> Size:
    """Symbolic dimensions: `n = dims("n")`, `m, k = dims("m k")`. A string in an annotation and the
    symbol of that name are the same."""
@overload
def ceildiv(a: int, b: int) -> int:
    """a / b rounded up, of dimensions or integers; b is at least 1."""
@overload
def ceildiv(a: _Extent, b: _Extent) -> index:
    """a / b rounded up, of dimensions or integers; b is at least 1."""
def strided(*arguments: Any, **named: Any) -> Any:
    """What may stand behind the dimensions of a buffer: `strided`, `copy_of("x")`."""
def copy_of(port: str) -> Any:
    """Behind the dimensions of an `Out`: it holds at first what port `port` holds (semantics 6)."""
