import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def triangle(x: In[f32, "n", "n"], y: Out[f32, 1]):
    y[0] = sum(x[i, j] for i in range(x.shape[0]) for j in range(i))
