import hvisa
from hvisa import In, Out, i32


@hvisa.leaf
def some(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid(x[0])
    y[i] = 1
