import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def product(a: In[f32, "m", "k"], b: In[f32, "k", "n"], c: Out[f32, "m", "n"]):
    i, j = hvisa.grid("m", "n")
    c[i, j] = (a @ b)[i, j]
