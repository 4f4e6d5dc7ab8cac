import hvisa
from hvisa import In, f32


@hvisa.leaf
def name(x: In[f32, "n"]) -> f32:
    i = hvisa.grid("n")
    return "big" if x[i] > 1 else "small"
