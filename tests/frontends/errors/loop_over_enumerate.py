import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def total(x: In[f32, "n"], y: Out[f32, 1]):
    s = 0.0
    for k, v in enumerate(x):
        s += k * v
    y[0] = s
