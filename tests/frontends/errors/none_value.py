import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def grow(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    best = None
    for k in range(4):
        best = x[i]
    y[i] = best
