import hvisa
from hvisa import In, Out, f32, i32


@hvisa.func
def wrap(k: i32) -> i32:
    return k % 16


@hvisa.leaf
def tiles(x: In[f32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    y[i] = wrap(x[i])
