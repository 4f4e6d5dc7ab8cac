"""Scans: each element joined with all before it, in a fixed order that vectors and threads can follow.

A buffer is cut into blocks of 1024 elements, a block into groups of 16. In a group, for h = 1, 2, 4, 8:
s[j] = s[j - h] op s[j] for j >= h, all at once (W. D. Hillis, G. L. Steele, "Data parallel algorithms",
Comm. ACM 29, 1986). Then s[j] = c op s[j], where c is the last element of the group before, for the
first group the identity. Then y[i] = o op s[i], where o is the identity for the first block, and for each
other one o op s of the last element of the block before, with its o. The identity of `add` on floats is -0,
which changes no number.
"""

from typing import Any

import hvisa
from hvisa import In, Out, vec
from hvisa.spec import numerics
from hvisa.spec.families import SCANS
from hvisa.spec.types import ScalarType

BLOCK, LANES, GROUPS = 1024, 16, 64
n, blocks = hvisa.dims("n blocks")
OF_N = hvisa.ceildiv(n, BLOCK)


@hvisa.func(private=True)
def joined_by_add(a, b):
    return a + b


@hvisa.func(private=True)
def joined_by_mul(a, b):
    return a * b


@hvisa.func(private=True)
def joined_by_min(a, b):
    return min(a, b)


@hvisa.func(private=True)
def joined_by_max(a, b):
    return max(a, b)


def identity_of(op: str, T: ScalarType) -> Any:
    """What changes nothing when it is joined."""
    return -0.0 if op == "add" and T.is_float else numerics.identity(op, T)


def make(T: ScalarType) -> list[Any]:
    """The scans of an element type."""
    joined = (joined_by_add, joined_by_mul, joined_by_min, joined_by_max)
    return [node for op, join in zip(SCANS, joined, strict=True)
            for node in scans(T, op, join, identity_of(op, T))]


def scans(T: ScalarType, op: str, join: Any, identity: Any) -> list[Any]:
    """The inclusive and the exclusive scan of one operator."""
    first = T(identity)
    before_all = T(0 if op == "add" else identity)  # what an exclusive scan begins with

    @hvisa.func(name=f"{op}.group", private=True)
    def grouped(v: vec[T, LANES]) -> vec[T, LANES]:
        lane = hvisa.vec(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
        v = hvisa.select(lane >= 1, join(
            hvisa.permute(v, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), v), v)
        v = hvisa.select(lane >= 2, join(
            hvisa.permute(v, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), v), v)
        v = hvisa.select(lane >= 4, join(
            hvisa.permute(v, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), v), v)
        return hvisa.select(lane >= 8, join(
            hvisa.permute(v, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7), v), v)

    @hvisa.leaf(name=f"{op}.totals", private=True)
    def totals(x: In[T, n], t: Out[T, OF_N]):
        b = hvisa.grid(OF_N)
        carry = first
        if BLOCK * b + BLOCK <= n:  # of a block that is not full, nothing is asked
            for k in range(GROUPS):
                carry = join(carry, grouped(x.vec(LANES)[BLOCK * b + LANES * k])[15])
        t[b] = carry

    @hvisa.leaf(name=f"{op}.offsets", private=True)
    def offsets(t: In[T, blocks], o: Out[T, blocks]):
        carry = first
        for b in range(blocks):
            o[b] = carry
            carry = join(carry, t[b])

    @hvisa.leaf(name=f"{op}.inclusive", private=True)
    def inclusive(x: In[T, n], o: In[T, OF_N], y: Out[T, n]):
        b = hvisa.grid(OF_N)
        start, carry = o[b], first
        if BLOCK * b + BLOCK <= n:
            for k in range(GROUPS):
                s = join(hvisa.splat(carry, LANES), grouped(x.vec(LANES)[BLOCK * b + LANES * k]))
                y.vec(LANES)[BLOCK * b + LANES * k] = join(hvisa.splat(start, LANES), s)
                carry = s[15]
        else:
            for k in range(GROUPS):
                s = join(hvisa.splat(carry, LANES), grouped(x.vec(LANES).zero[BLOCK * b + LANES * k]))
                y.vec(LANES).skip[BLOCK * b + LANES * k] = join(hvisa.splat(start, LANES), s)
                carry = s[15]

    @hvisa.leaf(name=f"{op}.shifted", private=True)
    def shifted(x: In[T, n], y: Out[T, n]):
        i = hvisa.grid(n)
        y[i] = before_all if i == 0 else x.zero[i - 1]

    @hvisa.graph(name=f"scan_{op}.{T}")
    def scan(x: In[T, n]) -> Out[T, n]:
        return inclusive(x, offsets(totals(x)))

    @hvisa.graph(name=f"scan_{op}_exclusive.{T}")
    def scan_before(x: In[T, n]) -> Out[T, n]:
        return shifted(inclusive(x, offsets(totals(x))))
    return [scan, scan_before]
