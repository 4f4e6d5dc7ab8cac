import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def nothing(x: In[f32, "n"], y: Out[f32, "n"]):
    z = x * 2
