import hvisa
from hvisa import Out, f32, index, u64


@hvisa.leaf
def noise(seed: u64, n: index, y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.random_uniform(seed, i)
