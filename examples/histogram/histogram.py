"""Counts of the values of a byte array; exact in any order, on any number of threads and devices.

    python examples/histogram/histogram.py
    [0 1 1 3]
"""

import numpy as np

import hvisa
from hvisa import Accumulate, In, Out, i32, index, u8


@hvisa.leaf(private=True)
def count(x: In[u8, "n"], h: Accumulate["add", i32, "bins"]):
    i = hvisa.grid("n")
    h.skip[x[i]] += 1  # values beyond the last bin are not counted


@hvisa.graph
def histogram(x: In[u8, "n"], bins: index, h: Out[i32, "bins"]):
    return count(x, hvisa.zeros(i32, bins))


if __name__ == "__main__":
    print(histogram(np.array([3, 1, 3, 2, 3], np.uint8), 4))
