import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def product(a: In[f32, "m", "k"], b: In[f32, "n", "k"]) -> Out[f32, "m", "n"]:
    return a @ b
