// Breadth-first levels: bfs VERTICES EDGES SOURCE INDPTR INDICES LEVEL ROUNDS, with
// 32-bit integers in each file.
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
    size_t length = read_file("bfs.cl", source, sizeof source);
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &error);
    CHECK(error);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) {
        CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        errx(EXIT_FAILURE, "%s", log);
    }
    return program;
}

static cl_int bfs(size_t vertices, size_t edges, size_t source, cl_int *indptr, cl_int *indices,
                  cl_int *level) {
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
    cl_kernel kernel = clCreateKernel(program, "expand", &error);
    CHECK(error);
    size_t size = vertices * sizeof *level;
    cl_mem indptr_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                          (vertices + 1) * sizeof *indptr, indptr, &error);
    CHECK(error);
    cl_mem indices_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                           edges * sizeof *indices, indices, &error);
    CHECK(error);
    cl_mem level_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &error);
    CHECK(error);
    cl_mem flag = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &error);
    CHECK(error);
    CHECK(clSetKernelArg(kernel, 0, sizeof indptr_buffer, &indptr_buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof indices_buffer, &indices_buffer));
    CHECK(clSetKernelArg(kernel, 2, sizeof level_buffer, &level_buffer));
    CHECK(clSetKernelArg(kernel, 3, sizeof flag, &flag));
    cl_int zero = 0, unreached = -1, changed, depth = 0;
    CHECK(clEnqueueFillBuffer(queue, level_buffer, &unreached, sizeof unreached, 0, size, 0, NULL, NULL));
    CHECK(clEnqueueWriteBuffer(queue, level_buffer, CL_TRUE, source * sizeof zero, sizeof zero, &zero, 0,
                               NULL, NULL));
    do {
        CHECK(clEnqueueFillBuffer(queue, flag, &zero, sizeof zero, 0, sizeof changed, 0, NULL, NULL));
        CHECK(clSetKernelArg(kernel, 4, sizeof depth, &depth));
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &vertices, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, flag, CL_TRUE, 0, sizeof changed, &changed, 0, NULL, NULL));
        depth++;
    } while (changed);
    CHECK(clEnqueueReadBuffer(queue, level_buffer, CL_TRUE, 0, size, level, 0, NULL, NULL));
    clReleaseMemObject(indptr_buffer);
    clReleaseMemObject(indices_buffer);
    clReleaseMemObject(level_buffer);
    clReleaseMemObject(flag);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return depth;
}

int main(int argc, char **argv) {
    if (argc != 8)
        errx(EXIT_FAILURE, "usage: bfs VERTICES EDGES SOURCE INDPTR INDICES LEVEL ROUNDS");
    size_t vertices = strtoul(argv[1], NULL, 10), edges = strtoul(argv[2], NULL, 10);
    size_t indptr_size = (vertices + 1) * sizeof(cl_int), indices_size = edges * sizeof(cl_int);
    cl_int *indptr = malloc(indptr_size), *indices = malloc(indices_size);
    cl_int *level = malloc(vertices * sizeof *level);
    CHECK(!indptr || !indices || !level);
    CHECK(read_file(argv[4], indptr, indptr_size) != indptr_size);
    CHECK(read_file(argv[5], indices, indices_size) != indices_size);
    cl_int rounds = bfs(vertices, edges, strtoul(argv[3], NULL, 10), indptr, indices, level);
    write_file(argv[6], level, vertices * sizeof *level);
    write_file(argv[7], &rounds, sizeof rounds);
    free(indptr);
    free(indices);
    free(level);
}
