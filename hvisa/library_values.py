"""The standard library on plain numbers: what `hvisa.exp(1.5)` gives outside of a kernel.

The functions are the library's own, run on `reference`, so emulated leaves get the bits of compiled ones.
Slow: for one number, not for arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hvisa.diagnostics import fail
from hvisa.frontends.python import names
from hvisa.frontends.python.annotations import scalar_of
from hvisa.frontends.python.emulated_values import Converter, converted, type_of
from hvisa.frontends.python.names import MATH_VERSION, LibraryFunction
from hvisa.frontends.python.promotion import meet
from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType

if TYPE_CHECKING:
    from hvisa.program import Entry


@functools.cache
def library_entry(name: str, own: ScalarType | None) -> Entry:
    """A node that calls a function on numbers."""
    from hvisa.program import load
    function = names.LIBRARY[name]
    symbol = function.symbol(own)
    takes, gives = function.signature(own)
    ports = ", ".join(f"%p{n}: {t}" for n, t in enumerate(takes))
    results = ", ".join(map(str, gives))
    out = ", ".join(f"%r{n}" for n in range(len(gives)))
    return load(f"""math {MATH_VERSION}
import "math" private func @{symbol}({ports}) -> ({results})
leaf @f({ports}) -> ({results}) {{
  {out} = call @{symbol}({', '.join(f'%p{n}' for n in range(len(takes)))})
  yield {out}
}}
""", device="reference").entry("f")


def run_library(function: LibraryFunction, arguments: tuple[Any, ...]) -> Any:
    """The value of a function: of its own type, a Python float of Python numbers; several as a tuple."""
    first, rest = _first_type(function, arguments), arguments[function.typed:]
    if not function.least <= len(rest) <= len(function.ports):
        raise fail("HV1211", f"`{function.name}` takes {function.count}, {len(rest)} given",
                   help=f"they are {', '.join(function.parameters)}")
    numbers = function.in_order(rest, 0)
    type_, weak = _own_type(function, first, numbers)
    inner = ty.F32 if type_ is not None and type_.bits == 16 else type_
    given: dict[str, Any] = {}
    for n, (name, value) in enumerate(numbers.items()):
        wanted = function.ports[name]
        given[f"p{n}"] = _integer(name, value, wanted) if wanted is not None else inner and inner(value)
    values = library_entry(function.name, inner).values(given)
    found = [v if wanted is not None else float(v) if weak else type_ and type_(v)
             for v, wanted in zip(values, function.results, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _first_type(function: LibraryFunction, arguments: tuple[Any, ...]) -> ScalarType | None:
    """The type that stands first, if the function takes one."""
    if not function.typed:
        return None
    value = arguments[0] if arguments else None
    type_ = value.type if isinstance(value, Converter) else scalar_of(value)
    if type_ not in function.types:
        raise fail("HV1211", f"`{function.name}` takes its type first, and this is {value!r}",
                   help=f"it is {' or '.join(map(str, function.types))}")
    return type_


def _own_type(function: LibraryFunction, first: ScalarType | None,
              numbers: Mapping[str, Any]) -> tuple[ScalarType | None, bool]:
    """The function's own type, if it has one, and whether its results are Python numbers."""
    free = [v for name, v in numbers.items() if function.ports[name] is None]
    if not free:
        return first or next(iter(function.types), None), False
    type_, weak = ty.INDEX, True
    for value in free:
        own = scalar_of(type(value)) or ty.F64
        python = type(value) in (int, float, bool)
        type_, weak = meet(type_, weak, own if not python or own is ty.F64 else ty.INDEX, python)
    return (type_ if type_.is_float else ty.F64), weak


def _integer(name: str, value: Any, type_: ScalarType) -> Any:
    """An integer as the function takes it; counts wrap, as those of leaves do."""
    if type_of(value)[0].is_float:
        raise fail("HV1205", f"`{name}` is {type_}, which a float does not become by itself",
                   help=f"write `int({value!r})`, which truncates")
    low, high = (-1 << 63, (1 << 64) - 1) if type_.kind == "unsigned" else (type_.minimum, type_.maximum)
    if not low <= value <= high:
        raise fail("HV1206", f"`{name}` is {value}, which is not in the range of {type_}",
                   help=f"it takes {low} to {high}")
    return converted(value, type_)


names.LibraryFunction.runner = run_library
