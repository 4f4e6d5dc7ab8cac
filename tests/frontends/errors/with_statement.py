import hvisa
from hvisa import In, Out, i32


@hvisa.leaf
def locked(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    with open("x"):
        y[i] = x[i]
