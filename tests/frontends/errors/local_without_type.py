import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def rows(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    t = hvisa.local(16)
    t[0] = x[i]
    y[i] = t[0]
