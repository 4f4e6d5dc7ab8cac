import hvisa
from hvisa import In, Out, f32


def square(v):
    return v * v


@hvisa.leaf
def squares(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = square(x[i])
