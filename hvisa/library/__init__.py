"""The standard library, written in the instruction set itself and shipped as bytecode.

`math1.hvbc` holds version 1 of the mathematics (semantics 16), `nodes1.zip` the modules of library nodes,
one for each family and element type. They are made by `tools/library.py` from `hvisa/library/mathematics/`
and `hvisa/library/nodes/`, which are Python of the front end. Versions that were released stay as they are:
a change of any bit of a result is a new version.
"""
