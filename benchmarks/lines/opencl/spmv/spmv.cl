#pragma OPENCL FP_CONTRACT OFF

kernel void spmv(global const int *indptr, global const int *indices, global const float *data,
                 global const float *x, global float *y) {
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (int k = indptr[row]; k < indptr[row + 1]; k++)
        sum += data[k] * x[indices[k]];
    y[row] = sum;
}
