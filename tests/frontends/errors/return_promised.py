import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def double(x: In[f32, "n"], y: Out[f32, "n"]) -> f32:
    i = hvisa.grid("n")
    y[i] = 2 * x[i]
