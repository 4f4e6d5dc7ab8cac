import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def show(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    print(f"x = {x[i]}")
    y[i] = x[i]
