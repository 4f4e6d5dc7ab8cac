import hvisa
from hvisa import In, InOut, f32


@hvisa.leaf
def blend(x: In[f32, "n"], y: InOut[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = hvisa.fma(x[i], y[i])
