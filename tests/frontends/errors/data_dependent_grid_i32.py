import hvisa
from hvisa import Out, i32


@hvisa.leaf
def fill(count: i32, y: Out[i32, "n"]):
    i = hvisa.grid(count)
    y[i] = 1
