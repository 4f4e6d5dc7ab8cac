import hvisa
from hvisa import In, f32


@hvisa.leaf
def sums(x: In[f32, "n", "m"]) -> f32:
    i = hvisa.grid("n")
    return sum(x[i, j] for j in range(x.shape[1]))


@hvisa.graph
def largest(x: In[f32, "n"]) -> f32:
    return hvisa.reduce("max", sums(x))
