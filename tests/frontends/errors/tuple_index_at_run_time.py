import hvisa
from hvisa import In, Out, i32


@hvisa.leaf
def pick(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    t = (10, 20, 30)
    y[i] = t[x[i]]
