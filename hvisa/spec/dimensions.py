"""Symbolic dimensions: integer expressions over symbols, kept in one normal form (semantics 24).

A `Dim` is a polynomial with integer coefficients over *atoms*: symbols (named by strings) and opaque
`floordiv`, `mod`, `min`, `max` of dimensions. Two dimensions are equal exactly when their normal
forms are; anything cleverer needs a `match` in the program. Evaluation is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

MAX_TERMS = 64
MAX_DEGREE = 8
MAX_DEPTH = 16  # nesting of floordiv, mod, min and max
MAX_COEFFICIENT = 1 << 62
MAX_SIZE = 1024  # symbols, operations and terms, all written out


class DimError(ValueError):
    """The expression has no normal form within the limits, or can't be evaluated."""


class Atom:
    """An opaque operation on dimensions: `kind` in floordiv, mod, min, max."""

    __slots__ = ("_hash", "_key", "depth", "kind", "operands", "size")

    def __init__(self, kind: str, operands: tuple[Dim, ...]):
        self.kind = kind
        self.operands = operands
        # Operands are shared objects, so what is written out can be exponential in what is stored.
        self.size = 1 + sum(o.size for o in operands)
        self.depth = 1 + max((a.depth for o in operands for m, _ in o.terms for a in m
                              if isinstance(a, Atom)), default=0)
        if self.depth > MAX_DEPTH:
            raise DimError(f"a dimension nests at most {MAX_DEPTH} deep")
        if self.size > MAX_SIZE:
            raise DimError(f"a dimension has at most {MAX_SIZE} parts")
        self._key = (kind, *(o.sort_key() for o in operands))
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self._key == other._key

    def sort_key(self) -> tuple[object, ...]:
        return self._key


Monomial = tuple["str | Atom", ...]  # atoms in canonical order, repeated for powers


def _atom_key(atom: str | Atom) -> tuple[object, ...]:
    return ("", atom) if isinstance(atom, str) else atom.sort_key()


class Dim:
    """An immutable dimension expression; use `+ - *` and the functions of this module."""

    __slots__ = ("_hash", "_key", "size", "terms")

    def __init__(self, terms: Mapping[Monomial, int]):
        kept = [(m, c) for m, c in terms.items() if c]
        self.size = sum(1 + sum(1 if isinstance(a, str) else a.size for a in m) for m, _ in kept)
        if self.size > MAX_SIZE:
            raise DimError(f"a dimension has at most {MAX_SIZE} parts")
        if len(kept) > MAX_TERMS or any(len(m) > MAX_DEGREE for m, _ in kept):
            raise DimError(f"a dimension has at most {MAX_TERMS} terms of degree {MAX_DEGREE}")
        if any(abs(c) > MAX_COEFFICIENT for _, c in kept):
            raise DimError("a dimension's coefficients are at most 2^62")
        kept.sort(key=lambda t: (-len(t[0]), tuple(_atom_key(a) for a in t[0])))
        self.terms: tuple[tuple[Monomial, int], ...] = tuple(kept)
        self._key = tuple((tuple(_atom_key(a) for a in m), c) for m, c in kept)
        self._hash = hash(self._key)

    def sort_key(self) -> tuple[object, ...]:
        return self._key

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._key == other._key

    def __repr__(self) -> str:
        return f"Dim({self})"

    def __str__(self) -> str:
        return format_dim(self)

    # -- parts ---------------------------------------------------------------------------------

    @property
    def constant(self) -> int | None:
        """The value if it depends on no symbol."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def symbol(self) -> str | None:
        """The symbol if this is one standing alone."""
        if len(self.terms) != 1:
            return None
        monomial, coefficient = self.terms[0]
        alone = coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], str)
        return monomial[0] if alone else None  # type: ignore[return-value]

    def offset(self) -> int:
        """The constant term."""
        return self.terms[-1][1] if self.terms and not self.terms[-1][0] else 0

    def symbols(self) -> Iterator[str]:
        """Every symbol, in canonical order, repeats included."""
        for monomial, _ in self.terms:
            for atom in monomial:
                if isinstance(atom, str):
                    yield atom
                else:
                    for operand in atom.operands:
                        yield from operand.symbols()

    # -- building ------------------------------------------------------------------------------

    def __add__(self, other: Dim | int) -> Dim:
        total = dict(self.terms)
        for monomial, coefficient in as_dim(other).terms:
            total[monomial] = total.get(monomial, 0) + coefficient
        return Dim(total)

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return Dim({m: -c for m, c in self.terms})

    def __sub__(self, other: Dim | int) -> Dim:
        return self + -as_dim(other)

    def __rsub__(self, other: int) -> Dim:
        return as_dim(other) - self

    def __mul__(self, other: Dim | int) -> Dim:
        right = as_dim(other)
        if len(self.terms) * len(right.terms) > MAX_TERMS * MAX_TERMS:
            raise DimError(f"a dimension has at most {MAX_TERMS} terms")
        total: dict[Monomial, int] = {}
        for m1, c1 in self.terms:
            for m2, c2 in right.terms:
                monomial = tuple(sorted(m1 + m2, key=_atom_key))
                total[monomial] = total.get(monomial, 0) + c1 * c2
        return Dim(total)

    __rmul__ = __mul__

    def __floordiv__(self, other: Dim | int) -> Dim:
        return floordiv(self, other)

    def __mod__(self, other: Dim | int) -> Dim:
        return mod(self, other)

    # -- use -----------------------------------------------------------------------------------

    def evaluate(self, environment: Mapping[str, int]) -> int:
        """The exact value. Raises `DimError` on a zero or negative divisor, KeyError on an
        unbound symbol."""
        total = 0
        for monomial, coefficient in self.terms:
            product = coefficient
            for atom in monomial:
                product *= (environment[atom] if isinstance(atom, str)
                            else _evaluate_atom(atom, environment))
            total += product
        return total

    def substitute(self, replace: Mapping[str, Dim]) -> Dim:
        """The same expression with symbols replaced; symbols not named stay."""
        if len(self.terms) == 1 and self.symbol is not None:
            return replace.get(self.symbol, self)
        total = Dim({})
        for monomial, coefficient in self.terms:
            product = constant(coefficient)
            for atom in monomial:
                if isinstance(atom, str):
                    product = product * replace.get(atom, symbol(atom))
                else:
                    parts = tuple(o.substitute(replace) for o in atom.operands)
                    product = product * _BUILD[atom.kind](*parts)
            total = total + product
        return total


def _evaluate_atom(atom: Atom, environment: Mapping[str, int]) -> int:
    values = [o.evaluate(environment) for o in atom.operands]
    if atom.kind in ("floordiv", "mod"):
        if values[1] <= 0:
            raise DimError(f"divisor `{atom.operands[1]}` is {values[1]}; divisors are at least 1")
        return values[0] // values[1] if atom.kind == "floordiv" else values[0] % values[1]
    return min(values) if atom.kind == "min" else max(values)


def constant(value: int) -> Dim:
    return Dim({(): value})


def symbol(name: str) -> Dim:
    return Dim({(name,): 1})


def as_dim(value: Dim | int | str) -> Dim:
    if isinstance(value, Dim):
        return value
    return symbol(value) if isinstance(value, str) else constant(value)


def _atom(kind: str, *operands: Dim) -> Dim:
    return Dim({(Atom(kind, operands),): 1})


def floordiv(numerator: Dim | int, divisor: Dim | int) -> Dim:
    """Quotient rounded down; the divisor is a positive constant or a symbol (checked >= 1 at launch)."""
    a, b = as_dim(numerator), as_dim(divisor)
    p, q = a.constant, b.constant
    if q is not None and q <= 0:
        raise DimError(f"divisor is {q}; divisors are at least 1")
    if q == 1:
        return a
    if p is not None and q is not None:
        return constant(p // q)
    return _atom("floordiv", a, b)


def mod(numerator: Dim | int, divisor: Dim | int) -> Dim:
    """Remainder of `floordiv`, never negative."""
    a, b = as_dim(numerator), as_dim(divisor)
    p, q = a.constant, b.constant
    if q is not None and q <= 0:
        raise DimError(f"divisor is {q}; divisors are at least 1")
    if q == 1:
        return constant(0)
    if p is not None and q is not None:
        return constant(p % q)
    return _atom("mod", a, b)


def ceildiv(numerator: Dim | int, divisor: Dim | int) -> Dim:
    """Quotient rounded up: `floordiv(a + b - 1, b)`."""
    return floordiv(as_dim(numerator) + as_dim(divisor) - 1, divisor)


def _extremum(kind: str, choose: Callable[[Iterable[int]], int]) -> Callable[..., Dim]:
    def build(*operands: Dim | int) -> Dim:
        flat: list[Dim] = []
        constants: list[int] = []
        for operand in map(as_dim, operands):
            value = operand.constant
            nested = operand.terms[0][0][0] if _single_atom(operand) else None
            if value is not None:
                constants.append(value)
            elif isinstance(nested, Atom) and nested.kind == kind:
                flat += nested.operands
            else:
                flat.append(operand)
        constants += [c for o in flat if (c := o.constant) is not None]
        parts = {o for o in flat if o.constant is None}
        if constants:
            parts.add(constant(choose(constants)))
        ordered = sorted(parts, key=Dim.sort_key)
        return ordered[0] if len(ordered) == 1 else _atom(kind, *ordered)
    return build


def _single_atom(dim: Dim) -> bool:
    return len(dim.terms) == 1 and dim.terms[0][1] == 1 and len(dim.terms[0][0]) == 1


minimum = _extremum("min", min)
maximum = _extremum("max", max)

_BUILD: dict[str, Callable[..., Dim]] = {
    "floordiv": floordiv, "mod": mod, "min": minimum, "max": maximum}

# Functions of the text form; `ceildiv` has no atom of its own.
FUNCTIONS: dict[str, Callable[..., Dim]] = {**_BUILD, "ceildiv": ceildiv}
ATOM_KINDS: tuple[str, ...] = tuple(_BUILD)


def _format_atom(atom: str | Atom) -> str:
    if isinstance(atom, str):
        return f"%{atom}"
    if atom.kind == "floordiv":
        above, below = atom.operands
        rest = above - below + 1
        # `a + b - 1` over b reads better as a rounded-up quotient.
        if below.constant is not None and rest.offset() == 0 and rest.constant is None:
            return f"ceildiv({rest}, {below})"
        if below.constant is None and len(rest.terms) < len(above.terms):
            return f"ceildiv({rest}, {below})"
    return f"{atom.kind}({', '.join(map(str, atom.operands))})"


def format_dim(dim: Dim) -> str:
    """The canonical text."""
    parts: list[str] = []
    for monomial, coefficient in dim.terms:
        factors = [_format_atom(a) for a in monomial]
        size = abs(coefficient)
        if size != 1 or not factors:
            factors.insert(0, str(size))
        sign = "-" if coefficient < 0 else "+"
        body = "*".join(factors)
        if parts:
            parts.append(f" {sign} {body}")
        else:
            parts.append(f"-{body}" if coefficient < 0 else body)
    return "".join(parts) or "0"
