import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def squares(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = sum([x[k] * x[k] for k in range(4)])
