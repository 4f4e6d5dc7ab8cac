import hvisa
from hvisa import In, InOut, f32


@hvisa.func
def mix(a, b, t):
    return a + (b - a) * t


@hvisa.leaf
def blend(x: In[f32, "n"], y: InOut[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = mix(x[i], y[i])
