"""The Python front end: decorated functions, compiled from their source to modules.

The body of a function is never run: its syntax tree is read, and each node and leaf of the module is
made from it. What Python evaluates is only the decorators, the annotations, and the values of names
that a body takes from outside.
"""
