import hvisa
from hvisa import In, Out, Shared, i32


@hvisa.leaf
def tickets(p: In[i32, "n"], next: Shared[i32, "m"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.atomic("add", next[p[i]], 1)
