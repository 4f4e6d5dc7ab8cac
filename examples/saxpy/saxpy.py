"""y = a x + y, the smallest program.

    python examples/saxpy/saxpy.py
    [3. 5. 7.]
"""

import numpy as np

import hvisa
from hvisa import In, InOut, f32


@hvisa.leaf
def saxpy(a: f32, x: In[f32, "n"], y: InOut[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = a * x[i] + y[i]


if __name__ == "__main__":
    print(saxpy(2.0, np.array([1, 2, 3], np.float32), np.ones(3, np.float32)))
