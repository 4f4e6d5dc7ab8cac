import math

import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def waves(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = math.sin(x[i])
