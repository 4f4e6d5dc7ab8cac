import hvisa
from hvisa import In, Out, f32, f64


@hvisa.func
def first(v: In[f32, "k"]) -> f32:
    return v[0]


@hvisa.leaf
def take(x: In[f64, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = first(x)
