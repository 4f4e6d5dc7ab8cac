import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def add(y: Out[f32, "n"], *xs: In[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = xs[0][i] + xs[1][i]
