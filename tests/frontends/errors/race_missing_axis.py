import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def sums(x: In[f32, "m", "n"], y: Out[f32, "m"]):
    i, j = hvisa.grid("m", "n")
    y[i] += x[i, j]
