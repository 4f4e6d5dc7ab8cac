import hvisa
from hvisa import InOut, f32


@hvisa.leaf
def blur(x: InOut[f32, "n"]):
    i = hvisa.grid("n")
    x[i] = (x.clamp[i - 1] + x[i] + x.clamp[i + 1]) / 3
