import hvisa
from hvisa import Accumulate, In, i32, u8


@hvisa.leaf
def count(x: In[u8, "n"], h: Accumulate["add", i32, 256]):
    i = hvisa.grid("n")
    h[x[i]] = h[x[i]] + 1
