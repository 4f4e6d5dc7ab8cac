import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def both(x: In[f32, "n"]) -> Out[f32, "n"]:
    parts = [x, x]
    return parts[0] + parts[1]
