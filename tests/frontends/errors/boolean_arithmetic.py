import hvisa
from hvisa import In, Out, f32, i32


@hvisa.leaf
def count(x: In[f32, "n"], y: Out[i32, "n"]):
    i = hvisa.grid("n")
    y[i] = (x[i] > 0) + (x[i] > 1)
