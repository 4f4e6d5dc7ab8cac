import hvisa
from hvisa import In, Out, f32


@hvisa.func
def halves(v):
    if v < 0:
        return v
    return v, v


@hvisa.leaf
def split(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = halves(x[i])
