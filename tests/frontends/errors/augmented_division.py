import hvisa
from hvisa import InOut, i32


@hvisa.leaf
def halve(y: InOut[i32, "n"]):
    i = hvisa.grid("n")
    y[i] /= 2
