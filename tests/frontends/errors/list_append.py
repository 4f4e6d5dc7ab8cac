import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def gather(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    found = ()
    found.append(x[i])
    y[i] = found[0]
