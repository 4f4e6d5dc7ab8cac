import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def noisy(x: In[f32, "n"]) -> Out[f32, "n"]:
    return x + hvisa.random_normal(f32, 0.5, hvisa.arange(x.shape[0]))
