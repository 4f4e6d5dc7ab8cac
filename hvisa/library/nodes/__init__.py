"""Library nodes: graphs over whole buffers, in Python of the front end, made for each element type.

Each file has a `make(type)` that gives the public nodes of one module, `scan.f32` for example. Files of
this folder do without `from __future__ import annotations`: an annotation names the type that `make` was
called with.
"""
