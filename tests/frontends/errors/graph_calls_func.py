import hvisa
from hvisa import In, Out, f32


@hvisa.func
def square(v):
    return v * v


@hvisa.graph
def squares(x: In[f32, "n"]) -> Out[f32, "n"]:
    return square(x)
