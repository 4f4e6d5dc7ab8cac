import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def clip(x: In[f32, 1024], y: Out[f32, 1024]):
    i = hvisa.grid(256)
    s: f32 = x.vec(4)[4 * i]
    y[i] = s
