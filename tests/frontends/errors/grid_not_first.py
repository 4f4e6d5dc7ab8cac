import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def scale(a: f32, x: In[f32, "n"], y: Out[f32, "n"]):
    b = a * a
    i = hvisa.grid("n")
    y[i] = b * x[i]
