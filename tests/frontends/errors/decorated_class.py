import hvisa


@hvisa.leaf
class Blur:
    size = 3
