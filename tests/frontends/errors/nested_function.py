import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def squares(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    def square(v):
        return v * v
    y[i] = square(x[i])
