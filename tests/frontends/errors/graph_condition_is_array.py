import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def relu(x: In[f32, "n"]) -> Out[f32, "n"]:
    if x > 0:
        y = x
    else:
        y = x * 0
    return y
