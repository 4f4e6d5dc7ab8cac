
import hvisa
from hvisa import In, Out, f32, i32


@hvisa.graph
def f(x: In[f32, "n"], k: In[i32, "n"], a: In[f32, "m", "n"]) -> Out[f32, "n"]:
    return hvisa.scan("sub", x)
