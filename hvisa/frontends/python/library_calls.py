"""Calls of the standard mathematics (semantics 16): imports of functions of the module `math`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hvisa.diagnostics import plural
from hvisa.frontends.python.names import MATH_VERSION, MATHEMATICS, LibraryFunction
from hvisa.frontends.python.promotion import meet
from hvisa.frontends.python.values import Expr, Items, Number, Run
from hvisa.graph.model import Function, Module, Port, Value
from hvisa.spec import types as ty
from hvisa.spec.families import NODE_NAMES
from hvisa.spec.types import ScalarType, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.builder import Builder


LIBRARY_NAMES = NODE_NAMES | {f"{n}.{t}" for n in MATHEMATICS for t in (ty.F32, ty.F64)}
NOT_NARROW = ("nextafter",)  # the neighbour in f32, rounded, is the number itself


def library_call(module: Module, builder: Builder, node: ast.AST, found: LibraryFunction,
                 values: list[Expr]) -> Expr:
    """The results of a function. f16 and bf16 go through f32, integers through f64, and vectors lane by
    lane."""
    numbers: list[Number] = [builder.number(node, v) for v in values]
    if len(numbers) != len(found.parameters):
        builder.refuse(node, "HV1211", f"`{found.name}` takes {plural(len(found.parameters), 'argument')} "
                       f"({', '.join(found.parameters)}), {len(numbers)} given")
    type_, weak = _common(builder, found, numbers)
    if type_.bits == 16 and found.name in NOT_NARROW:
        builder.refuse(node, "HV1207", f"`{found.name}` is not defined on {type_}",
                       "change the bits: `hvisa.bitcast(u16, x)`")
    inner = ty.F32 if type_.bits == 16 else type_
    callee = _declared(module, found, inner)
    lanes = max(n.lanes if isinstance(n, Run) else 0 for n in numbers)
    runs: list[Run] = []
    for number, port in zip(numbers, callee.ports, strict=True):
        assert isinstance(port.type, ScalarType)
        runs.append(builder.convert(node, number, ty.vector(port.type, lanes) if lanes else port.type))
    results = _lane_by_lane(builder, node, callee, runs, lanes) if lanes else \
        _call(builder, node, callee, runs)
    out: list[Expr] = []
    for result in results:
        if result.element is inner and inner is not type_:
            result = builder.convert(node, result, ty.like(type_, result.type))
        result.weak = weak and result.type is ty.F64
        out.append(result)
    return out[0] if len(out) == 1 else Items(out)


def _common(builder: Builder, found: LibraryFunction, numbers: list[Number]) -> tuple[ScalarType, bool]:
    """The float type in which the arguments meet, and whether all are Python numbers."""
    floats = [n for n, p in zip(numbers, found.parameters, strict=True) if p != found.integer]
    type_, weak = builder.element_of(floats[0])
    for number in floats[1:]:
        type_, weak = meet(type_, weak, *builder.element_of(number))
    return (type_ if type_.is_float else ty.F64), weak


def _declared(module: Module, found: LibraryFunction, type_: ScalarType) -> Function:
    """The import of a library function for one type."""
    name = f"{found.name}.{type_}"
    known = module.definitions.get(name)
    if isinstance(known, Function) and known.source_module == "math":
        return known
    made = Function(name)
    made.public = False
    made.source_module = "math"
    made.ports = [Port(Value(p, ty.I32 if p == found.integer else type_)) for p in found.parameters]
    made.results = [ty.BY_NAME.get(r, type_) for r in found.results]
    made.result_names = [None] * len(made.results)
    module.definitions[name] = made
    module.math_version = MATH_VERSION
    return made


def _call(builder: Builder, node: ast.AST, callee: Function, runs: list[Run]) -> list[Run]:
    instr = builder.emit(node, "call", [r.operand for r in runs], results=callee.results)
    instr.callee = callee.name
    out: list[Run] = []
    for value in instr.results:
        assert isinstance(value.type, (ScalarType, VectorType))
        out.append(Run(value, value.type))
    return out


def _lane_by_lane(builder: Builder, node: ast.AST, callee: Function, runs: list[Run],
                  lanes: int) -> list[Run]:
    rows = [_call(builder, node, callee, [builder.value(node, "extract", r.operand, immediates=(lane,))
                                          for r in runs]) for lane in range(lanes)]
    return [builder.value(node, "pack", *(row[n].operand for row in rows))
            for n in range(len(callee.results))]
