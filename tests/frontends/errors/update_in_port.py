import hvisa
from hvisa import In, i32


@hvisa.leaf
def count(x: In[i32, "n"]):
    i = hvisa.grid("n")
    hvisa.update("add", x[i], 1)
