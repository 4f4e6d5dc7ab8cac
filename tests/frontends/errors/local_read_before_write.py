import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def rows(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    t = hvisa.local(f32, 4)
    y[i] = x[i] + t[0]
