"""The standard mathematics on plain numbers: what `hvisa.exp(1.5)` gives outside of a kernel.

The functions are the library's own, run on `reference`, so emulated leaves get the bits of compiled ones.
Slow: for one number, not for arrays.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from hvisa.diagnostics import fail
from hvisa.frontends.python import names
from hvisa.frontends.python.annotations import scalar_of
from hvisa.frontends.python.names import MATH_VERSION, LibraryFunction
from hvisa.frontends.python.promotion import meet
from hvisa.spec import types as ty

if TYPE_CHECKING:
    from hvisa.program import Entry


@functools.cache
def library_entry(name: str, type_: str) -> Entry:
    """A node that calls a function on numbers."""
    from hvisa.program import load
    function = names.MATHEMATICS[name]
    given = ["i32" if p == function.integer else type_ for p in function.parameters]
    results = ", ".join("i32" if r == "i32" else type_ for r in function.results)
    ports = ", ".join(f"%p{n}: {t}" for n, t in enumerate(given))
    out = ", ".join(f"%r{n}" for n in range(len(function.results)))
    return load(f"""math {MATH_VERSION}
import "math" private func @{name}.{type_}({ports}) -> ({results})
leaf @f({ports}) -> ({results}) {{
  {out} = call @{name}.{type_}({', '.join(f'%p{n}' for n in range(len(given)))})
  yield {out}
}}
""", device="reference").entry("f")


def run_library(function: LibraryFunction, arguments: tuple[Any, ...]) -> Any:
    """The value of a function: of the type in which the arguments meet, a Python float of Python
    numbers; several as a tuple."""
    if len(arguments) != len(function.parameters):
        raise fail("HV1211", f"`{function.name}` takes {len(function.parameters)} arguments, "
                   f"{len(arguments)} given", help=f"they are {', '.join(function.parameters)}")
    type_, weak = ty.INDEX, True
    for name, value in zip(function.parameters, arguments, strict=True):
        if name != function.integer:
            own = scalar_of(type(value)) or ty.F64
            python = type(value) in (int, float, bool)
            type_, weak = meet(type_, weak, own if not python or own is ty.F64 else ty.INDEX, python)
    if not type_.is_float:
        type_ = ty.F64
    inner = ty.F32 if type_.bits == 16 else type_
    given: dict[str, Any] = {f"p{n}": np.int32(v) if p == function.integer else inner(v)
             for n, (p, v) in enumerate(zip(function.parameters, arguments, strict=True))}
    values = library_entry(function.name, str(inner)).values(given)
    found = [v if r == "i32" else float(v) if weak else type_(v)
             for v, r in zip(values, function.results, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


names.LibraryFunction.runner = run_library
