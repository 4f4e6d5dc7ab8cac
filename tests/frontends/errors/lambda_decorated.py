import hvisa

scale = hvisa.leaf(lambda x: 2 * x)
