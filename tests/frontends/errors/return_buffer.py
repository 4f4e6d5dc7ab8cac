import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def double(x: In[f32, "n"]) -> Out[f32, "n"]:
    i = hvisa.grid("n")
    return 2 * x[i]
