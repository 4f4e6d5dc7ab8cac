import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def rows(x: In[f32, "m", "n"], y: Out[f32, "m"]):
    i = hvisa.grid("m")
    y[i] = sum(x[i, :])
