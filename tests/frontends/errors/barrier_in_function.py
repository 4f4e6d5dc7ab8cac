import hvisa
from hvisa import In, Out, f32


@hvisa.func
def sync(v):
    hvisa.barrier()
    return v


@hvisa.leaf
def wait(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = sync(x[i])
