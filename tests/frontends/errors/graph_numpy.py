import numpy as np

import hvisa
from hvisa import In, Out, f32


@hvisa.graph
def order(x: In[f32, "n"]) -> Out[f32, "n"]:
    return np.unique(x)
