"""Acceptance of `own` ports: different instances reach different elements (semantics 2;
docs/spec/own.md).

Index values are rebuilt as polynomials over instance ids, loop counters and uniform values, on
demand; `hvisa.graph.affine` does the proof. From the same forms come footprints and full coverage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.graph import affine
from hvisa.graph.affine import Component, Counter, Footprint, Form, Space
from hvisa.graph.facts import PARENT
from hvisa.graph.model import Constant, DimValue, Instr, Operand, Value
from hvisa.graph.rules.report import label
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.literals import integer_value
from hvisa.spec.operations import DIRECTIONS
from hvisa.spec.table import ROWS

if TYPE_CHECKING:
    from hvisa.graph.rules.body import Body
    from hvisa.graph.rules.memory import Access, Place

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
            return dims.constant(integer_value(operand.bits, operand.type))
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
    return dim if len(dim.terms) <= affine.MAX_TERMS else None


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


# -- acceptance ------------------------------------------------------------------------------------

def finish(body: Body) -> None:
    """Accept or refuse each `own` port; leave footprints and coverage."""
    if body.definition.kind != "leaf":
        return
    kept = [p for p in body.places.values() if p.keeps and p.port is not None]
    if not kept:
        return
    indices = Indices(body)
    covered: set[str] = set()
    for place in kept:
        assert place.port is not None
        forms = {a: _forms(indices, place, a) for a in place.accesses.values()}
        footprint = _footprint(indices, place, forms)
        body.mine.footprints[place.port.name] = footprint
        if place.kind == 0 and body.definition.grid:
            _accept(body, place, forms, footprint)
        if place.port.direction == 2 and _covers(place, forms, indices):
            covered.add(place.port.name)
    body.mine.covered = frozenset(covered)


def _forms(indices: Indices, place: Place, access: Access) -> list[Form | None]:
    """The form of each index; None where the access does not go where its index says (`clamp`)."""
    found: list[Form | None] = []
    rank = place.type.rank
    offsets = access.instr.offsets or (0,) * rank
    for axis in range(rank):
        dim = indices.of(access.instr, access.first + axis)
        lanes = access.lanes if axis == rank - 1 else 1
        try:
            usable = dim is not None and not access.clamped
            found.append(affine.form(dim + offsets[axis], indices.space, lanes) if usable and dim
                         is not None else None)
        except DimError:
            found.append(None)
    return found


def _footprint(indices: Indices, place: Place, forms: dict[Access, list[Form | None]]) -> Footprint:
    return Footprint([Component([f[axis] for f in forms.values()])
                      for axis in range(place.type.rank)], indices.space)


def _accept(body: Body, place: Place, forms: dict[Access, list[Form | None]],
            footprint: Footprint) -> None:
    if not place.accesses:
        return
    missing = affine.undetermined(footprint, place.type.shape)
    if not missing:
        return
    assert place.port is not None
    port = place.port
    accesses = list(place.accesses.values())
    culprit, note = accesses[0], ""
    for axis in range(place.type.rank):
        odd = next((a for a in accesses if forms[a][axis] is None), None)
        if odd is not None:
            culprit = odd
            note = "an index of this access is not affine in the instance ids"
            if odd.clamped:
                note = "`clamp` reaches elements that the index does not name"
            break
    else:
        keys = [tuple(f.key for f in forms[a] if f is not None) for a in accesses]
        odd = next((n for n, k in enumerate(keys) if k != keys[0]), None)
        if odd is not None:
            culprit, note = accesses[odd], "this access has another footprint"
    ids = ", ".join(f"`%{m}`" for m in missing)
    word = DIRECTIONS[port.direction]
    body.report.at("HV0310", f"instances that differ in {ids} are not shown to keep to their own "
                   f"elements of `%{port.name}`", culprit.instr, culprit.first - 1,
                   note=note or "this index does not tell them apart",
                   labels=label(accesses[0].instr, "the first access") if culprit is not accesses[0]
                   else (),
                   help=("" if culprit.stores else "read the old version through a separate port, "
                         f"`in %old: {place.type}`,\nor ") +
                   f"write `{word} shared %{port.name}` if they may meet, or `{word} own checked "
                   f"%{port.name}`\nto have it checked at run time")


# -- coverage --------------------------------------------------------------------------------------

def _covers(place: Place, forms: dict[Access, list[Form | None]], indices: Indices) -> bool:
    """Whether every element is stored by some instance whenever the launch ends without a trap."""
    if place.type.capacity is not None:
        return False
    groups: dict[object, list[list[Form]]] = {}
    for access, found in forms.items():
        whole = [f for f in found if f is not None]
        if access.certain and len(whole) == place.type.rank and _always(access, whole, indices):
            groups.setdefault(tuple(f.key for f in whole), []).append(whole)
    return any(_group_covers(place, group, indices.space) for group in groups.values())


def _always(access: Access, forms: list[Form], indices: Indices) -> bool:
    """Whether the loops around a store have rounds: constantly many, or those that an index runs
    over."""
    used = {d for f in forms for d in f.counters}
    found = [indices.counter(loop) for loop in access.loops]
    return all(f.dense for f in forms) and all(c.interval() or n in used for n, c in found)


def _group_covers(place: Place, group: list[list[Form]], space: Space) -> bool:
    """Each axis by its own id, or by a counter that runs over the whole extent; every id used
    once."""
    left = dict(space.extents)
    # Stores of a group may differ along one axis only, so that what they reach is a product.
    spread = [axis for axis in range(place.type.rank)
              if len({(f[axis].low, f[axis].high) for f in group}) > 1]
    if len(spread) > 1:
        return False
    for axis, extent in enumerate(place.type.shape):
        first = group[0][axis]
        if first.uniform.terms:
            return False
        if first.ids:
            if first.counters or len(first.ids) != 1 or not _id_covers(
                    [f[axis] for f in group], extent, left):
                return False
        elif not _counter_covers(first, [f[axis] for f in group], extent, space):
            return False
    return True


def _id_covers(forms: list[Form], extent: Dim, left: dict[str, Dim]) -> bool:
    (digit, factor), = forms[0].ids.items()
    stride = factor.constant
    if not isinstance(digit, str) or digit not in left or stride is None or stride < 1:
        return False
    if not _contiguous(forms, stride):
        return False
    count = left.pop(digit)
    return count * stride == extent or count == dims.ceildiv(extent, stride)


def _contiguous(forms: list[Form], size: int) -> bool:
    """Whether the constants 0 .. size - 1 are all reached."""
    reached = 0
    for low, high in sorted((f.low, f.high) for f in forms):
        if low > reached:
            return False
        reached = max(reached, high + 1)
    return reached >= size


def _counter_covers(first: Form, forms: list[Form], extent: Dim, space: Space) -> bool:
    if not first.counters:
        size = extent.constant
        return size is not None and _contiguous(forms, size)
    if len(first.counters) != 1 or first.low > 0 or first.high < 0:
        return False
    (digit, factor), = first.counters.items()
    counter = space.counters[str(digit)]
    return factor.constant == 1 and counter.low is not None and counter.low.constant == 0 \
        and counter.high == extent and counter.step == 1
