import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def sort(x: In[f32, "n", 100000], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    t = hvisa.local(f32, 100000)
    for k in range(100000):
        t[k] = x[i, k]
    y[i] = t[50000]
