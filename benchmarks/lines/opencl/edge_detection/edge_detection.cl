#pragma OPENCL FP_CONTRACT OFF

// The global size is width x height; a pixel beyond the border is the nearest one inside.
#define PIXEL \
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1)
#define AT(image, dy, dx) image[clamp(y + (dy), 0, h - 1) * w + clamp(x + (dx), 0, w - 1)]

kernel void smooth_columns(global const uchar *frame, global int *sums) {
    PIXEL;
    sums[y * w + x] = AT(frame, -2, 0) + AT(frame, 2, 0) + (AT(frame, -1, 0) + AT(frame, 1, 0)) * 4 +
                      AT(frame, 0, 0) * 6;
}

kernel void smooth_rows(global const int *sums, global float *smooth) {
    PIXEL;
    int sum = AT(sums, 0, -2) + AT(sums, 0, 2) + (AT(sums, 0, -1) + AT(sums, 0, 1)) * 4 +
              AT(sums, 0, 0) * 6;
    smooth[y * w + x] = sum / 65280.0f;
}

kernel void laplacian(global const float *s, global uchar *sign) {
    PIXEL;
    float centre = AT(s, 0, 0), dilation = centre, erosion = centre;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            dilation = fmax(dilation, AT(s, dy, dx));
            erosion = fmin(erosion, AT(s, dy, dx));
        }
    sign[y * w + x] = dilation + erosion - centre * 2.0f > 0.0f;
}

kernel void zero_crossings(global const uchar *sign, global uchar *crossing) {
    PIXEL;
    uchar some = 0, every = 1;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            some |= AT(sign, dy, dx);
            every &= AT(sign, dy, dx);
        }
    crossing[y * w + x] = some != every;
}

kernel void gradient(global const float *s, global float *magnitude) {
    PIXEL;
    float a = AT(s, -1, -1), c = AT(s, -1, 1), g = AT(s, 1, -1), i = AT(s, 1, 1);
    float gx = (c - a) + (AT(s, 0, 1) - AT(s, 0, -1)) * 2.0f + (i - g);
    float gy = (g - a) + (AT(s, 1, 0) - AT(s, -1, 0)) * 2.0f + (i - c);
    magnitude[y * w + x] = sqrt(gx * gx + gy * gy);
}

// One item a row. Floats that are not negative are ordered like their bits, so that the rows can meet in
// an integer maximum.
kernel void maximum(global const float *magnitude, global int *largest, int w) {
    global const float *row = magnitude + get_global_id(0) * w;
    float most = 0.0f;
    for (int x = 0; x < w; x++)
        most = fmax(most, row[x]);
    atomic_max(largest, as_int(most));
}

kernel void reject(global const uchar *crossing, global const float *magnitude,
                   global const float *largest, global uchar *edges, float threshold) {
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    edges[at] = crossing[at] && magnitude[at] > threshold * *largest ? 255 : 0;
}
