"""C = A B, tiled: each 16x16 tile of C is one instance of `tile`, which walks along k with two tiles of
A and B in scratch. The 256 instances of `step` fill the scratch together, wait, and multiply.

    python examples/sgemm/sgemm.py
    [[19. 22.]
     [43. 50.]]
"""

import numpy as np

import hvisa
from hvisa import In, InOut, Out, Shared, f32, index

T = 16


@hvisa.leaf(private=True, effect="nondeterministic")
def step(a: In[f32, "p", "k"], b: In[f32, "k", "q"], s: index, ta: Shared[f32, T, T],
         tb: Shared[f32, T, T], c: InOut[f32, "p", "q"]):
    i, j = hvisa.grid(T, T)
    ta[i, j] = a.zero[i, T * s + j]
    tb[i, j] = b.zero[T * s + i, j]
    hvisa.barrier()
    acc = c.zero[i, j]
    for k in range(T):
        acc = hvisa.fma(ta[i, k], tb[k, j], acc)
    c.skip[i, j] = acc


@hvisa.graph(private=True)
def tile(a: In[f32, "p", "k"], b: In[f32, "k", "q"], c: Out[f32, "p", "q"]):
    ta, tb = hvisa.scratch(f32, T, T), hvisa.scratch(f32, T, T)
    for s in range(hvisa.ceildiv(a.shape[1], T)):
        ta, tb, c = step(a, b, s, ta, tb, c)


@hvisa.graph
def sgemm(a: In[f32, "m", "k"], b: In[f32, "k", "n"], c: Out[f32, "m", "n"]):
    for i, j in hvisa.grid(hvisa.ceildiv("m", T), hvisa.ceildiv("n", T)):
        c[T * i:T * i + T, T * j:T * j + T] = tile(a[T * i:T * i + T, :], b[:, T * j:T * j + T])


if __name__ == "__main__":
    print(sgemm(np.array([[1, 2], [3, 4]], np.float32), np.array([[5, 6], [7, 8]], np.float32)))
