import hvisa
from hvisa import In, Out, i32


@hvisa.func
def factorial(k: i32) -> i32:
    if k < 2:
        return 1
    return k * factorial(k - 1)


@hvisa.leaf
def factorials(x: In[i32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    y[i] = factorial(x[i])
