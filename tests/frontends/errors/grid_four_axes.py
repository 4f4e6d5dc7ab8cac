import hvisa
from hvisa import Out, f32


@hvisa.leaf
def fill(y: Out[f32, "a", "b", "c", "d"]):
    i, j, k, l = hvisa.grid("a", "b", "c", "d")
    y[i, j, k, l] = 1
