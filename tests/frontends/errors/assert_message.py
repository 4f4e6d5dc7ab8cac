import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def check(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    assert x[i] > 0, x[i]
    y[i] = x[i]
