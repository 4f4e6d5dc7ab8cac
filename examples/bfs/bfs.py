"""Breadth-first levels of a graph in compressed-row form, -1 where the source does not reach. Each round
looks, for every vertex not reached yet, for a neighbour on the last level (bottom-up), until a round
changes nothing. Edges are stored in both directions.

    python examples/bfs/bfs.py
    [ 0  1  2 -1] after 3 rounds
"""

import numpy as np

import hvisa
from hvisa import In, InOut, Out, i1, i32, index


@hvisa.leaf(private=True)
def start(source: i32, vertices: index, level: Out[i32, "vertices"]):
    v = hvisa.grid("vertices")
    level[v] = 0 if v == source else -1


@hvisa.leaf(private=True)
def expand(indptr: In[i32, "n"], indices: In[i32, "e"], old: In[i32, "v"], depth: i32,
           level: InOut[i32, "v"]) -> i1:
    i = hvisa.grid("v")
    if level[i] >= 0:
        return False
    for k in range(indptr[i], indptr[i + 1]):
        if old[indices[k]] == depth:
            level[i] = depth + 1
            return True
    return False


@hvisa.graph
def bfs(indptr: In[i32, "n"], indices: In[i32, "e"], source: i32, level: Out[i32, "n - 1"]) -> i32:
    levels, depth, done = start(source, len(indptr) - 1), i32(0), False
    while not done:
        levels, changed = hvisa.reduce("any", expand(indptr, indices, levels, depth, levels))
        depth, done = depth + 1, not changed
    return levels, depth


if __name__ == "__main__":
    found = bfs(np.array([0, 1, 3, 4, 4], np.int32), np.array([1, 0, 2, 1], np.int32), 0)
    print(found[0], "after", found[1], "rounds")
