import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def total(x: In[f32, "n", "m"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    s = 0.0
    for k in hvisa.static_range(x.shape[1]):
        s += x[i, k]
    y[i] = s
