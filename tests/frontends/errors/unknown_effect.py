import hvisa
from hvisa import In, Out, f32


@hvisa.leaf(effect="fast")
def scale(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = 2 * x[i]
