import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def sums(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y.vec(4)[4 * i] = x.vec(4)[4 * i] + x.vec(8)[4 * i]
