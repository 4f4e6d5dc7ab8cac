import hvisa
from hvisa import Out, f32


@hvisa.leaf
def fill(y: Out[f32, "m", "n"]):
    i = hvisa.grid("m", "n")
    y[i] = 1
