"""Reductions of whole buffers over all threads, and along an axis of a matrix.

The order is that of semantics 11: blocks of 4096 elements are reduced by themselves, here one instance
each, and their results joined pairwise, an odd last one passed on. So the bits are those of one `reduce`
over the buffer.
"""

from typing import Any

import hvisa
from hvisa import In, Out, i1, index
from hvisa.library.nodes.scan import joined_by_add, joined_by_mul
from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType

BLOCK, LEVELS = 4096, 48
m, n, blocks = hvisa.dims("m n blocks")
OF_N = hvisa.ceildiv(n, BLOCK)


def make(T: ScalarType) -> list[Any]:
    """The reductions of an element type: of i1 `any` and `all`, of numbers all others."""
    if T is i1:
        return [*free(T, "any", hvisa.any), *free(T, "all", hvisa.all)]
    return [*folded(T, "sum", hvisa.sum, joined_by_add), *folded(T, "product", hvisa.prod, joined_by_mul),
            *free(T, "min", hvisa.min), *free(T, "max", hvisa.max),
            *placed(T, "argmin", hvisa.argmin), *placed(T, "argmax", hvisa.argmax)]


def folded(T: ScalarType, name: str, fold: Any, join: Any) -> list[Any]:
    """Sum or product; f16 and bf16 are joined as f32 and rounded once."""
    W = ty.F32 if T.is_float and T.bits == 16 else T

    @hvisa.leaf(name=f"{name}.blocks", private=True)
    def of_blocks(x: In[T, n], r: Out[W, OF_N]):
        b = hvisa.grid(OF_N)
        if BLOCK * b + BLOCK <= n:  # a count that is known gives better code
            r[b] = fold(W(x[BLOCK * b + k]) for k in range(BLOCK))
        else:
            r[b] = fold(W(x[k]) for k in range(BLOCK * b, n))

    @hvisa.leaf(name=f"{name}.tree", private=True)
    def tree(r: In[W, blocks]) -> T:
        left = hvisa.local(W, LEVELS)  # at each level one result that waits for its neighbour
        for b in range(blocks):
            total, level, count = r[b], index(0), b
            while count % 2 == 1:
                total = join(left[level], total)
                level += 1
                count //= 2
            left[level] = total
        total = fold(r[b] for b in range(min(blocks, 0)))  # of nothing
        some, level, count = False, index(0), blocks
        while count > 0:
            if count % 2 == 1:
                total = join(left[level], total) if some else left[level]
                some = True
            level += 1
            count //= 2
        return T(total)

    @hvisa.graph(name=f"{name}.{T}")
    def whole(x: In[T, n]) -> T:
        return tree(of_blocks(x))
    return [whole, *along(T, name, fold, W)]


def free(T: ScalarType, name: str, fold: Any) -> list[Any]:
    """What is free of order."""

    @hvisa.leaf(name=f"{name}.blocks", private=True)
    def of_blocks(x: In[T, n], r: Out[T, OF_N]):
        b = hvisa.grid(OF_N)
        if BLOCK * b + BLOCK <= n:
            r[b] = fold(x[BLOCK * b + k] for k in range(BLOCK))
        else:
            r[b] = fold(x[k] for k in range(BLOCK * b, n))

    @hvisa.leaf(name=f"{name}.tree", private=True)
    def tree(r: In[T, blocks]) -> T:
        return fold(r[b] for b in range(blocks))

    @hvisa.graph(name=f"{name}.{T}")
    def whole(x: In[T, n]) -> T:
        return tree(of_blocks(x))
    return [whole, *along(T, name, fold, T)]


def along(T: ScalarType, name: str, fold: Any, W: ScalarType) -> list[Any]:
    """A matrix reduced along its axis 0, or 1."""

    @hvisa.leaf(name=f"{name}_axis0.{T}")
    def axis0(x: In[T, m, n], y: Out[T, n]):
        j = hvisa.grid(n)
        y[j] = T(fold(W(x[k, j]) for k in range(m)))

    @hvisa.leaf(name=f"{name}_axis1.{T}")
    def axis1(x: In[T, m, n], y: Out[T, m]):
        i = hvisa.grid(m)
        y[i] = T(fold(W(x[i, k]) for k in range(n)))
    return [axis0, axis1]


def placed(T: ScalarType, name: str, find: Any) -> list[Any]:
    """The best element and its place: -1 of nothing."""

    @hvisa.leaf(name=f"{name}.blocks", private=True)
    def of_blocks(x: In[T, n], r: Out[T, OF_N], at: Out[index, OF_N]):
        b = hvisa.grid(OF_N)
        if BLOCK * b + BLOCK <= n:
            r[b], at[b] = find(x[BLOCK * b + k] for k in range(BLOCK))
        else:
            r[b], at[b] = find(x[k] for k in range(BLOCK * b, n))

    @hvisa.leaf(name=f"{name}.tree", private=True)
    def tree(r: In[T, blocks], at: In[index, blocks]) -> tuple[T, index]:
        best, b = find(r[b] for b in range(blocks))
        return best, at.zero[b] + BLOCK * b if b >= 0 else index(-1)

    @hvisa.graph(name=f"{name}.{T}")
    def whole(x: In[T, n]) -> tuple[T, index]:
        r, at = of_blocks(x)
        return tree(r, at)

    @hvisa.leaf(name=f"{name}_axis0.{T}")
    def axis0(x: In[T, m, n], y: Out[T, n], at: Out[index, n]):
        j = hvisa.grid(n)
        y[j], at[j] = find(x[k, j] for k in range(m))

    @hvisa.leaf(name=f"{name}_axis1.{T}")
    def axis1(x: In[T, m, n], y: Out[T, m], at: Out[index, m]):
        i = hvisa.grid(m)
        y[i], at[i] = find(x[i, k] for k in range(n))
    return [whole, axis0, axis1]
