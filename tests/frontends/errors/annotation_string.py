import hvisa
from hvisa import Out, f32


@hvisa.leaf
def scale(x: "In[f32", y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = 2 * x[i]
