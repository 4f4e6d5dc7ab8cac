import hvisa
from hvisa import Accumulate, In, i32


@hvisa.leaf
def total(x: In[i32, "n"], h: Accumulate["add", i32, 1]):
    y = sum(hvisa.update("add", h[0], x[k]) for k in range(x.shape[0]))
