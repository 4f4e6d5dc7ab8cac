"""Index expressions that are affine in instance ids, and the proof that instances do not meet.

An expression is a `Dim` whose symbols are *digits* (instance ids, loop counters) or uniform. `Form`
takes it apart; `separates` decides which ids a component tells apart. docs/spec/own.md has the
procedure in steps; acceptance may not depend on anything that is not written there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from hvisa.spec import dimensions as dims
from hvisa.spec.dimensions import Atom, Dim, DimError
from hvisa.spec.limits import LIMITS

MAX_TERMS = 12  # of an expression; a longer one is given up
MAX_SIZE = 64  # factors in all
MAX_BOUNDS = 4
_EXTENT = LIMITS["extent"].value
_NO_WRAP = 1 << 63
_SLACK = _NO_WRAP // _EXTENT
ONE = dims.constant(1)

Digit = str | Atom  # an id or counter by name; `floordiv` or `mod` of a digit


class Counter:
    """A loop counter: it runs from `low` to `high` in steps of `step`. None: not uniform, or
    unknown."""

    __slots__ = ("high", "low", "step")

    def __init__(self, low: Dim | None, high: Dim | None, step: int | None):
        self.low = low
        self.high = high
        self.step = step

    def interval(self) -> tuple[int, int] | None:
        """The least and greatest value, if both bounds are constants and there is a round."""
        low = self.low.constant if self.low is not None else None
        high = self.high.constant if self.high is not None else None
        if low is None or high is None or self.step is None or high <= low:
            return None
        return low, low + (high - 1 - low) // self.step * self.step


class Space:
    """What symbols mean: ids with their extents, and counters; every other symbol is uniform."""

    __slots__ = ("counters", "extents")

    def __init__(self, extents: Mapping[str, Dim], counters: Mapping[str, Counter] | None = None):
        self.extents = dict(extents)
        self.counters: dict[str, Counter] = dict(counters or {})

    def varies(self, symbol: str) -> bool:
        return symbol in self.extents or symbol in self.counters

    def is_digit(self, atom: str | Atom) -> bool:
        """Whether an atom is an id, a counter, or quotient or remainder of an id by something
        uniform."""
        while isinstance(atom, Atom):
            if atom.kind not in ("floordiv", "mod"):
                return False
            if any(map(self.varies, atom.operands[1].symbols())):
                return False
            inner = lone(atom.operands[0])
            if inner is None or inner in self.counters:
                return False
            atom = inner
        return self.varies(atom)

    def ranges(self, digit: Digit) -> list[Dim]:
        """Numbers of values that a digit takes at most: upper bounds, the tightest first."""
        if isinstance(digit, str):
            if digit in self.extents:
                return bounds(self.extents[digit])
            counter = self.counters[digit]
            return bounds(counter.high - counter.low) if counter.high is not None \
                and counter.low is not None else []
        inner, divisor = lone(digit.operands[0]), digit.operands[1]
        if digit.kind == "mod" or inner is None:
            return [divisor]
        return [q for r in self.ranges(inner) for q in _quotient(r, divisor)]


def lone(dim: Dim) -> str | Atom | None:
    """The single atom that a dimension is, if it is one."""
    if len(dim.terms) == 1 and dim.terms[0][1] == 1 and len(dim.terms[0][0]) == 1:
        return dim.terms[0][0][0]
    return None


def bounds(dim: Dim) -> list[Dim]:
    """A dimension, and the operands of a `min` that it is."""
    atom = lone(dim)
    more = list(atom.operands) if isinstance(atom, Atom) and atom.kind == "min" else []
    more.sort(key=lambda d: d.constant is None)
    return [*more[:MAX_BOUNDS - 1], dim]


def maybe_empty(extents: Iterable[Dim]) -> bool:
    """Whether one of the extents may be 0."""
    return any(e.constant is None or e.constant < 1 for e in extents)


def _quotient(dim: Dim, divisor: Dim) -> list[Dim]:
    """ceil(dim / divisor) where that is a constant or an exact quotient."""
    a, b = dim.constant, divisor.constant
    if a is not None and b is not None and b > 0:
        return [dims.constant(-(-a // b))]
    quotient = exact_quotient(dim, divisor)
    return [quotient] if quotient is not None else []


def exact_quotient(dim: Dim, divisor: Dim) -> Dim | None:
    """The q with dim = q * divisor, for a divisor of one term."""
    if len(divisor.terms) != 1:
        return ONE if dim == divisor else None
    monomial, coefficient = divisor.terms[0]
    quotient: dict[tuple[str | Atom, ...], int] = {}
    for factors, size in dim.terms:
        rest = list(factors)
        for factor in monomial:
            if factor not in rest:
                return None
            rest.remove(factor)
        if size % coefficient:
            return None
        quotient[tuple(rest)] = size // coefficient
    return Dim(quotient)


class Form:
    """`sum of coefficient * digit, + uniform`, and `low <= spread <= high` added by constants.

    `ids` are digits of instance ids, `counters` those loop counters whose bounds are not constant.
    `dense` says that every number of the spread is reached.
    """

    __slots__ = ("counters", "dense", "high", "ids", "low", "uniform")

    def __init__(self, ids: dict[Digit, Dim], counters: dict[Digit, Dim], uniform: Dim, low: int,
                 high: int, dense: bool):
        self.ids = ids
        self.counters = counters
        self.uniform = uniform
        self.low = low
        self.high = high
        self.dense = dense

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for accesses whose instances differ by constants only."""
        return (frozenset(self.ids.items()), frozenset(self.counters.items()), self.uniform)

    def renamed(self, names: Mapping[str, Dim]) -> Dim:
        """The part without spread, as one polynomial over other names. Raises DimError for a symbol
        that has none."""
        for dim in (self.uniform, *self.ids.values(), *(Dim({(d,): 1}) for d in self.ids)):
            if any(symbol not in names for symbol in dim.symbols()):
                raise DimError("a value of one body means nothing in another")
        total = self.uniform.substitute(names)
        for digit, factor in self.ids.items():
            total = total + factor.substitute(names) * Dim({(digit,): 1}).substitute(names)
        return total


def form(expression: Dim, space: Space, lanes: int = 1) -> Form | None:
    """An expression taken apart; None if it is not affine. `lanes` elements lie one after
    another."""
    coefficients: dict[Digit, dict[tuple[str | Atom, ...], int]] = {}
    rest: dict[tuple[str | Atom, ...], int] = {}
    for factors, size in expression.terms:
        varying = [f for f in factors if space.is_digit(f)]
        others = tuple(f for f in factors if not space.is_digit(f))
        if len(varying) > 1 or any(map(space.varies, _symbols(others))):
            return None
        target = coefficients.setdefault(varying[0], {}) if varying else rest
        target[others] = target.get(others, 0) + size
    low, high = 0, lanes - 1
    strides: list[tuple[int, int]] = []
    counters: dict[Digit, Dim] = {}
    uniform = Dim(rest)
    for digit in [d for d in coefficients if d in space.counters]:
        factor = Dim(coefficients.pop(digit))
        counter = space.counters[str(digit)]
        interval, size = counter.interval(), factor.constant
        if interval is not None and size is not None:
            low += min(size * interval[0], size * interval[1])
            high += max(size * interval[0], size * interval[1])
            strides.append((abs(size) * (counter.step or 1),
                            abs(size) * (interval[1] - interval[0])))
        elif counter.low is not None and counter.high is not None:
            counters[digit] = factor
            uniform = uniform + factor * counter.low
        else:
            return None
    offset = uniform.offset()
    return Form({d: Dim(c) for d, c in coefficients.items()}, counters, uniform - offset,
                low + offset, high + offset, _dense(lanes, strides))


def _dense(width: int, strides: list[tuple[int, int]]) -> bool:
    """Whether steps of these strides, up to these lengths, leave no gap between runs of `width`."""
    for stride, length in sorted(strides):
        if length and stride > width:
            return False
        width += length
    return True


def _symbols(factors: Iterable[str | Atom]) -> Iterable[str]:
    for factor in factors:
        if isinstance(factor, str):
            yield factor
        else:
            for operand in factor.operands:
                yield from operand.symbols()


class Component:
    """One index position of all accesses to a port: their common form, spread over `low` to `high`.

    `form` is None where they have none in common; such a component tells nothing apart.
    """

    __slots__ = ("form", "high", "low")

    def __init__(self, forms: Sequence[Form | None]):
        first = forms[0] if forms else None
        if first is None or any(f is None or f.key != first.key for f in forms):
            self.form: Form | None = None
            self.low = self.high = 0
            return
        self.form = first
        self.low = min(f.low for f in forms if f is not None)
        self.high = max(f.high for f in forms if f is not None)


def separates(form_: Form, widths: list[Dim], space: Space, limit: Dim | None = None) -> set[Digit]:
    """The id digits that a component determines: all of its own, or none.

    Digits are put in order, each coefficient at least as large as everything below it can add up
    to: a mixed radix. `widths` bound the number of elements that one instance reaches besides its
    counters. `limit` is the extent of that dimension of the buffer, at most 2^48; None means exact
    arithmetic, where nothing wraps.
    """
    below = widths
    left = {**form_.ids, **form_.counters}
    try:
        while left:
            digit = _next_digit(left, below, space)
            if digit is None:
                return set()
            factor = left.pop(digit)
            below = [factor * r for r in space.ranges(digit)][:MAX_BOUNDS]
            if not below and left:
                return set()
            if not below:
                constant = factor.constant
                below = [dims.constant(abs(constant) * _EXTENT)] if constant is not None else []
    except DimError:
        return set()
    if space.extents and limit is not None and not any(_no_wrap(b, space, limit) for b in below):
        return set()
    return set(form_.ids)


def _next_digit(left: Mapping[Digit, Dim], below: Sequence[Dim], space: Space) -> Digit | None:
    """A digit whose coefficient is provably at least `below`: the closest one, then the one with the
    smallest constant range, then the first in canonical order."""
    found: list[tuple[Fraction, int, tuple[object, ...], Digit]] = []
    for digit, factor in left.items():
        ratios = [r for least in below if (r := _ratio(factor, least)) is not None]
        if ratios:
            constants = [c for r in space.ranges(digit) if (c := r.constant) is not None]
            key = ("", digit) if isinstance(digit, str) else digit.sort_key()
            found.append((min(ratios), min(constants, default=_NO_WRAP), key, digit))
    return min(found, key=lambda f: f[:3])[3] if found else None


def _ratio(factor: Dim, least: Dim) -> Fraction | None:
    """|factor| / |least|, if it is known to be at least 1."""
    a, b = factor.constant, least.constant
    if a is not None and b is not None:
        return Fraction(abs(a), max(abs(b), 1)) if a and abs(a) >= abs(b) else None
    quotient = exact_quotient(factor, least)
    value = quotient.constant if quotient is not None else None
    return Fraction(abs(value)) if value else None


def _no_wrap(total: Dim, space: Space, limit: Dim) -> bool:
    """Whether what the digits add up to stays below 2^63, so that 64-bit arithmetic is exact."""
    constant = total.constant
    if constant is not None:
        return abs(constant) < _NO_WRAP
    candidates = [limit]
    for extent in space.extents.values():
        candidates += [c * extent for c in candidates[1:]] + [extent]
    for candidate in candidates:
        quotient = exact_quotient(total, candidate)
        value = quotient.constant if quotient is not None else None
        if value is not None and abs(value) < _SLACK:
            return True
    return False


def determined(digits: set[Digit], ids: Iterable[str]) -> set[str]:
    """The ids that are known once these digits are: themselves, or quotient and remainder by the
    same."""
    known = set(digits)
    grown = True
    while grown:
        grown = False
        for digit in list(known):
            if isinstance(digit, str) or digit.kind != "mod":
                continue
            inner = lone(digit.operands[0])
            other = lone(dims.floordiv(*digit.operands))
            if inner is not None and inner not in known and other in known:
                known.add(inner)
                grown = True
    return {i for i in ids if i in known}


class Footprint:
    """What instances reach through a port: a component for each dimension."""

    __slots__ = ("components", "space")

    def __init__(self, components: Sequence[Component], space: Space):
        self.components = tuple(components)
        self.space = space


def undetermined(footprint: Footprint, shape: Sequence[Dim]) -> list[str]:
    """The ids that a footprint does not tell apart; empty if instances never meet."""
    space = footprint.space
    digits: set[Digit] = set()
    for component, extent in zip(footprint.components, shape, strict=False):
        if component.form is not None:
            width = dims.constant(component.high - component.low + 1)
            digits |= separates(component.form, [width], space, extent)
    found = determined(digits, space.extents)
    return [i for i, e in space.extents.items()
            if i not in found and not (e.constant is not None and e.constant <= 1)]
