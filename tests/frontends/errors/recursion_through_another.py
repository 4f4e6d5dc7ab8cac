import hvisa
from hvisa import In, Out, i32


@hvisa.func
def even(k: i32) -> i32:
    return 1 if k == 0 else odd(k - 1)


@hvisa.func
def odd(k: i32) -> i32:
    return 0 if k == 0 else even(k - 1)


@hvisa.leaf
def parity(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    y[i] = even(x[i])
