// y = A x, A in compressed-row form: spmv ROWS COLUMNS NNZ INDPTR INDICES DATA X Y, with 32-bit
// integers in INDPTR and INDICES and floats in DATA, X and Y.
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
    size_t length = read_file("spmv.cl", source, sizeof source);
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &error);
    CHECK(error);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) {
        CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        errx(EXIT_FAILURE, "%s", log);
    }
    return program;
}

static cl_mem make(cl_context context, cl_mem_flags flags, size_t size, void *host) {
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, flags, size, host, &error);
    CHECK(error);
    return buffer;
}

static void spmv(size_t rows, size_t columns, size_t nnz, cl_int *indptr, cl_int *indices,
                 cl_float *data, cl_float *x, cl_float *y) {
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
    cl_kernel kernel = clCreateKernel(program, "spmv", &error);
    CHECK(error);
    cl_mem_flags in = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem indptr_buffer = make(context, in, (rows + 1) * sizeof *indptr, indptr);
    cl_mem indices_buffer = make(context, in, nnz * sizeof *indices, indices);
    cl_mem data_buffer = make(context, in, nnz * sizeof *data, data);
    cl_mem x_buffer = make(context, in, columns * sizeof *x, x);
    cl_mem y_buffer = make(context, CL_MEM_WRITE_ONLY, rows * sizeof *y, NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof indptr_buffer, &indptr_buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof indices_buffer, &indices_buffer));
    CHECK(clSetKernelArg(kernel, 2, sizeof data_buffer, &data_buffer));
    CHECK(clSetKernelArg(kernel, 3, sizeof x_buffer, &x_buffer));
    CHECK(clSetKernelArg(kernel, 4, sizeof y_buffer, &y_buffer));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &rows, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, y_buffer, CL_TRUE, 0, rows * sizeof *y, y, 0, NULL, NULL));
    clReleaseMemObject(indptr_buffer);
    clReleaseMemObject(indices_buffer);
    clReleaseMemObject(data_buffer);
    clReleaseMemObject(x_buffer);
    clReleaseMemObject(y_buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

int main(int argc, char **argv) {
    if (argc != 9)
        errx(EXIT_FAILURE, "usage: spmv ROWS COLUMNS NNZ INDPTR INDICES DATA X Y");
    size_t rows = strtoul(argv[1], NULL, 10), columns = strtoul(argv[2], NULL, 10);
    size_t nnz = strtoul(argv[3], NULL, 10);
    size_t indptr_size = (rows + 1) * sizeof(cl_int), indices_size = nnz * sizeof(cl_int);
    size_t data_size = nnz * sizeof(cl_float), x_size = columns * sizeof(cl_float);
    cl_int *indptr = malloc(indptr_size), *indices = malloc(indices_size);
    cl_float *data = malloc(data_size), *x = malloc(x_size), *y = malloc(rows * sizeof *y);
    CHECK(!indptr || !indices || !data || !x || !y);
    CHECK(read_file(argv[4], indptr, indptr_size) != indptr_size);
    CHECK(read_file(argv[5], indices, indices_size) != indices_size);
    CHECK(read_file(argv[6], data, data_size) != data_size);
    CHECK(read_file(argv[7], x, x_size) != x_size);
    spmv(rows, columns, nnz, indptr, indices, data, x, y);
    write_file(argv[8], y, rows * sizeof *y);
    free(indptr);
    free(indices);
    free(data);
    free(x);
    free(y);
}
