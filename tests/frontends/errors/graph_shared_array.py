import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def f(x: In[f32, "n"]) -> Out[f32, "n"]:
    a = x * 2
    b = a
    b += 1
    return a + b
