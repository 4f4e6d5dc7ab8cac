import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def each(x: In[f32, "n"]) -> Out[f32, "n"]:
    i = hvisa.grid("n")
    return x * i
