import hvisa
from hvisa import In, InOut, i32


@hvisa.leaf
def count(p: In[i32, "n"], y: InOut[i32, "n"]):
    i = hvisa.grid("n")
    hvisa.update("add", y[p[i]], 1)
