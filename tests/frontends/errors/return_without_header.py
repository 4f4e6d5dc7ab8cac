import hvisa
from hvisa import In, f32


@hvisa.leaf
def double(x: In[f32, "n"]):
    i = hvisa.grid("n")
    return 2 * x[i]
