import hvisa
from hvisa import In, Out, i32


@hvisa.leaf
def mean(a: In[i32, "n"], b: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    mid = (a[i] + b[i]) / 2
    y[i] = mid
