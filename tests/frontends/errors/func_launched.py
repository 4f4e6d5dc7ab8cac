import numpy as np

import hvisa
from hvisa import f32


@hvisa.func
def square(v: f32) -> f32:
    return v * v

square(np.zeros(4, np.float32))
