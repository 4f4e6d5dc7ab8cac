import hvisa
from hvisa import In, Out, i32


@hvisa.leaf
def half(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    y[i] = x[i] / 2
