#define TILE 16

kernel void sgemm(int m, int k, int n, global const float *a, global const float *b, global float *c) {
    local float ta[TILE][TILE], tb[TILE][TILE];
    int row = get_global_id(1), column = get_global_id(0), i = get_local_id(1), j = get_local_id(0);
    float sum = 0.0f;
    for (int at = 0; at < k; at += TILE) {
        ta[i][j] = row < m && at + j < k ? a[row * k + at + j] : 0.0f;
        tb[i][j] = at + i < k && column < n ? b[(at + i) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int l = 0; l < TILE; l++)
            sum = fma(ta[i][l], tb[l][j], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
