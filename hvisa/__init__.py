"""hvisa: a virtual instruction set for machines made of unlike parts."""

__version__ = "0.1.0"
