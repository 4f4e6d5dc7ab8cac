// Edges of a grey image: edge_detection HEIGHT WIDTH FRAME THRESHOLD EDGES, with one byte a pixel.
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
    size_t length = read_file("edge_detection.cl", source, sizeof source);
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &error);
    CHECK(error);
    cl_device_fp_config float_support;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof float_support, &float_support, NULL));
    const char *options = float_support & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                              ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
    if (clBuildProgram(program, 1, &device, options, NULL, NULL)) {
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

static cl_kernel bind(cl_program program, const char *name, cl_uint count, const cl_mem *buffers) {
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    CHECK(error);
    for (cl_uint k = 0; k < count; k++)
        CHECK(clSetKernelArg(kernel, k, sizeof *buffers, &buffers[k]));
    return kernel;
}

static void run(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *size) {
    CHECK(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, size, NULL, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

static void edge(size_t height, size_t width, cl_uchar *frame, cl_float threshold, cl_uchar *edges) {
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
    size_t size[] = {width, height}, pixels = height * width;
    cl_mem frame_buffer = make(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, pixels, frame);
    cl_mem sums = make(context, CL_MEM_READ_WRITE, pixels * sizeof(cl_int), NULL);
    cl_mem smooth = make(context, CL_MEM_READ_WRITE, pixels * sizeof(cl_float), NULL);
    cl_mem sign = make(context, CL_MEM_READ_WRITE, pixels, NULL);
    cl_mem crossing = make(context, CL_MEM_READ_WRITE, pixels, NULL);
    cl_mem magnitude = make(context, CL_MEM_READ_WRITE, pixels * sizeof(cl_float), NULL);
    cl_mem largest = make(context, CL_MEM_READ_WRITE, sizeof(cl_float), NULL);
    cl_mem edges_buffer = make(context, CL_MEM_WRITE_ONLY, pixels, NULL);
    run(queue, bind(program, "smooth_columns", 2, (cl_mem[]){frame_buffer, sums}), 2, size);
    run(queue, bind(program, "smooth_rows", 2, (cl_mem[]){sums, smooth}), 2, size);
    run(queue, bind(program, "laplacian", 2, (cl_mem[]){smooth, sign}), 2, size);
    run(queue, bind(program, "zero_crossings", 2, (cl_mem[]){sign, crossing}), 2, size);
    run(queue, bind(program, "gradient", 2, (cl_mem[]){smooth, magnitude}), 2, size);
    cl_float zero = 0;
    CHECK(clEnqueueFillBuffer(queue, largest, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
    cl_kernel maximum = bind(program, "maximum", 2, (cl_mem[]){magnitude, largest});
    CHECK(clSetKernelArg(maximum, 2, sizeof(cl_int), &(cl_int){width}));
    run(queue, maximum, 1, &height);
    cl_kernel reject = bind(program, "reject", 4, (cl_mem[]){crossing, magnitude, largest, edges_buffer});
    CHECK(clSetKernelArg(reject, 4, sizeof threshold, &threshold));
    run(queue, reject, 2, size);
    CHECK(clEnqueueReadBuffer(queue, edges_buffer, CL_TRUE, 0, pixels, edges, 0, NULL, NULL));
    cl_mem buffers[] = {frame_buffer, sums, smooth, sign, crossing, magnitude, largest, edges_buffer};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        clReleaseMemObject(buffers[k]);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

int main(int argc, char **argv) {
    if (argc != 6)
        errx(EXIT_FAILURE, "usage: edge_detection HEIGHT WIDTH FRAME THRESHOLD EDGES");
    size_t height = strtoul(argv[1], NULL, 10), width = strtoul(argv[2], NULL, 10);
    cl_uchar *frame = malloc(height * width), *edges = malloc(height * width);
    CHECK(!frame || !edges);
    CHECK(read_file(argv[3], frame, height * width) != height * width);
    edge(height, width, frame, atof(argv[4]), edges);
    write_file(argv[5], edges, height * width);
    free(frame);
    free(edges);
}
