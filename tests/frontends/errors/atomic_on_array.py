import hvisa
from hvisa import In, Shared, i32


@hvisa.leaf(effect="nondeterministic")
def count(x: In[i32, "n"], h: Shared[i32, "m"]):
    i = hvisa.grid("n")
    hvisa.atomic("add", h, x[i])
