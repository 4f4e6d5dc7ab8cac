import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def total(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    k = 0
    s = 0.0
    while k < 4:
        for k in range(3):
            s += x[i]
        k += 1
    y[i] = s
