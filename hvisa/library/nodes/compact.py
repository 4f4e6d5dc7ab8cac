"""Compaction: the elements that a condition keeps, in their order.

One pass without branches: each element is written at the next place, which moves on only if it is kept. It
takes the time of the loads, which a division over threads with a scan of counts (G. E. Blelloch, "Prefix
sums and their applications", CMU-CS-90-190, 1990, section 1.1) did not reach on two cores.
"""

from typing import Any

import hvisa
from hvisa import In, Out, i1, i64, index
from hvisa.spec.types import ScalarType

n = hvisa.dims("n")


def make(T: ScalarType) -> list[Any]:
    """`compact` of an element type; of i1 also the places of the true ones."""

    @hvisa.leaf(name=f"compact.{T}")
    def compact(x: In[T, n], keep: In[i1, n], y: Out[T, "f <= n"]):
        count = index(0)
        for k in range(n):
            y.skip[count] = x[k]
            count += index(keep[k])
        hvisa.set_extent(y, count)

    @hvisa.leaf(name="nonzero.i1")
    def nonzero(keep: In[i1, n], y: Out[i64, "f <= n"]):
        count = index(0)
        for k in range(n):
            y.skip[count] = k
            count += index(keep[k])
        hvisa.set_extent(y, count)
    return [compact, nonzero] if T is i1 else [compact]
