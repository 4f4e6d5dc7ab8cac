import hvisa
from hvisa import Out, u8


@hvisa.leaf
def fill(y: Out[u8, "n"]):
    i = hvisa.grid("n")
    y[i] = 256
