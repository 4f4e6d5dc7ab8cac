"""Dimensions at launch: exact evaluation, limits, and the symbols that arguments bind (semantics
24)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hvisa.diagnostics import Diagnostic, HvisaError, HvisaTrap, Span, fail, instance_text
from hvisa.graph.model import Definition
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Atom, Dim, DimError
from hvisa.spec.limits import LIMITS
from hvisa.spec.types import BufferType, GridType, StreamType, Type

Environment = dict[str, int]


def evaluate(dim: Dim, environment: Mapping[str, int], span: Span | None) -> int:
    """The value of a dimension. HV1005 if a divisor is below 1 or a step of the computation does not
    fit in 64 bits, HV1004 if a symbol has no value."""
    constant = dim.constant
    if constant is not None:
        return constant
    try:
        return _exact(dim, environment)
    except DimError as error:
        raise fail("HV1005", f"`{dim}` has no value: {error}", span,
                   help="check the sizes of the arguments") from None
    except KeyError as error:
        raise fail("HV1004", f"the dimension `%{error.args[0]}` is bound by no argument", span,
                   help="give the initial shape of the `out` port: `out_shapes={name: (n,)}`"
                   ) from None


def _exact(dim: Dim, environment: Mapping[str, int]) -> int:
    """Term by term and factor by factor, as translated code does it."""
    total: int | None = None
    for monomial, coefficient in dim.terms:
        product: int | None = None if coefficient == 1 and monomial else coefficient
        for atom in monomial:
            factor = environment[atom] if isinstance(atom, str) else _exact_atom(atom, environment)
            product = factor if product is None else _fitting(product * factor)
        assert product is not None
        total = product if total is None else _fitting(total + product)
    return total or 0


def _exact_atom(atom: Atom, environment: Mapping[str, int]) -> int:
    found = [_exact(o, environment) for o in atom.operands]
    if atom.kind in ("min", "max"):
        return min(found) if atom.kind == "min" else max(found)
    if found[1] < 1:
        raise DimError(f"divisor `{atom.operands[1]}` is {found[1]}; divisors are at least 1")
    return found[0] // found[1] if atom.kind == "floordiv" else found[0] % found[1]


def _fitting(value: int) -> int:
    if not -1 << 63 <= value < 1 << 63:
        raise DimError("it can't be computed within 64 bits")
    return value


def extents(dims: Sequence[Dim], environment: Mapping[str, int], what: str,
            span: Span | None) -> tuple[int, ...]:
    """The values of a shape or grid, each held against the limit on extents (HV1005)."""
    found = tuple(evaluate(d, environment, span) for d in dims)
    limit = LIMITS["extent"].value
    for dim, value in zip(dims, found, strict=True):
        if value < 0:
            raise fail("HV1005", f"an extent of {what} is negative: `{dim}` is {value}", span,
                       help="check the sizes of the arguments")
        if value > limit:
            raise fail("HV1005", f"an extent of {what} is too large: `{dim}` is {value}, the limit "
                       f"is {limit}", span, help="split the work into several launches")
    return found


def grid_extents(dims: Sequence[Dim], environment: Mapping[str, int], what: str,
                 span: Span | None) -> tuple[int, ...]:
    """As `extents`; the number of instances is limited too."""
    found = extents(dims, environment, what, span)
    instances = math.prod(found)
    if instances > LIMITS["extent"].value:
        raise fail("HV1005", f"{what} has {instances} instances; the limit is "
                   f"{LIMITS['extent'].value}", span, help="split the work into several launches")
    return found


def buffer_shape(type_: BufferType, environment: Mapping[str, int], what: str,
                 span: Span | None) -> tuple[int, ...]:
    """The shape of a new buffer; where a capacity bounds the leading extent, the capacity."""
    dims = type_.shape if type_.capacity is None else (type_.capacity, *type_.shape[1:])
    shape = extents(dims, environment, what, span)
    size = math.prod(shape) * type_.element.size_bytes
    if size >= LIMITS["buffer_bytes"].value:
        raise fail("HV1005", f"{what} has {size} bytes; the limit is "
                   f"{LIMITS['buffer_bytes'].value}", span, help="use smaller sizes")
    return shape


def zeros(shape: tuple[int, ...], element: ty.ScalarType, what: str, path: tuple[str, ...],
          span: Span | None) -> NDArray[Any]:
    """A new buffer. HV0910 if this machine has no memory for one within the limits."""
    try:
        return np.zeros(shape, element.storage_dtype)
    except (MemoryError, ValueError):
        raise HvisaTrap(Diagnostic(
            "HV0910", f"there is no memory for {what} of shape {list(shape)} "
            f"({instance_text(path, None)})", span, help="use smaller sizes"), path, None) from None


def dims_of(type_: Type) -> tuple[Dim, ...]:
    """The dimensions of a buffer or grid type."""
    if isinstance(type_, BufferType):
        return type_.shape
    return type_.extents if isinstance(type_, GridType) else ()


def bind(type_: Type, shape: Sequence[int], environment: Environment) -> None:
    """Give a value to each symbol that stands alone in a shape and has none."""
    for dim, value in zip(dims_of(type_), shape, strict=False):
        symbol = dim.symbol
        if symbol is not None:
            environment.setdefault(symbol, value)


def bind_items(type_: Type, items: Sequence[Any], environment: Environment) -> None:
    """Outside the nodes that take them, the items of a stream count as its first one; a stream without
    items has the extents 0."""
    if isinstance(type_, StreamType) and isinstance(type_.item, BufferType):
        shape = items[0].shape if items else (0,) * type_.item.rank
        bind(type_.item, shape, environment)


def check_shape(type_: Type, shape: Sequence[int], environment: Mapping[str, int], what: str,
                span: Span | None) -> HvisaError | None:
    """The error (HV1004) if the shape is not that of the type."""
    dims = dims_of(type_)
    for axis, (dim, value) in enumerate(zip(dims, shape, strict=True)):
        wanted = evaluate(dim, environment, span)
        if wanted != value:
            return fail("HV1004", f"dimension {axis} of {what} is {value}, `{dim}` is {wanted}",
                        span, help=f"{what} is {type_}")
    capacity = type_.capacity if isinstance(type_, BufferType) else None
    if capacity is not None and shape[0] > evaluate(capacity, environment, span):
        return fail("HV1004", f"dimension 0 of {what} is {shape[0]}, beyond its capacity "
                    f"`{capacity}`", span, help=f"{what} is {type_}")
    return None


def index_ports(definition: Definition) -> list[str]:
    """Names of the scalar `index` ports, which bind symbols."""
    return [p.name for p in definition.ports if p.type is ty.INDEX]
