// Counts of byte values: histogram N BINS X H, with N bytes in X and BINS 32-bit counts in H.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cl_int code, const char *what) {
    if (code)
        errx(EXIT_FAILURE, "%s: error %d", what, code);
}
#define CHECK(call) check(call, #call)

static size_t read_file(const char *path, void *data, size_t size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        err(EXIT_FAILURE, "%s", path);
    size = fread(data, 1, size, file);
    fclose(file);
    return size;
}

static void write_file(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        err(EXIT_FAILURE, "%s", path);
}

static cl_program build(cl_context context, cl_device_id device) {
    char source[1 << 14], log[1 << 14];
    const char *text = source;
    size_t length = read_file("histogram.cl", source, sizeof source);
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &error);
    CHECK(error);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) {
        CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        errx(EXIT_FAILURE, "%s", log);
    }
    return program;
}

static void histogram(size_t n, cl_int bins, cl_uchar *x, cl_int *h) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    CHECK(error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    CHECK(error);
    cl_program program = build(context, device);
    cl_kernel kernel = clCreateKernel(program, "histogram", &error);
    CHECK(error);
    cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n, x, &error);
    CHECK(error);
    cl_mem h_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bins * sizeof *h, NULL, &error);
    CHECK(error);
    CHECK(clSetKernelArg(kernel, 0, sizeof x_buffer, &x_buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof h_buffer, &h_buffer));
    CHECK(clSetKernelArg(kernel, 2, sizeof bins, &bins));
    cl_int zero = 0;
    CHECK(clEnqueueFillBuffer(queue, h_buffer, &zero, sizeof zero, 0, bins * sizeof *h, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, h_buffer, CL_TRUE, 0, bins * sizeof *h, h, 0, NULL, NULL));
    clReleaseMemObject(x_buffer);
    clReleaseMemObject(h_buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

int main(int argc, char **argv) {
    if (argc != 5)
        errx(EXIT_FAILURE, "usage: histogram N BINS X H");
    size_t n = strtoul(argv[1], NULL, 10), bins = strtoul(argv[2], NULL, 10);
    cl_uchar *x = malloc(n);
    cl_int *h = malloc(bins * sizeof *h);
    CHECK(!x || !h);
    CHECK(read_file(argv[3], x, n) != n);
    histogram(n, bins, x, h);
    write_file(argv[4], h, bins * sizeof *h);
    free(x);
    free(h);
}
