import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def total(x: In[f32, "n"], y: Out[f32, 1]):
    y[0] = sum(v * v for v in x)
