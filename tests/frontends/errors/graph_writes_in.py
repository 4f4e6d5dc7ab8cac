import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def clear(x: In[f32, "n"]) -> Out[f32, "n"]:
    x[0] = 0
    return x * 1
