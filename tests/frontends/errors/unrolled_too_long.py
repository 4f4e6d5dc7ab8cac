import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def total(x: In[f32, 100000], y: Out[f32, 1]):
    s = 0.0
    for k in hvisa.static_range(100000):
        s += x[k]
    y[0] = s
