// A neighbour that is reached in this round reads as -1 or depth + 1, neither of which is depth, so the
// levels can be updated in place.
kernel void expand(global const int *indptr, global const int *indices, global int *level,
                   global int *changed, int depth) {
    size_t v = get_global_id(0);
    if (level[v] >= 0)
        return;
    for (int k = indptr[v]; k < indptr[v + 1]; k++)
        if (level[indices[k]] == depth) {
            level[v] = depth + 1;
            *changed = 1;
            return;
        }
}
