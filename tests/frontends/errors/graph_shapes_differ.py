import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def add(x: In[f32, "n"], y: In[f32, "m"]) -> Out[f32, "n"]:
    return x + y
