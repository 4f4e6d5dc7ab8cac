"""y = A x for a sparse matrix in compressed-row form: one instance a row.

    python examples/spmv/spmv.py
    [201.  30.]
"""

import numpy as np

import hvisa
from hvisa import In, Out, f32, i32


@hvisa.leaf
def spmv(indptr: In[i32, "p"], indices: In[i32, "nnz"], data: In[f32, "nnz"], x: In[f32, "n"],
         y: Out[f32, "p - 1"]):
    row = hvisa.grid("p - 1")
    y[row] = sum(data[k] * x[indices[k]] for k in range(indptr[row], indptr[row + 1]))


if __name__ == "__main__":
    print(spmv(np.array([0, 2, 3], np.int32), np.array([0, 2, 1], np.int32),
               np.array([1, 2, 3], np.float32), np.array([1, 10, 100], np.float32)))
