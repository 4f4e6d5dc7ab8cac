import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def scale(x: In[f32, "n"], y: Out[f32, "n"]):
    y[i] = 2 * x[i]
