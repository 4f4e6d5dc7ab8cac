from __future__ import annotations

import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def scale(x: In[float16, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = 2 * x[i]
