import numpy as np

import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def order(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = np.unique(x)[i]
