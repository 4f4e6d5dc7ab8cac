import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def scale(a, x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = a * x[i]
