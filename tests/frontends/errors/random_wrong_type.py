import hvisa
from hvisa import Out, f16, index, u64


@hvisa.leaf
def noise(seed: u64, n: index, y: Out[f16, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.random_normal(f16, seed, i)
