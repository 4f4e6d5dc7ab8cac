import hvisa
from hvisa import In, Out, f32, i1


@hvisa.leaf
def mask(x: In[f32, "n"], y: Out[i1, "n"]):
    i = hvisa.grid("n")
    y[i] = x[i]
