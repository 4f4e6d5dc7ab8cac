// y <- a*x + y: saxpy A N X Y OUT, with N floats in each file.
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
    size_t length = read_file("saxpy.cl", source, sizeof source);
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &error);
    CHECK(error);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) {
        CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        errx(EXIT_FAILURE, "%s", log);
    }
    return program;
}

static void saxpy(cl_float a, size_t n, cl_float *x, cl_float *y) {
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
    cl_kernel kernel = clCreateKernel(program, "saxpy", &error);
    CHECK(error);
    size_t size = n * sizeof *x;
    cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size, x, &error);
    CHECK(error);
    cl_mem y_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, y, &error);
    CHECK(error);
    CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
    CHECK(clSetKernelArg(kernel, 1, sizeof x_buffer, &x_buffer));
    CHECK(clSetKernelArg(kernel, 2, sizeof y_buffer, &y_buffer));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, y_buffer, CL_TRUE, 0, size, y, 0, NULL, NULL));
    clReleaseMemObject(x_buffer);
    clReleaseMemObject(y_buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

int main(int argc, char **argv) {
    if (argc != 6)
        errx(EXIT_FAILURE, "usage: saxpy A N X Y OUT");
    size_t n = strtoul(argv[2], NULL, 10), bytes = n * sizeof(cl_float);
    cl_float *x = malloc(bytes), *y = malloc(bytes);
    CHECK(!x || !y);
    CHECK(read_file(argv[3], x, bytes) != bytes);
    CHECK(read_file(argv[4], y, bytes) != bytes);
    saxpy(atof(argv[1]), n, x, y);
    write_file(argv[5], y, bytes);
    free(x);
    free(y);
}
