import hvisa
from hvisa import In, InOut, f32


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


@hvisa.leaf
def norm(x: In[f32, "n"], y: InOut[f32, "n"]):
    i = hvisa.grid("n")
    p = Point(x[i], y[i])
    y[i] = p.x * p.y
