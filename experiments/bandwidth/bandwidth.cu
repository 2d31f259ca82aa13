/*
 * v := alpha v on 2^28 floats, by every variant, beside the copy that bounds them and the library call a user would make.
 *   run    make bench                       the figures are in GB/s: bytes read and bytes written, per second
 *   bandwidth --help                        its options
 * The working set, 1 GiB, is many times an L2; every launch reads what the one before wrote to device memory. Times
 * are between events behind a kernel that spins, so that the host's pace does not count; clocks are left alone.
 * After the timing every element is compared. cuBLAS is opened when the program runs, and left out where it is not.
 * Exit: 0; 1 a wrong element; 2 nonsense; 3 the GPU cannot do it.
 */
#include "experiments/args.cuh"
#include "experiments/compare/ways.cuh"

#include <dlfcn.h>
#include <string>
#include <vector>

/* ---- the variants that are no steps --------------------------------------------------------- */

__global__ void kernel_pause(uint64_t ns)
{
    const uint64_t start = now();
    while (now() - start < ns) {
    }
}

__global__ void kernel_scalar(float *data, int64_t n, float alpha)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

__global__ void kernel_float4(float4 *data, int64_t n, float alpha)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 v = data[i];
    v.x *= alpha, v.y *= alpha, v.z *= alpha, v.w *= alpha;
    data[i] = v;
}

__global__ void kernel_float4_strided(float4 *data, int64_t n, float alpha)
{
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
        float4 v = data[i];
        v.x *= alpha, v.y *= alpha, v.z *= alpha, v.w *= alpha;
        data[i] = v;
    }
}

__global__ void kernel_wrong(const float *data, int64_t n, unsigned long long *wrong)
{
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x)
        if (!(data[i] == float(i % 8192 + 1)))
            atomicAdd(wrong, 1ull);
}

__global__ void kernel_fill(float *data, int64_t n)
{
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x)
        data[i] = float(i % 8192 + 1);
}

/* ---- cuBLAS, if it is there ------------------------------------------------------------------ */

struct cublas {
    void *handle;
    int (*set_stream)(void *, cudaStream_t);
    int (*sscal)(void *, int, const float *, float *, int);
};

static bool open_cublas(struct cublas *c, cudaStream_t stream)
{
    static const char *const places[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                         "/usr/local/cuda/lib64/libcublas.so"};
    void *library = nullptr;
    for (const char *place : places)
        if (!library)
            library = dlopen(place, RTLD_NOW);
    if (!library)
        return false;
    const auto create = (int (*)(void **))dlsym(library, "cublasCreate_v2");
    c->set_stream = (int (*)(void *, cudaStream_t))dlsym(library, "cublasSetStream_v2");
    c->sscal = (int (*)(void *, int, const float *, float *, int))dlsym(library, "cublasSscal_v2");
    return create && c->set_stream && c->sscal && create(&c->handle) == 0 && c->set_stream(c->handle, stream) == 0;
}

/* ---- timing ----------------------------------------------------------------------------------- */

struct bench {
    struct job job;
    struct stage stage;
    float *copy;
    cudaEvent_t start, end;
    int repeat;
    FILE *json;
    bool first;
    unsigned long long *wrong;
    double copy_rate;
};

template <class Queue> void measure(struct bench *b, const char *name, const char *title, Queue queue)
{
    std::vector<double> rates(b->repeat);
    const double bytes = 2.0 * (double)b->job.n * sizeof(float);
    unsigned long long wrong = 0;
    kernel_fill<<<1024, 256, 0, b->stage.stream>>>(b->job.data, b->job.n);
    for (int k = -2; k < b->repeat + b->repeat % 2; k++) { /* an even number of launches, of which two warm up */
        float ms = 0;
        if (!b->job.emulated)
            kernel_pause<<<1, 1, 0, b->stage.stream>>>(50000);
        CUDA(cudaEventRecord(b->start, b->stage.stream));
        queue();
        CUDA(cudaEventRecord(b->end, b->stage.stream));
        CUDA(cudaGetLastError());
        CUDA(cudaEventSynchronize(b->end));
        CUDA(cudaEventElapsedTime(&ms, b->start, b->end));
        if (k >= 0 && k < b->repeat)
            rates[k] = bytes / ms / 1e6;
    }
    CUDA(cudaMemset(b->wrong, 0, sizeof *b->wrong));
    kernel_wrong<<<1024, 256>>>(b->job.data, b->job.n, b->wrong);
    CUDA(cudaMemcpy(&wrong, b->wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    if (wrong) {
        fprintf(stderr, "bandwidth: %s: %llu elements are wrong\n", title, wrong);
        exit(EXIT_WRONG);
    }
    const struct spread s = spread_of(rates.data(), b->repeat);
    if (b->copy_rate == 0)
        b->copy_rate = s.median;
    printf("%-34s %8.1f GB/s  (%.1f to %.1f)  %.3f of the copy\n", title, s.median, s.least, s.most,
           s.median / b->copy_rate);
    fflush(stdout);
    if (b->json)
        fprintf(b->json,
                "%s\n  {\"variant\": \"%s\", \"title\": \"%s\", \"gb_per_s\": {\"median\": %.6g, \"least\": %.6g, "
                "\"most\": %.6g, \"count\": %d}, \"of_copy\": %.4f}",
                b->first ? "" : ",", name, title, s.median, s.least, s.most, s.count, s.median / b->copy_rate);
    b->first = false;
}

static void references(struct bench *b)
{
    const int64_t n = b->job.n;
    const float alpha = -1;
    float *data = b->job.data;
    cudaStream_t stream = b->stage.stream;
    struct cublas c = {};
    measure(b, "copy", "device-to-device copy", [=] {
        CUDA(cudaMemcpyAsync(b->copy, data, (size_t)n * sizeof *data, cudaMemcpyDeviceToDevice, stream));
    });
    if (open_cublas(&c, stream))
        measure(b, "cublasSscal", "cublasSscal", [=] {
            if (c.sscal(c.handle, (int)n, &alpha, data, 1) != 0)
                fprintf(stderr, "bandwidth: cublasSscal failed\n"), exit(EXIT_MACHINE);
        });
    else
        printf("cublasSscal: there is no cuBLAS here\n");
    measure(b, "scalar", "a float a thread, 256 threads",
            [=] { kernel_scalar<<<unsigned((n + 255) / 256), 256, 0, stream>>>(data, n, alpha); });
    for (int threads : {256, 512, 1024})
        measure(b, ("float4_" + std::to_string(threads)).c_str(),
                ("four floats a thread, " + std::to_string(threads) + " threads").c_str(), [=] {
                    kernel_float4<<<unsigned((n / 4 + threads - 1) / threads), threads, 0, stream>>>((float4 *)data,
                                                                                                    n / 4, alpha);
                });
    measure(b, "float4_strided", "four floats a thread, fixed blocks", [=] {
        kernel_float4_strided<<<b->stage.sms * 4, 512, 0, stream>>>((float4 *)data, n / 4, alpha);
    });
}

/* The steps as they are: a float a thread, tiles of 1024. */
static void steps(struct bench *b)
{
    for (const struct way &way : ways) {
        if (!way_runs_here(&way))
            continue;
        b->job.cluster = way.cluster;
        b->job.grid = way_blocks(&way, &b->stage, &b->job);
        measure(b, way.name, (std::string(way.title) + ", 1024 threads").c_str(),
                [b, &way] { way_launch(&way, &b->stage, &b->job); });
    }
}

static void open(struct bench *b, int64_t n, int64_t repeat)
{
    struct tile_plan plan = {};
    find_device(&b->job);
    b->job.n = n;
    b->job.block = 1024;
    b->job.tiles = (int)((n + 2047) / 2048 * 2);
    b->repeat = (int)repeat;
    b->job.data = device_array<float>(n);
    b->copy = device_array<float>(n);
    b->wrong = device_array<unsigned long long>(1);
    b->stage.slots = 2;
    CUDA(cudaStreamCreateWithFlags(&b->stage.stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&b->start));
    CUDA(cudaEventCreate(&b->end));
    int device = 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&b->stage.sms, cudaDevAttrMultiProcessorCount, device));
    b->stage.counter = device_array<int>(1);
    plan.alpha = -1;
    plan.count = (uint32_t)b->job.tiles;
    set_plan(plan, false);
    CUDA(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    struct bench b = {};
    int64_t n = int64_t(1) << 28, repeat = 21;
    b.first = true;
    const char *json = nullptr;
    read_args("bandwidth",
              {{"--n", "N", "floats, a multiple of 4 (268435456)", &n, 2048, INT32_MAX},
               {"--repeat", "N", "timed runs of each (21)", &repeat, 1, 1000},
               {"--json", "FILE", "write all figures there", &json}},
              argc, argv);
    if (n % 4 != 0)
        return fprintf(stderr, "bandwidth: --n %lld: not a multiple of 4\n", (long long)n), EXIT_USAGE;
    if (json && !(b.json = fopen(json, "w")))
        return fprintf(stderr, "bandwidth: --json %s: cannot be written\n", json), EXIT_USAGE;
    open(&b, n, repeat);
    printf("%s, %lld floats, median of %lld\n", b.job.device, (long long)n, (long long)repeat);
    if (b.json)
        fprintf(b.json, "{\"n\": %lld, \"rows\": [", (long long)n);
    references(&b);
    steps(&b);
    if (b.json && (fprintf(b.json, "]}\n") < 0 || fclose(b.json) != 0))
        return fprintf(stderr, "bandwidth: --json %s: cannot be written\n", json), EXIT_USAGE;
    return EXIT_RIGHT;
}
