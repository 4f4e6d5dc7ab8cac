import hvisa
from hvisa import In, Out, f32, u64


@hvisa.graph
def noisy(x: In[f32, "n"], seed: u64) -> Out[f32, "n"]:
    return x + hvisa.random_normal(seed, hvisa.arange(x.shape[0]))
