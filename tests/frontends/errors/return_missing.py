import hvisa
from hvisa import In, f32


@hvisa.leaf
def positive(x: In[f32, "n"]) -> f32:
    i = hvisa.grid("n")
    if x[i] > 0:
        return x[i]
