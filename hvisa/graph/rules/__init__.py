"""The verifier's rules, one file per family. `hvisa.graph.verifier` says in which order they run.

`report` collects messages; `headers`, `dimensions`, `structure`, `shapes` and `callgraph` make sure
that the rest can rely on a sane module; `body`, `control`, `memory`, `indices` and `own` are the
pass over leaves and functions; `graphs`, `nodes`, `versions`, `boxes`, `streams` that over graphs;
`effects` ends it.
"""
