import hvisa
from hvisa import In, Out, f32


@hvisa.func
def first(v: In[f32, 3]) -> f32:
    return v[0]


@hvisa.leaf
def take(x: In[f32, 4], y: Out[f32, 4]):
    i = hvisa.grid(4)
    y[i] = first(x)
