import hvisa
from hvisa import In, Out, i32

TOTAL = 0


@hvisa.leaf
def count(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    global TOTAL
    TOTAL += x[i]
    y[i] = x[i]
