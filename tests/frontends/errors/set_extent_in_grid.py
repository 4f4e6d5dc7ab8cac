import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def keep(x: In[f32, "n"], y: Out[f32, "f <= n"]):
    i = hvisa.grid("n")
    hvisa.set_extent(y, 1)
    y[i] = x[i]
