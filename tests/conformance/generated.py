"""One program for each plain instruction row, element type and width, made from the rows.

A program loads its operands from buffers, one instance for each tuple of edge values, applies the
instruction and stores what it gives; vectors lie along a second dimension of four. What must come
out is worked out by the oracle. Inputs on which the instruction traps are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from hvisa.spec import types as ty
from hvisa.spec.definitions import InstrDef, TypeRuleError
from hvisa.spec.operations import REDUCTIONS
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType, Type, VectorType
from tests.conformance import oracle

LANES = 4
MOST_TRIPLES = 10  # edge values of each operand where there are three


class Case(NamedTuple):
    """One leaf: its operands and results are buffers named after their positions."""

    row: InstrDef
    operands: tuple[Type, ...]
    argument: Type | None
    immediates: tuple[Any, ...]
    results: tuple[Type, ...]

    @property
    def element(self) -> ScalarType:
        """What the row's type variable stands for."""
        first = 1 if self.row.mnemonic == "select" else 0
        return ty.element_of(self.operands[first])  # type: ignore[return-value]

    @property
    def entry(self) -> str:
        words = [self.row.mnemonic, self.element.name]
        if any(isinstance(t, VectorType) for t in self.operands):
            words.append("lanes")
        if self.argument is not None and self.row.mnemonic != "splat":
            words.append(f"to_{ty.element_of(self.argument)}")
        if self.row.mnemonic == "fold_lanes":
            words.append(REDUCTIONS[self.immediates[0]])
        elif self.immediates:
            words.append("_".join(map(str, np.ravel(self.immediates))))
        return "_".join(words)


# -- programs --------------------------------------------------------------------------------------

def cases() -> list[Case]:
    """Every legal pair of row and types, in the order of the table."""
    return [c for row in ROWS.values() if row.semantics is not None for c in _cases_of(row)]


def _cases_of(row: InstrDef) -> Iterator[Case]:
    for element in row.classes:
        for variable in (element, ty.vector(element, LANES)):
            for argument in _type_arguments(row, variable):
                for immediates in _immediates(row):
                    operands = _operand_types(row, variable)
                    try:
                        results = row.infer(operands, argument, immediates)
                    except TypeRuleError:
                        continue
                    yield Case(row, operands, argument, immediates, tuple(results))


def _operand_types(row: InstrDef, variable: Type) -> tuple[Type, ...]:
    patterns = [o.pattern for o in row.signature.operands]
    if row.signature.variadic:
        patterns = [patterns[0]] * LANES
    return tuple(p.fill(variable, None) for p in patterns)


def _type_arguments(row: InstrDef, variable: Type) -> list[Type | None]:
    if row.type_argument != "needed":
        return [None]
    if row.mnemonic == "splat":
        return [ty.vector(variable, LANES)] if isinstance(variable, ScalarType) else []
    return [ty.like(t, variable) for t in row.explicit_classes]


def _immediates(row: InstrDef) -> list[tuple[Any, ...]]:
    if row.mnemonic == "permute":
        return [((3, 1, 0, 2),), ((2, 2),)]
    if row.mnemonic in ("extract", "insert"):
        return [(0,), (LANES - 1,)]
    if row.mnemonic == "fold_lanes":
        return [(n,) for n in range(len(REDUCTIONS))]
    return [()]


def _buffer(type_: Type) -> str:
    lanes = f", {type_.lanes}" if isinstance(type_, VectorType) else ""
    return f"buf<{ty.element_of(type_)}>[%n{lanes}]"


def text_of(case: Case) -> str:
    """The leaf as text."""
    row = case.row
    ports = [f"in %a{k}: {_buffer(t)}" for k, t in enumerate(case.operands)]
    ports += [f"out %r{k}: {_buffer(t)}" for k, t in enumerate(case.results)]
    lines = [f"leaf @{case.entry}({', '.join(ports)}) grid(%i < %n) {{"]
    for k, type_ in enumerate(case.operands):
        access = f"{type_} %a{k}[%i, 0]" if isinstance(type_, VectorType) else f"%a{k}[%i]"
        lines.append(f"  %x{k} = load {access}")
    parts = [f"%x{k}" for k in range(len(case.operands))]
    suffix = ""
    if row.mnemonic == "fold_lanes":
        suffix = f".{REDUCTIONS[case.immediates[0]]}"
    else:
        parts += [str(list(i)) if isinstance(i, tuple) else str(i) for i in case.immediates]
    argument = f" {case.argument}" if case.argument is not None else ""
    names = ", ".join(f"%y{k}" for k in range(len(case.results)))
    lines.append(f"  {names} = {row.mnemonic}{suffix}{argument} {', '.join(parts)}")
    for k, type_ in enumerate(case.results):
        lines.append(f"  store %y{k}, %r{k}[%i{', 0' if isinstance(type_, VectorType) else ''}]")
    return "\n".join([*lines, "}", ""])


# -- edge values -----------------------------------------------------------------------------------

def edges(element: ScalarType) -> list[int]:
    """Patterns of the numbers where things go wrong; the first ten are the worst."""
    name = element.name
    if name == "i1":
        return [0, 1]
    if not element.is_float:
        low, high, bits = element.minimum, element.maximum, element.bits
        numbers = [0, 1, low, high, high - 1, low + 1, bits, bits - 1, 3, -1, 2, 7, 100, bits + 1,
                   high // 3, high // 2 + 1, -7 if low else 200]
        return list(dict.fromkeys(n & (1 << bits) - 1 for n in numbers))
    exponent_bits, stored = oracle.FORMATS[name]
    sign, bias = 1 << (element.bits - 1), (1 << (exponent_bits - 1)) - 1
    top, one = ((1 << exponent_bits) - 1) << stored, bias << stored
    half = one - (1 << stored)
    return [0, sign, one, sign | one + 1, 1, top, top | 1 << (stored - 1), top - 1,
            one + (1 << (stored - 1)), half - 1, sign | 1, (1 << stored) - 1, 1 << stored,
            sign | (1 << stored) - 1, sign | top, sign | top | 1, sign | top - 1, half, sign | half,
            one + (1 << stored), one + (5 << (stored - 2)), one + (stored << stored) + 1,
            one - 1, sign | (one + (7 << (stored - 2))), one + (6 << stored) + 3,
            one + (7 << stored), sign | (one + (7 << stored) + 1)]


def inputs(case: Case) -> list[list[Any]]:
    """Patterns for each operand: one for each instance, or a list of lanes."""
    lists = [edges(ty.element_of(t)) for t in case.operands]  # type: ignore[arg-type]
    if len(lists) == 3:
        lists = [values[:MOST_TRIPLES] for values in lists]
    if case.row.signature.variadic or case.row.mnemonic in ("insert", "fold_lanes"):
        return [_rotated(case, k) for k in range(len(case.operands))]
    tuples = [t for t in product(*lists) if not _traps(case, t)]
    wide = next((t.lanes for t in case.operands if isinstance(t, VectorType)), 1)
    tuples += tuples[:-len(tuples) % wide]
    columns = [list(c) for c in zip(*tuples, strict=True)]
    if wide == 1:
        return columns
    return [[c[s:s + wide] for s in range(0, len(c), wide)] for c in columns]


def _rotated(case: Case, position: int) -> list[Any]:
    """All edge values, moved on from operand to operand and lane to lane."""
    type_ = case.operands[position]
    values = edges(ty.element_of(type_))  # type: ignore[arg-type]
    count = len(values)
    if isinstance(type_, VectorType):
        return [[values[(n * (k + 1) + k) % count] for k in range(type_.lanes)]
                for n in range(2 * count)]
    rows = 2 * count if case.row.mnemonic == "insert" else count
    return [values[(n * (position + 1) + position) % count] for n in range(rows)]


def _traps(case: Case, patterns: tuple[int, ...]) -> bool:
    return case.row.mnemonic in ("div", "rem") and not case.element.is_float and patterns[1] == 0


def array_of(values: list[Any], type_: Type) -> np.ndarray:
    """Patterns as an array of the storage dtype."""
    element = ty.element_of(type_)
    assert element is not None
    return np.array(values, np.dtype(f"uint{element.size_bytes * 8}")).view(element.storage_dtype)


# -- what must come out ----------------------------------------------------------------------------

def expected(case: Case, columns: list[list[Any]]) -> list[np.ndarray]:
    """The oracle's results, one array for each."""
    rows = [_one(case, [_decoded(v, t) for v, t in zip(values, case.operands, strict=True)])
            for values in zip(*columns, strict=True)]
    out: list[np.ndarray] = []
    for position, type_ in enumerate(case.results):
        out.append(array_of([_encoded(row[position], type_) for row in rows], type_))
    return out


def _decoded(value: Any, type_: Type) -> Any:
    name = ty.element_of(type_).name  # type: ignore[union-attr]
    return [oracle.decode(v, name) for v in value] if isinstance(value, list) else \
        oracle.decode(value, name)


def _encoded(value: Any, type_: Type) -> Any:
    name = ty.element_of(type_).name  # type: ignore[union-attr]
    return [oracle.encode(v, name) for v in value] if isinstance(value, list) else \
        oracle.encode(value, name)


def _one(case: Case, operands: list[Any]) -> list[Any]:
    """The results of one instance."""
    mnemonic, name = case.row.mnemonic, case.element.name
    if mnemonic == "pack":
        return [operands]
    if mnemonic == "splat":
        return [[operands[0]] * LANES]
    if mnemonic == "extract":
        return [operands[0][case.immediates[0]]]
    if mnemonic == "insert":
        lanes = list(operands[0])
        lanes[case.immediates[0]] = operands[1]
        return [lanes]
    if mnemonic == "permute":
        return [[operands[0][lane] for lane in case.immediates[0]]]
    if mnemonic == "fold_lanes":
        return oracle.fold(REDUCTIONS[case.immediates[0]], operands[0], name)
    if case.argument is not None:
        target = ty.element_of(case.argument).name  # type: ignore[union-attr]
        change = oracle.convert if mnemonic == "convert" else oracle.bitcast

        def act(value: Any) -> Any:
            return change(value, name, target)
    else:
        act = oracle.scalar(mnemonic, name)
    if not isinstance(operands[0], list):
        return [act(*operands)]
    return [[act(*lane) for lane in zip(*operands, strict=True)]]
