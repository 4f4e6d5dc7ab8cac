import hvisa
from hvisa import In, Out, f32, i1


@hvisa.leaf
def pick(c: i1, a: In[f32, "n"], b: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    source = a if c else b
    y[i] = source[i]
