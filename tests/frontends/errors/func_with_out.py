import hvisa
from hvisa import Out, f32, index


@hvisa.func
def fill(y: Out[f32, "n"], k: index) -> f32:
    y[k] = 1
    return 0.0
