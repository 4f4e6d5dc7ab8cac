import numpy as np

import hvisa
from hvisa import In, Out, f32, i32

TABLE = np.zeros(1 << 24, np.float32)


@hvisa.leaf
def look(x: In[i32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = TABLE[x[i]]
