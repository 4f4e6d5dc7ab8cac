import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def shift(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y.clamp[i + 1] = x[i]
