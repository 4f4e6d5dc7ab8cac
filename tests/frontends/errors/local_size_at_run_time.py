import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def rows(x: In[f32, "m", "n"], y: Out[f32, "m"]):
    i = hvisa.grid("m")
    t = hvisa.local(f32, x.shape[1])
    t[0] = x[i, 0]
    y[i] = t[0]
