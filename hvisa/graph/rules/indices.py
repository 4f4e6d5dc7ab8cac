"""Index values of a body, rebuilt on demand as polynomials over ids, counters and uniform values.

Section 2 of docs/spec/own.md. What is no such polynomial is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.graph import affine
from hvisa.graph.affine import Counter, Space
from hvisa.graph.facts import PARENT
from hvisa.graph.model import Constant, DimValue, Instr, Operand, Value
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.literals import integer_value
from hvisa.spec.table import ROWS

if TYPE_CHECKING:
    from hvisa.graph.rules.body import Body

_FOR = ROWS["for"]


class Indices:
    """Index values of a body as polynomials; None for what is not one."""

    def __init__(self, body: Body):
        self.body = body
        definition = body.definition
        self.known: dict[Value, Dim | None] = {}
        headers = [*definition.symbols.values(), *(p.value for p in definition.ports)]
        for value in headers:
            if value.type is ty.INDEX and value.name and body.uniformity[value] <= PARENT:
                self.known[value] = dims.symbol(value.name)
        extents = dict(zip((v.name or "" for v in definition.ids), definition.grid, strict=True))
        for value in definition.ids:
            self.known[value] = dims.symbol(value.name or "")
        self.space = Space(extents)
        self.symbols = 0

    def of(self, instr: Instr, position: int) -> Dim | None:
        """One index operand."""
        operand = instr.operands[position]
        if type(operand) is DimValue:
            return self._expression(instr, position, operand)
        return self._operand(operand)

    def _expression(self, instr: Instr, position: int, operand: DimValue) -> Dim | None:
        replace: dict[str, Dim] = {}
        for value in self.body.expressions[instr, position]:
            found = self._operand(value)
            if found is None:
                return None
            replace[value.name or ""] = found
        try:
            return _short(operand.dim.substitute(replace))
        except DimError:
            return None

    def _operand(self, operand: Operand) -> Dim | None:
        if type(operand) is Constant:
            value = integer_value(operand.bits, operand.type)
            # No extent is as large as that; a dimension could not hold it.
            return dims.constant(value) if abs(value) < dims.MAX_COEFFICIENT >> 1 else None
        if type(operand) is not Value:
            return None
        if operand not in self.known:
            self._evaluate(operand)
        return self.known[operand]

    def _evaluate(self, wanted: Value) -> None:
        """Fill in `known` for a value and what it is computed from, with a stack of its own."""
        stack = [wanted]
        while stack:
            value = stack[-1]
            missing = [v for v in self._inputs(value) if v not in self.known] \
                if value not in self.known else []
            if missing:
                stack += missing
                continue
            stack.pop()
            if value not in self.known:
                self.known[value] = self._value(value, self.body.defined.get(value))

    def _inputs(self, value: Value) -> list[Value]:
        """The values that a value's polynomial is made of."""
        loop = self.body.counters.get(value)
        instr = self.body.defined.get(value) if loop is None else loop
        if instr is None or (loop is None and instr.row not in _ARITHMETIC):
            return []
        found: list[Value] = []
        for position, operand in enumerate(instr.operands):
            if type(operand) is Value and operand.type is ty.INDEX:
                found.append(operand)
            elif type(operand) is DimValue:
                found += self.body.expressions[instr, position]
        return found

    def _value(self, value: Value, instr: Instr | None) -> Dim | None:
        body = self.body
        if value in body.counters:
            return self._counter(value, body.counters[value])
        if value.type is ty.INDEX and instr is not None and instr.row in _ARITHMETIC:
            try:
                found = _ARITHMETIC[instr.row](self, instr)
            except DimError:
                found = None
            if found is not None and _short(found) is not None:
                return found
        if body.uniformity.get(value, PARENT + 1) <= PARENT and value not in body.in_loop:
            return self._opaque(value)
        return None

    def _opaque(self, value: Value) -> Dim:
        """A uniform value that does not change while an instance runs: a symbol of its own."""
        self.symbols += 1
        return dims.symbol(f"{value.name}'{self.symbols}")

    def _counter(self, value: Value, loop: Instr) -> Dim:
        """A loop counter: a symbol of its own, with its bounds where they are uniform."""
        low, high, step = 0, 1, None
        if loop.row is _FOR:
            found = loop.operands[2]
            step = integer_value(found.bits, found.type) if type(found) is Constant else None
        else:
            low = 2 * loop.regions[0].parameters.index(value)
            high, step = low + 1, 1
        made = self._opaque(value)
        self.space.counters[made.symbol or ""] = Counter(
            self._bound(loop, low), self._bound(loop, high), step if step and step > 0 else None)
        return made

    def _bound(self, loop: Instr, position: int) -> Dim | None:
        found = self.of(loop, position)
        return None if found is None or any(map(self.space.varies, found.symbols())) else found

    def counter(self, loop: Instr) -> tuple[str, Counter]:
        """The symbol and bounds of a `for`'s counter."""
        found = self._operand(loop.regions[0].parameters[0])
        name = (found.symbol if found is not None else None) or ""
        return name, self.space.counters[name]


def _short(dim: Dim) -> Dim | None:
    return dim if len(dim.terms) <= affine.MAX_TERMS and dim.size <= affine.MAX_SIZE else None


# -- arithmetic ------------------------------------------------------------------------------------

def _pair(indices: Indices, instr: Instr) -> tuple[Dim, Dim] | None:
    a, b = indices.of(instr, 0), indices.of(instr, 1)
    return None if a is None or b is None else (a, b)


def _add(indices: Indices, instr: Instr) -> Dim | None:
    found = _pair(indices, instr)
    return found[0] + found[1] if found else None


def _sub(indices: Indices, instr: Instr) -> Dim | None:
    found = _pair(indices, instr)
    return found[0] - found[1] if found else None


def _mul(indices: Indices, instr: Instr) -> Dim | None:
    found = _pair(indices, instr)
    return found[0] * found[1] if found else None


def _shl(indices: Indices, instr: Instr) -> Dim | None:
    found = _pair(indices, instr)
    amount = found[1].constant if found else None
    return found[0] * (1 << amount) if found and amount is not None and 0 <= amount < 62 else None


def _divide(kind: str, indices: Indices, instr: Instr) -> Dim | None:
    """Quotient or remainder of an id: never negative, so rounding down is truncation."""
    found = _pair(indices, instr)
    atom = affine.lone(found[0]) if found else None
    if not found or atom is None:
        return None
    result = dims.floordiv(*found) if kind == "div" else dims.mod(*found)
    made = affine.lone(result)
    if made is None:
        return result
    inner: object = made
    while isinstance(inner, dims.Atom):
        inner = affine.lone(inner.operands[0])
    return result if indices.space.is_digit(made) and inner in indices.space.extents else None


def _extent(indices: Indices, instr: Instr) -> Dim | None:
    """The extent of a port is what its type says."""
    buffer = instr.operands[0]
    place = indices.body.places.get(buffer) if type(buffer) is Value else None
    return place.type.shape[instr.immediates[0]] if place is not None else None


_ARITHMETIC = {ROWS["add"]: _add, ROWS["sub"]: _sub, ROWS["mul"]: _mul, ROWS["shl"]: _shl,
               ROWS["div"]: lambda s, i: _divide("div", s, i),
               ROWS["rem"]: lambda s, i: _divide("rem", s, i), ROWS["extent"]: _extent}
