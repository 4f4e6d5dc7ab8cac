"""Stable sorting: pieces by their digits, then merges of two and two, each thread a part of the result.

A piece of 32768 elements is sorted by 8 bits at a time, lowest first (D. E. Knuth, "The Art of Computer
Programming", volume 3, 5.2.5). Then pieces are merged pairwise: what takes part in a block of 1024 results
is found by bisection on the diagonal of the merge (O. Green, R. McColl, D. A. Bader, "GPU Merge Path", ICS
2012, section 3). Order is that of the integers `ranked` gives: -0 equals 0, and NaN comes last.
"""

from typing import Any

import hvisa
from hvisa import In, Out, i64, index
from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType

PIECE, BLOCK, HALF, DIGITS, RADIX = 1 << 15, 1 << 10, 1 << 9, 256, 8
n, c = hvisa.dims("n c")


def make(T: ScalarType) -> list[Any]:
    """`sort`, `argsort` and `sort_pairs` of an element type."""
    ranked = ordering(T)
    path = merging(T, ranked)
    return [sorting(T, ranked, path), *pair_sorting(T, ranked, path)]


def ordering(T: ScalarType) -> Any:
    """The function that gives an element's place among all of its type, as an unsigned integer."""
    U = ty.BY_NAME[f"u{T.bits}"]
    top = 1 << (T.bits - 1)

    if not T.is_float:
        flip = top if T.kind == "signed" else 0

        @hvisa.func(name="ranked", private=True)
        def ranked(v):
            return hvisa.bitcast(U, v) ^ U(flip)
        return ranked
    most, sign = (1 << T.bits) - 1, top

    @hvisa.func(name="ranked", private=True)
    def ranked_float(v):
        bits = hvisa.bitcast(U, v)
        turned = U(most) - bits if (bits & U(sign)) != 0 else bits | U(sign)
        plain = U(sign) if v == 0 else turned
        return U(most) if v != v else plain
    return ranked_float


def merging(T: ScalarType, ranked: Any) -> Any:
    """The function that finds how many elements of the first run are among those before a diagonal."""

    @hvisa.func(name="path", private=True)
    def path(x: In[T, n], begin: index, middle: index, end: index, diagonal: index) -> index:
        low, high = max(diagonal - (end - middle), 0), min(diagonal, middle - begin)
        while low < high:
            half = (low + high) // 2
            if ranked(x[begin + half]) <= ranked(x[middle + diagonal - 1 - half]):
                low = half + 1
            else:
                high = half
        return begin + low
    return path


def sorting(T: ScalarType, ranked: Any, path: Any) -> Any:
    """Keys alone."""
    passes = range(0, T.bits, RADIX)

    @hvisa.leaf(name="digit", private=True)
    def digit(x: In[T, c], shift: index, y: Out[T, c]):
        places = hvisa.local(index, DIGITS)
        for i in range(c):
            places[index((ranked(x[i]) >> shift) & 255)] += 1
        total = index(0)
        for d in range(DIGITS):
            count = places[d]
            places[d] = total
            total += count
        for i in range(c):
            v = x[i]
            d = index((ranked(v) >> shift) & 255)
            y[places[d]] = v
            places[d] += 1

    @hvisa.graph(name="piece", private=True)
    def piece(x: In[T, c], y: Out[T, c]):
        now = x
        for shift in passes:
            now = digit(now, shift)
        return now

    @hvisa.leaf(name="merge", private=True)
    def merge(x: In[T, n], width: index, y: Out[T, n]):
        b = hvisa.grid(hvisa.ceildiv(n, BLOCK))
        begin = BLOCK * b // (2 * width) * (2 * width)
        middle, end = min(begin + width, n), min(begin + 2 * width, n)
        diagonal = BLOCK * b - begin
        later = min(diagonal + HALF, end - begin)
        i, p = path(x, begin, middle, end, diagonal), path(x, begin, middle, end, later)
        j, q = middle + diagonal - (i - begin), middle + later - (p - begin)
        for k in range(HALF):  # two merges side by side: each waits for its own loads
            a, other = x.clamp[i], x.clamp[j]
            first = j >= end or (i < middle and ranked(a) <= ranked(other))
            y.skip[BLOCK * b + k] = a if first else other
            i += index(first)
            j += index(not first)
            a, other = x.clamp[p], x.clamp[q]
            first = q >= end or (p < middle and ranked(a) <= ranked(other))
            y.skip[BLOCK * b + HALF + k] = a if first else other
            p += index(first)
            q += index(not first)

    @hvisa.graph(name=f"sort.{T}")
    def sort(x: In[T, n]) -> Out[T, n]:
        y = hvisa.empty(T, n)
        for p in hvisa.grid(hvisa.ceildiv(n, PIECE)):
            y[PIECE * p:PIECE * p + PIECE] = piece(x[PIECE * p:PIECE * p + PIECE])
        width = index(PIECE)
        while width < n:
            y = merge(y, width)
            width = 2 * width
        return y
    return sort


def pair_sorting(T: ScalarType, ranked: Any, path: Any) -> list[Any]:
    """Keys, each with a number that goes where it goes."""
    passes = range(0, T.bits, RADIX)

    @hvisa.leaf(name="pair_digit", private=True)
    def digit(x: In[T, c], v: In[i64, c], shift: index, y: Out[T, c], w: Out[i64, c]):
        places = hvisa.local(index, DIGITS)
        for i in range(c):
            places[index((ranked(x[i]) >> shift) & 255)] += 1
        total = index(0)
        for d in range(DIGITS):
            count = places[d]
            places[d] = total
            total += count
        for i in range(c):
            key = x[i]
            d = index((ranked(key) >> shift) & 255)
            y[places[d]] = key
            w[places[d]] = v[i]
            places[d] += 1

    @hvisa.graph(name="pair_piece", private=True)
    def piece(x: In[T, c], v: In[i64, c], y: Out[T, c], w: Out[i64, c]):
        keys, values = x, v
        for shift in passes:
            keys, values = digit(keys, values, shift)
        return keys, values

    @hvisa.leaf(name="pair_merge", private=True)
    def merge(x: In[T, n], v: In[i64, n], width: index, y: Out[T, n], w: Out[i64, n]):
        b = hvisa.grid(hvisa.ceildiv(n, BLOCK))
        begin = BLOCK * b // (2 * width) * (2 * width)
        middle, end = min(begin + width, n), min(begin + 2 * width, n)
        diagonal = BLOCK * b - begin
        i = path(x, begin, middle, end, diagonal)
        j = middle + diagonal - (i - begin)
        for k in range(BLOCK):
            a, other = x.clamp[i], x.clamp[j]
            first = j >= end or (i < middle and ranked(a) <= ranked(other))
            y.skip[BLOCK * b + k] = a if first else other
            w.skip[BLOCK * b + k] = v.clamp[i if first else j]
            i += index(first)
            j += index(not first)

    @hvisa.leaf(name="places", private=True)
    def places(count: index, v: Out[i64, "count"]):
        i = hvisa.grid("count")
        v[i] = i

    @hvisa.graph(name=f"sort_pairs.{T}")
    def sort_pairs(x: In[T, n], v: In[i64, n]) -> tuple[Out[T, n], Out[i64, n]]:
        y, w = hvisa.empty(T, n), hvisa.empty(i64, n)
        for p in hvisa.grid(hvisa.ceildiv(n, PIECE)):
            y[PIECE * p:PIECE * p + PIECE], w[PIECE * p:PIECE * p + PIECE] = piece(
                x[PIECE * p:PIECE * p + PIECE], v[PIECE * p:PIECE * p + PIECE])
        width = index(PIECE)
        while width < n:
            y, w = merge(y, w, width)
            width = 2 * width
        return y, w

    @hvisa.graph(name=f"argsort.{T}")
    def argsort(x: In[T, n]) -> Out[i64, n]:
        _, w = sort_pairs(x, places(n))
        return w
    return [sort_pairs, argsort]
