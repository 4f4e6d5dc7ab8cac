import hvisa
from hvisa import Out, f32, f64, index


@hvisa.leaf
def noise(seed: f64, n: index, y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.random_uniform(f32, seed, i)
