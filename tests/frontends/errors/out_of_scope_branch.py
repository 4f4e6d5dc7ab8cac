import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def sign(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    if x[i] > 0:
        s = 1.0
    y[i] = s
