import hvisa
from hvisa import In, Out, f32

space = {"hvisa": hvisa, "In": In, "Out": Out, "f32": f32}
exec("""
@hvisa.leaf
def scale(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = 2 * x[i]
""", space)
scale = space["scale"]
