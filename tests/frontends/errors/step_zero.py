import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def total(x: In[f32, "n"], y: Out[f32, 1]):
    s = 0.0
    for k in range(0, x.shape[0], 0):
        s += x[k]
    y[0] = s
