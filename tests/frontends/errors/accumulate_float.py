import hvisa
from hvisa import Accumulate, In, f32


@hvisa.leaf
def total(x: In[f32, "n"], s: Accumulate["add", f32, 1]):
    i = hvisa.grid("n")
    s[0] += x[i]
