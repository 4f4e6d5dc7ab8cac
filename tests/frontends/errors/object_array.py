import numpy as np

import hvisa
from hvisa import In, Out, f32

NAMES = np.array(["a", "b"])


@hvisa.leaf
def copy(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = x[i] if NAMES[0] == "a" else 0
