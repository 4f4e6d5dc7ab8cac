import hvisa
from hvisa import In, Out, f32


@hvisa.leaf
def clip(x: In[f32, 1024], y: Out[f32, 1024]):
    i = hvisa.grid(256)
    v = x.vec(4)[4 * i]
    if v < 0:
        v = v * 0
    y.vec(4)[4 * i] = v
