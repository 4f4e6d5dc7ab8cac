import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def positive(x: In[f32, "n", "m"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = sum(x[i, k] for k in range(x.shape[1]) if x[i, k] > 0)
