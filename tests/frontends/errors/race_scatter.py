import hvisa
from hvisa import In, Out, f32, i32


@hvisa.leaf
def scatter(p: In[i32, "n"], x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[p[i]] = x[i]
