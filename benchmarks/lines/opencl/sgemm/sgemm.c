// C = A B: sgemm M K N A B C, with floats in row-major order in each file.
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
    size_t length = read_file("sgemm.cl", source, sizeof source);
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &error);
    CHECK(error);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) {
        CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        errx(EXIT_FAILURE, "%s", log);
    }
    return program;
}

#define TILE 16

static void sgemm(cl_int m, cl_int k, cl_int n, cl_float *a, cl_float *b, cl_float *c) {
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
    cl_kernel kernel = clCreateKernel(program, "sgemm", &error);
    CHECK(error);
    size_t a_size = sizeof *a * m * k, b_size = sizeof *b * k * n, c_size = sizeof *c * m * n;
    cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, a_size, a, &error);
    CHECK(error);
    cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, b_size, b, &error);
    CHECK(error);
    cl_mem c_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, c_size, NULL, &error);
    CHECK(error);
    CHECK(clSetKernelArg(kernel, 0, sizeof m, &m));
    CHECK(clSetKernelArg(kernel, 1, sizeof k, &k));
    CHECK(clSetKernelArg(kernel, 2, sizeof n, &n));
    CHECK(clSetKernelArg(kernel, 3, sizeof a_buffer, &a_buffer));
    CHECK(clSetKernelArg(kernel, 4, sizeof b_buffer, &b_buffer));
    CHECK(clSetKernelArg(kernel, 5, sizeof c_buffer, &c_buffer));
    size_t local[] = {TILE, TILE};
    size_t global[] = {(n + TILE - 1) / TILE * TILE, (m + TILE - 1) / TILE * TILE};
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c_size, c, 0, NULL, NULL));
    clReleaseMemObject(a_buffer);
    clReleaseMemObject(b_buffer);
    clReleaseMemObject(c_buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

int main(int argc, char **argv) {
    if (argc != 7)
        errx(EXIT_FAILURE, "usage: sgemm M K N A B C");
    size_t m = strtoul(argv[1], NULL, 10), k = strtoul(argv[2], NULL, 10), n = strtoul(argv[3], NULL, 10);
    size_t a_size = m * k * sizeof(cl_float), b_size = k * n * sizeof(cl_float);
    size_t c_size = m * n * sizeof(cl_float);
    cl_float *a = malloc(a_size), *b = malloc(b_size), *c = malloc(c_size);
    CHECK(!a || !b || !c);
    CHECK(read_file(argv[4], a, a_size) != a_size);
    CHECK(read_file(argv[5], b, b_size) != b_size);
    sgemm(m, k, n, a, b, c);
    write_file(argv[6], c, c_size);
    free(a);
    free(b);
    free(c);
}
