"""Histograms: how many elements lie in each class; whole numbers, so no order matters.

Each of 64 parts of the input counts into a row of its own, and the rows are added up: no two instances
touch one element. Where there are many classes one part is left, since clearing rows would take longer.
The classes of `histogram` are those of numpy: `bins` of equal width from low to high, the last one with
its upper end, nothing outside, no NaN.
"""

from typing import Any

import hvisa
from hvisa import In, Out, i64, index
from hvisa.spec.types import ScalarType

PARTS, FEW_BINS = 64, 4096
INF = float("inf")
RANGE = "a histogram needs low < high, and classes whose width is a normal number"
n, b, p, parts, bins = hvisa.dims("n b p parts bins")


@hvisa.leaf(name="added", private=True)
def added(rows: In[i64, p, b], h: Out[i64, b]):
    j = hvisa.grid(b)
    total = i64(0)
    for k in range(p):
        total += rows[k, j]
    h[j] = total


def make(T: ScalarType) -> list[Any]:
    """`histogram` of floats, `bincount` of whole numbers."""
    return [histogram_of(T) if T.is_float else bincount_of(T)]


def bincount_of(T: ScalarType) -> Any:
    """Classes 0 to bins - 1; any other number is a trap (HV0902)."""

    @hvisa.leaf(name="counted", private=True)
    def counted(x: In[T, n], parts: index, bins: index, rows: Out[i64, parts, bins]):
        part = hvisa.grid(parts)
        size = hvisa.ceildiv(n, parts)
        for k in range(size * part, min(size * part + size, n)):
            rows[part, index(x[k])] += 1

    @hvisa.leaf(name="counted_in_one", private=True)
    def counted_in_one(x: In[T, n], bins: index, h: Out[i64, bins]):
        for k in range(n):
            h[index(x[k])] += 1

    @hvisa.graph(name=f"bincount.{T}")
    def bincount(x: In[T, n], bins: index) -> Out[i64, bins]:
        if bins <= FEW_BINS:
            h = added(counted(x, PARTS, bins))
        else:
            h = counted_in_one(x, bins)
        return h
    return bincount


def histogram_of(T: ScalarType) -> Any:
    """Classes of equal width. The estimate (v - low) bins / (high - low) is corrected by the edges of its
    class, low + k (high - low) / bins."""

    @hvisa.func(name="edge", private=True)
    def edge(k: index, low: T, high: T, step: T, bins: index) -> T:
        return high if k == bins else low + T(k) * step

    @hvisa.func(name="class_of", private=True)
    def class_of(v: T, low: T, high: T, bins: index) -> index:
        scale, step = T(bins) / (high - low), (high - low) / T(bins)
        place = min(index((v - low) * scale), bins - 1)
        place -= index(v < edge(place, low, high, step, bins))
        place += index(place < bins - 1 and v >= edge(place + 1, low, high, step, bins))
        return place if low <= v and v <= high else index(-1)

    @hvisa.leaf(name="counted", private=True)
    def counted(x: In[T, n], low: T, high: T, parts: index, bins: index, rows: Out[i64, parts, bins]):
        part = hvisa.grid(parts)
        size = hvisa.ceildiv(n, parts)
        assert low < high and high - low < INF and T(bins) / (high - low) < INF, RANGE
        for k in range(size * part, min(size * part + size, n)):
            place = class_of(x[k], low, high, bins)
            if place >= 0:
                rows[part, place] += 1

    @hvisa.leaf(name="counted_in_one", private=True)
    def counted_in_one(x: In[T, n], low: T, high: T, bins: index, h: Out[i64, bins]):
        assert low < high and high - low < INF and T(bins) / (high - low) < INF, RANGE
        for k in range(n):
            place = class_of(x[k], low, high, bins)
            if place >= 0:
                h[place] += 1

    @hvisa.graph(name=f"histogram.{T}")
    def histogram(x: In[T, n], low: T, high: T, bins: index) -> Out[i64, bins]:
        if bins <= FEW_BINS:
            h = added(counted(x, low, high, PARTS, bins))
        else:
            h = counted_in_one(x, low, high, bins)
        return h
    return histogram
