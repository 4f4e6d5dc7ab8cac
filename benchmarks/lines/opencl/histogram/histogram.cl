kernel void histogram(global const uchar *x, global int *h, int bins) {
    int bin = x[get_global_id(0)];
    if (bin < bins)
        atomic_inc(&h[bin]);
}
