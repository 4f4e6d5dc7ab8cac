import numpy as np

import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def turn(x: In[np.complex64, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = x[i]
