import hvisa
from hvisa import In, Shared, i32


@hvisa.leaf
def mark(p: In[i32, "n"], seen: Shared[i32, "m"]):
    i = hvisa.grid("n")
    seen[p[i]] = 1
