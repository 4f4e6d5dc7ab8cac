import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def columns(x: In[f32, "n"]) -> Out[f32, "n"]:
    return x / x.sum(axis=1)
