import hvisa
from hvisa import In, Out, u8


@hvisa.leaf
def shift(x: In[u8, "n"], y: Out[u8, "n"]):
    i = hvisa.grid("n")
    y[i] = x[i] + -1
