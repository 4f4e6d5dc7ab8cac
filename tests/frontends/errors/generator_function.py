import hvisa
from hvisa import In, f32


@hvisa.leaf
def stream(x: In[f32, "n"]):
    i = hvisa.grid("n")
    yield x[i]
