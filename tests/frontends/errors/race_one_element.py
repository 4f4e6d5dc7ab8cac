import hvisa
from hvisa import In, InOut, f32


@hvisa.leaf
def total(x: In[f32, "n"], y: InOut[f32, 1]):
    i = hvisa.grid("n")
    y[0] += x[i]
