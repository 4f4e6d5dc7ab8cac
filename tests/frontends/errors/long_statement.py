import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def blend(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = (x.clamp[i - 1]
            + x[i] * weight
            + x.clamp[i + 1])
