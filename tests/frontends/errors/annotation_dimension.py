import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def halve(x: In[f32, "n / 2"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = x[i]
