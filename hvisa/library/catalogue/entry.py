"""What each function of the mathematics promises: bound, domain, special cases; and its oracle.

The tests hold the functions against this, the manual page `docs/spec/math.md` is made from it. Oracles
are functions of mpmath numbers, `numpy` the first look at f32 (both are names, resolved on use, so that
neither is imported with the library).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Entry:
    """One function. `bounds` are ULP of f32 and f64; `ranges` where most points are taken. Below 0 an
    error of at most `absolute` of the two types is none: near zeros that are no numbers of the type.

    `fast` are the bounds of the variants `.fast`, None where the strict function is as fast; they hold in
    `fast_domain` (empty: everywhere), which also says what lies beyond and which special values differ."""

    __slots__ = ("absolute", "arguments", "bounds", "exact", "fast", "fast_domain", "integer", "integers",
                 "name", "numpy_name", "oracle_name", "ranges", "special", "summary")

    def __init__(self, name: str, summary: str, special: str, bounds: tuple[float, float],
                 ranges: tuple[tuple[float, float], tuple[float, float]], *, arguments: int = 1,
                 integer: bool = False, integers: tuple[int, int] = (0, 1), numpy: str = "",
                 oracle: str = "", exact: str = "",
                 absolute: tuple[float, float] = (0.0, 0.0),
                 fast: tuple[float, float] | None = None, fast_domain: str = ""):
        self.name = name
        self.summary = summary
        self.special = special
        self.bounds = bounds
        self.ranges = ranges
        self.arguments = arguments
        self.integer = integer
        self.integers = integers
        self.numpy_name = numpy
        self.oracle_name = oracle or name
        self.exact = exact
        self.absolute = absolute
        self.fast = fast
        self.fast_domain = fast_domain

    def bound(self, type_: str) -> float:
        return self.bounds[0 if type_ == "f32" else 1]

    def fast_bound(self, type_: str) -> float | None:
        """What the variant `.fast` promises; None if there is none."""
        return None if self.fast is None else self.fast[0 if type_ == "f32" else 1]

    def small(self, type_: str) -> float:
        return self.absolute[0 if type_ == "f32" else 1]

    def interval(self, type_: str) -> tuple[float, float]:
        return self.ranges[0 if type_ == "f32" else 1]

    @property
    def numpy(self) -> Callable[..., Any] | None:
        if not self.numpy_name:
            return None
        import numpy
        return getattr(numpy, self.numpy_name)

    @property
    def oracle(self) -> Callable[..., Any]:
        from hvisa.library import oracles
        return oracles.find(self.oracle_name)
