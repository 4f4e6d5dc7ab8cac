import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def scale(x: In[f32, "n"], y: Out[f32, "n"], a: f32 = 2.0):
    i = hvisa.grid("n")
    y[i] = a * x[i]
