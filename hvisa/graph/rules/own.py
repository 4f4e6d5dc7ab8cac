"""Acceptance of `own` ports: different instances reach different elements (semantics 2;
docs/spec/own.md).

Index values are rebuilt as polynomials over instance ids, loop counters and uniform values, on
demand; `hvisa.graph.affine` does the proof. From the same forms come footprints and full coverage.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from hvisa.graph import affine
from hvisa.graph.affine import Component, Footprint, Form, Space
from hvisa.graph.rules.indices import Indices
from hvisa.graph.rules.report import label
from hvisa.spec import dimensions as dims
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.operations import DIRECTIONS

if TYPE_CHECKING:
    from hvisa.graph.rules.body import Body
    from hvisa.graph.rules.memory import Access, Place


MAX_COMPARED = 32  # accesses that a message is looked for among


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
    culprit, other, note = accesses[0], None, ""
    for axis in range(place.type.rank):
        odd = next((a for a in accesses if forms[a][axis] is None), None)
        if odd is not None:
            culprit = odd
            note = "an index of this access is not affine in the instance ids"
            if odd.clamped:
                note = "`clamp` reaches elements that the index does not name"
            break
    else:
        culprit, other = _clash(place, forms, footprint.space)
        if other is not None:
            note = "another instance may reach the same element at the other access"
    ids = ", ".join(f"`%{m}`" for m in missing)
    word = DIRECTIONS[port.direction]
    body.report.at("HV0310", f"instances that differ in {ids} are not shown to keep to their own "
                   f"elements of `%{port.name}`", culprit.instr, culprit.first - 1,
                   note=note or "this index does not tell them apart",
                   labels=label(other.instr, "the other access", other.first - 1)
                   if other is not None else (),
                   help=("" if culprit.stores else "read the old version through a separate port, "
                         f"`in %old: {place.type}`,\nor ") +
                   f"write `{word} shared %{port.name}` if they may meet, or `{word} own checked "
                   f"%{port.name}`\nto have it checked at run time")


def _clash(place: Place, forms: dict[Access, list[Form | None]],
           space: Space) -> tuple[Access, Access | None]:
    """The first access that fails by itself, or else the first two that fail together: the one to
    change, which is a read if there is one, and the other."""
    def fails(*accesses: Access) -> bool:
        parts = [Component([forms[a][axis] for a in accesses]) for axis in range(place.type.rank)]
        return bool(affine.undetermined(Footprint(parts, space), place.type.shape))
    accesses = list(forms)[:MAX_COMPARED]
    alone = next((a for a in accesses if fails(a)), None)
    if alone is not None:
        return alone, None
    pair = next((p for p in combinations(accesses, 2) if fails(*p)), None)
    if pair is None:
        return accesses[0], None
    first, second = pair
    return (first, second) if second.stores and not first.stores else (second, first)


# -- coverage --------------------------------------------------------------------------------------

def _covers(place: Place, forms: dict[Access, list[Form | None]], indices: Indices) -> bool:
    """Whether every element is stored by some instance whenever the launch ends without a trap, and
    nobody sees what it held before."""
    if place.type.capacity is not None or place.exposed:
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
    return not affine.maybe_empty(left.values())


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
