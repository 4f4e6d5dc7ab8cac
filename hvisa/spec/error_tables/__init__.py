"""The entries of the error registry, one file for each block of numbers."""
