"""What stands behind the colon: `x: In[f32, "m", "n"]`, `a: f32`, `s: Stream[u8, "h", "w"]`."""

from __future__ import annotations

import ast
from typing import Any

from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.frontends.python.source import place_of_caller
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.limits import LIMITS
from hvisa.spec.operations import DIRECTIONS, MODES, UPDATES
from hvisa.spec.types import ScalarType, Type, VectorType


class AnnotationError(HvisaError):
    """An annotation that can't be; `help` says what to write. Where Python evaluates the annotation,
    when the function is defined, this is what the user sees."""

    def __init__(self, message: str, help: str = "", code: str = "HV1217"):
        super().__init__(Diagnostic(code, message, place_of_caller(), help=help))
        self.code = code
        self.message = message
        self.help = help


class Marker:
    """What may stand behind the dimensions of a buffer: `strided`, `copy_of("x")`."""

    __slots__ = ("port",)

    def __init__(self, port: str | None = None):
        self.port = port

    def __repr__(self) -> str:
        return "hvisa.strided" if self.port is None else f"hvisa.copy_of({self.port!r})"


STRIDED = Marker()


def copy_of(port: str) -> Marker:
    """Behind the dimensions of an `Out`: it holds at first what port `port` holds (semantics 6)."""
    if not isinstance(port, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise AnnotationError(f"`copy_of` takes the name of a port, and this is {port!r}",
                              "for example `Out[f32, \"n\", copy_of(\"x\")]`")
    return Marker(port)


class BufferAnnotation:
    """A buffer port: direction, element type, dimensions, access mode.

    `In[f32, "n", strided]` takes any strides; `Out[f32, "n", copy_of("x")]` starts as a copy of port x.
    """

    __slots__ = ("capacity", "direction", "element", "mode", "operator", "shape", "source", "strided")

    def __init__(self, direction: str, mode: str, operator: str, element: ScalarType,
                 shape: tuple[Dim, ...], capacity: Dim | None, markers: list[Marker]):
        self.direction = DIRECTIONS.index(direction)
        self.mode = MODES.index(mode)
        self.operator = UPDATES.index(operator)
        self.element = element
        self.shape = shape
        self.capacity = capacity
        self.strided = STRIDED in markers
        self.source = next((m.port for m in markers if m.port is not None), None)

    @property
    def type(self) -> Type:
        return ty.buffer(self.element, self.shape, self.capacity)

    def __repr__(self) -> str:
        return f"{DIRECTIONS[self.direction]} {self.type}"


class StreamAnnotation:
    """Items in order: `Stream[f32]` of numbers, `Stream[u8, "h", "w"]` of buffers."""

    __slots__ = ("item",)

    def __init__(self, item: Type):
        self.item = item

    @property
    def type(self) -> Type:
        return ty.stream(self.item)

    def __repr__(self) -> str:
        return str(self.type)


class BufferKind:
    """`In`, `Out`, `InOut`, `Checked`, `Shared`, `Accumulate`: an element type and dimensions make one a
    port's type."""

    __slots__ = ("direction", "mode", "name")

    def __init__(self, name: str, direction: str, mode: str = "own"):
        self.name = name
        self.direction = direction
        self.mode = mode

    def __getitem__(self, items: Any) -> BufferAnnotation:
        parts = items if isinstance(items, tuple) else (items,)
        operator = UPDATES[0]
        if self.mode == "accumulate":
            if not isinstance(parts[0], str) or parts[0] not in UPDATES or len(parts) < 2:
                raise AnnotationError(f"`{self.name}` names its operator first",
                                      f"for example `{self.name}[\"add\", i32, 256]`; operators are "
                                      + " ".join(UPDATES))
            operator, parts = parts[0], parts[1:]
        element = _element(parts[0], self.name)
        markers = [p for p in parts[1:] if isinstance(p, Marker)]
        shape, capacity = _shape(tuple(p for p in parts[1:] if not isinstance(p, Marker)))
        return BufferAnnotation(self.direction, self.mode, operator, element, shape, capacity, markers)

    def __repr__(self) -> str:
        return f"hvisa.{self.name}"


class StreamKind:
    """`Stream`: an element type, and dimensions if the items are buffers."""

    __slots__ = ()

    def __getitem__(self, items: Any) -> StreamAnnotation:
        parts = items if isinstance(items, tuple) else (items,)
        if isinstance(parts[0], VectorType) and len(parts) == 1:
            return StreamAnnotation(parts[0])
        element = _element(parts[0], "Stream")
        if len(parts) == 1:
            return StreamAnnotation(element)
        return StreamAnnotation(ty.buffer(element, *_shape(parts[1:])))

    def __repr__(self) -> str:
        return "hvisa.Stream"


class VectorKind:
    """`vec[f32, 4]`, a type; `vec(a, b, c)`, a value made of its lanes."""

    __slots__ = ()

    def __getitem__(self, items: Any) -> VectorType:
        if not isinstance(items, tuple) or len(items) != 2 or not isinstance(items[1], int) \
                or not 2 <= items[1] <= ty.MAX_LANES:
            raise AnnotationError("a vector has an element type and 2 to 64 lanes",
                                  "for example `vec[f32, 4]`")
        return ty.vector(_element(items[0], "vec"), items[1])

    def __call__(self, *lanes: Any) -> Any:
        import numpy as np
        return np.array(lanes)

    def __repr__(self) -> str:
        return "hvisa.vec"


def _element(found: Any, name: str) -> ScalarType:
    if isinstance(found, ScalarType):
        return found
    known = scalar_of(found)
    if known is not None:
        return known
    if found is complex or "complex" in getattr(found, "__name__", ""):
        raise AnnotationError("complex numbers are not a type of hvisa", "keep real and imaginary parts "
                              "in two buffers (structure of arrays)", "HV1210")
    shown = f"`{found.__name__}`" if isinstance(found, type) else f"{found!r}"
    raise AnnotationError(f"`{name}[...]` takes an element type first, and this is {shown}",
                          f"for example `{name}[f32, \"n\"]`; types are "
                          + " ".join(t.name for t in ty.SCALARS))


# Python's and numpy's names of types, where they say the same.
_PYTHON = {bool: ty.I1, int: ty.I64, float: ty.F64}


def scalar_of(found: Any) -> ScalarType | None:
    """The type that a ScalarType, a Python type or a numpy type stands for."""
    if isinstance(found, ScalarType):
        return found
    if isinstance(found, type):
        if found in _PYTHON:
            return _PYTHON[found]
        name = getattr(found, "__name__", "")
        module = getattr(found, "__module__", "")
        if module in ("numpy", "ml_dtypes"):
            if name == "bfloat16":
                return ty.BF16
            return next((t for t in ty.SCALARS if t.dtype_name == name.removesuffix("_")), None)
    return None


def _shape(parts: tuple[Any, ...]) -> tuple[tuple[Dim, ...], Dim | None]:
    if len(parts) == 1 and parts[0] == ():
        return (), None
    capacity = None
    if parts and isinstance(parts[0], str) and "<=" in parts[0]:
        fresh, _, most = parts[0].partition("<=")
        capacity = dimension(most)
        parts = (fresh.strip(), *parts[1:])
    return tuple(dimension(p) for p in parts), capacity


def dimension(part: Any) -> Dim:
    """An int, a symbol or an expression over symbols (`"2*n + 1"`, `"ceildiv(n, 32)"`)."""
    if isinstance(part, Dim):
        return part
    if isinstance(part, bool) or not isinstance(part, (int, str)):
        raise AnnotationError(f"a dimension is a number, a name or an expression, and this is {part!r}",
                              "for example `In[f32, \"n\", 3]`")
    if isinstance(part, int):
        if part > LIMITS["extent"].value:
            raise AnnotationError(f"a dimension of {part} is too large",
                                  f"it is at most {LIMITS['extent'].value}")
        if part < 0:
            raise AnnotationError(f"a dimension is not negative, and this is {part}",
                                  "a size that is known at launch has a name: `In[f32, \"n\"]`")
        return dims.constant(part)
    try:
        return _expression(ast.parse(part.strip(), mode="eval").body, part)
    except SyntaxError:
        raise AnnotationError(f"the dimension {part!r} can't be read",
                              "for example `\"2*n + 1\"`") from None
    except DimError as error:
        raise AnnotationError(f"the dimension {part!r}: {error}", "use smaller numbers") from None


def _expression(node: ast.expr, text: str) -> Dim:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return dims.constant(node.value)
    if isinstance(node, ast.Name):
        return dims.symbol(node.id)
    if isinstance(node, ast.BinOp):
        left, right = _expression(node.left, text), _expression(node.right, text)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.FloorDiv():
                return dims.floordiv(left, right)
            case ast.Mod():
                return dims.mod(left, right)
            case _:
                pass
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords \
            and node.func.id in dims.FUNCTIONS and len(node.args) >= 2:
        return dims.FUNCTIONS[node.func.id](*(_expression(a, text) for a in node.args))
    raise AnnotationError(f"the dimension {text!r} can't be read",
                          "dimensions are built of numbers, names, `+ - * // %` and "
                          + " ".join(dims.FUNCTIONS))
