"""Calls of the standard mathematics (semantics 16): imports of functions of the module `math`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hvisa.frontends.python.annotations import scalar_of
from hvisa.frontends.python.names import LIBRARY, MATH_VERSION, LibraryFunction
from hvisa.frontends.python.promotion import meet
from hvisa.frontends.python.values import Const, Expr, Items, Known, Number, Run
from hvisa.graph.model import Function, Module, Port, Value
from hvisa.spec import types as ty
from hvisa.spec.families import NODE_NAMES
from hvisa.spec.operations import EFFECT_CLASSES, FAST_FLAGS
from hvisa.spec.types import ScalarType, Type, VectorType

if TYPE_CHECKING:
    from hvisa.frontends.python.builder import Builder


LIBRARY_NAMES = NODE_NAMES | {symbol for f in LIBRARY.values() for symbol in f.symbols}
_APPROXIMATE = 1 << FAST_FLAGS.index("approximate")
NOT_NARROW = ("nextafter",)  # the neighbour in f32, rounded, is the number itself


def library_call(module: Module, builder: Builder, node: ast.AST, found: LibraryFunction,
                 values: list[Expr]) -> Expr:
    """The results of a function. f16 and bf16 go through f32, integers through f64, and vectors lane by
    lane."""
    first, rest = library_arguments(builder, node, found, values)
    numbers = [builder.number(node, v) for v in found.in_order(rest, Const(0)).values()]
    type_, weak = _own_type(builder, found, first, numbers)
    if type_ is not None and type_.bits == 16 and found.name in NOT_NARROW:
        builder.refuse(node, "HV1207", f"`{found.name}` is not defined on {type_}",
                       "change the bits: `hvisa.bitcast(u16, x)`")
    inner = ty.F32 if type_ is not None and type_.bits == 16 else type_
    callee = _declared(module, found, inner, bool(builder.fast & _APPROXIMATE))
    lanes = max(n.lanes if isinstance(n, Run) else 0 for n in numbers)
    runs = [_converted(builder, _place(node, found, name, values), number, port.type, lanes)
            for name, number, port in zip(found.ports, numbers, callee.ports, strict=True)]
    results = _lane_by_lane(builder, node, callee, runs, lanes) if lanes else \
        _call(builder, node, callee, runs)
    out: list[Expr] = []
    for result in results:
        if type_ is not None and result.element is inner and inner is not type_:
            result = builder.convert(node, result, ty.like(type_, result.type))
        result.weak = weak and result.type is ty.F64
        out.append(result)
    return out[0] if len(out) == 1 else Items(out)


def library_arguments(builder: Builder, node: ast.AST, found: LibraryFunction,
                      values: list[Expr]) -> tuple[ScalarType | None, list[Expr]]:
    """The type that stands first, if the function takes one, and its numbers."""
    first, rest = values[:found.typed], values[found.typed:]
    type_ = None
    usage = f"for example `hvisa.{found.name}({found.types[0]}, {', '.join(found.parameters[:2])})`" \
        if found.typed else ""
    place = node.args[0] if isinstance(node, ast.Call) and node.args else node
    for value in first:
        type_ = scalar_of(value.object) if isinstance(value, Known) else None
        if type_ is None:
            builder.refuse(place, "HV1211", f"`{found.name}` takes its type first", usage)
        if type_ not in found.types:
            builder.refuse(place, "HV1207", f"`{found.name}` is not defined on {type_}", f"it gives "
                           f"{' or '.join(map(str, found.types))}, which can be converted: `{type_}(...)`")
    if not found.least <= len(rest) <= len(found.ports) or len(first) < found.typed:
        builder.refuse(node, "HV1211", f"`{found.name}` takes {found.count} "
                       f"({', '.join(found.parameters)}), {len(rest)} given", usage)
    return type_, rest


def _own_type(builder: Builder, found: LibraryFunction, first: ScalarType | None,
              numbers: list[Number]) -> tuple[ScalarType | None, bool]:
    """The function's own type, if it has one, and whether its results are Python numbers: those of
    arguments that all are."""
    free = [n for n, wanted in zip(numbers, found.ports.values(), strict=True) if wanted is None]
    if not free:
        return first or next(iter(found.types), None), False
    type_, weak = builder.element_of(free[0])
    for number in free[1:]:
        type_, weak = meet(type_, weak, *builder.element_of(number))
    return (type_ if type_.is_float else ty.F64), weak


def _place(node: ast.AST, found: LibraryFunction, name: str, values: list[Expr]) -> ast.AST:
    """Where an argument is written, or the call."""
    at = found.parameters.index(name) + found.typed
    return node.args[at] if isinstance(node, ast.Call) and at < len(node.args) == len(values) else node


def _converted(builder: Builder, node: ast.AST, number: Number, type_: Type, lanes: int) -> Run:
    """A number as a port takes it. Counts wrap where they are negative, also those known now."""
    assert isinstance(type_, ScalarType)
    if isinstance(number, Const) and number.value < 0 and type_.kind == "unsigned":
        number = builder.concrete(node, number)
    return builder.convert(node, number, ty.vector(type_, lanes) if lanes else type_)


def _declared(module: Module, found: LibraryFunction, own: ScalarType | None, fast: bool) -> Function:
    """The import of a library function for one type; of its fast variant, if it has one and may be used."""
    fast = fast and found.fast
    name = found.symbol(own, fast)
    known = module.definitions.get(name)
    if isinstance(known, Function) and known.source_module == "math":
        return known
    made = Function(name)
    made.public = False
    made.effect = EFFECT_CLASSES.index("inexact") if fast else 0
    made.source_module = "math"
    takes, gives = found.signature(own)
    made.ports = [Port(Value(p, t)) for p, t in zip(found.ports, takes, strict=True)]
    made.results = list(gives)
    made.result_names = [None] * len(gives)
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
