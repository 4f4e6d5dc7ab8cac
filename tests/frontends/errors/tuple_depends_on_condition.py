import hvisa
from hvisa import In, Out, i32


@hvisa.leaf
def pick(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    t = (1, 2)
    if x[i] > 0:
        t = (3, 4)
    y[i] = t[0]
