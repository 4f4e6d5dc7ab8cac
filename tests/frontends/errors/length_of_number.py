import hvisa
from hvisa import In, Out, f32, index


@hvisa.leaf
def size(x: In[f32, "n"], y: Out[index, "n"]):
    i = hvisa.grid("n")
    y[i] = len(x[i])
