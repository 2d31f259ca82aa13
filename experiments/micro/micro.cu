/*
 * A few constants of a machine, each measured by a kernel that does little else: what a model of it needs.
 *   run    build/experiments/micro/micro.gpu    on a GPU: what the row of devices.def should say
 *          build/experiments/micro/micro.emu    on the emulator: what the model makes of that row
 * Prints `name<TAB>value<TAB>unit`, a line each; cycles are the SM's clock, or nominal cycles for times between events.
 * Not measured: how warps share an SM's units; caches other than by their latency.
 */
#include "common/job.cuh"

#include <algorithm>
#include <string>
#include <vector>

static int khz;
static bool emulated;

static void print(const char *name, double value, const char *unit)
{
    printf("%s\t%.2f\t%s\n", name, value, unit);
    fflush(stdout);
}

/* ---- inside an SM ------------------------------------------------------------------------- */

enum { ROUNDS = 256 };

__global__ void kernel_units(uint32_t units, long long *cycles)
{
    arithmetic(units / 4);
    __syncthreads();
    const long long start = clock64();
    arithmetic(units);
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - start;
}

__global__ void kernel_atomic(unsigned *word, long long *cycles)
{
    unsigned sum = 0;
    const long long start = clock64();
    for (int k = 0; k < ROUNDS; k++)
        sum = atomicAdd(word, sum & 1); /* the next one waits for this one */
    cycles[0] = clock64() - start;
    word[1] = sum;
}

/* Each word holds the index of the next one. */
__global__ void kernel_chase(const unsigned *next, unsigned first, long long *cycles, unsigned *last)
{
    unsigned at = first;
    for (int k = 0; k < ROUNDS; k++)
        at = __ldcg(next + at);
    const long long start = clock64();
    for (int k = 0; k < ROUNDS; k++)
        at = __ldcg(next + at);
    cycles[0] = clock64() - start;
    *last = at;
}

__global__ void kernel_chase_shared(long long *cycles, unsigned *last)
{
    __shared__ unsigned next[32];
    next[threadIdx.x] = (threadIdx.x + 1) % 32;
    __syncthreads();
    unsigned at = threadIdx.x;
    const long long start = clock64();
    for (int k = 0; k < ROUNDS; k++)
        at = next[at];
    if (threadIdx.x == 0) {
        cycles[0] = clock64() - start;
        *last = at;
    }
}

__global__ void kernel_barrier(long long *cycles)
{
    __syncthreads();
    const long long start = clock64();
    for (int k = 0; k < ROUNDS; k++)
        __syncthreads();
    if (threadIdx.x == 0)
        cycles[0] = clock64() - start;
}

static long long fetch(const long long *cycles, int count)
{
    std::vector<long long> all(count);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(all.data(), cycles, count * sizeof *cycles, cudaMemcpyDeviceToHost));
    return *std::max_element(all.begin(), all.end());
}

/* Cycles of a unit where `warps` warps are on each SM. */
static double unit(int sms, int warps, long long *cycles)
{
    long long t[2];
    const int threads = std::min(warps, 32) * 32, blocks = sms * ((warps + 31) / 32);
    for (uint32_t k = 0; k < 2; k++) {
        kernel_units<<<blocks, threads>>>(4000u << k, cycles);
        t[k] = fetch(cycles, blocks);
    }
    return (double)(t[1] - t[0]) / 4000;
}

static void inside(int sms)
{
    long long *cycles = device_array<long long>(sms * 32);
    unsigned *words = device_array<unsigned>(1 << 20), *last = device_array<unsigned>(1);
    struct tile_plan plan = {};
    plan.half = 0.5f;
    plan.one = 1;
    set_plan(plan, false);
    for (int warps : {1, 4, 8, 16, 32, 64})
        print(("unit of work, " + std::to_string(warps) + " warps on an SM").c_str(), unit(sms, warps, cycles), "cycles");
    CUDA(cudaMemset(words, 0, 8));
    kernel_atomic<<<1, 1>>>(words, cycles);
    print("atomic add in device memory, answer awaited", (double)fetch(cycles, 1) / ROUNDS, "cycles");
    std::vector<unsigned> next(1 << 20);
    for (unsigned k = 0; k < next.size(); k++)
        next[k] = (k + 32 * 37) % next.size();
    CUDA(cudaMemcpy(words, next.data(), next.size() * 4, cudaMemcpyHostToDevice));
    kernel_chase<<<1, 1>>>(words, 0, cycles, last);
    print("load from L2", (double)fetch(cycles, 1) / ROUNDS, "cycles");
    kernel_chase_shared<<<1, 32>>>(cycles, last);
    print("load from shared memory, and its address", (double)fetch(cycles, 1) / ROUNDS, "cycles");
    for (int threads : {32, 256, 1024}) {
        kernel_barrier<<<1, threads>>>(cycles);
        print(("__syncthreads of " + std::to_string(threads) + " threads").c_str(), (double)fetch(cycles, 1) / ROUNDS,
              "cycles");
    }
    CUDA(cudaFree(cycles));
    CUDA(cudaFree(words));
    CUDA(cudaFree(last));
}

/* ---- launches and blocks ------------------------------------------------------------------ */

__global__ void kernel_pause(uint64_t ns)
{
    const uint64_t start = now();
    while (now() - start < ns) {
    }
}

__global__ void kernel_empty(unsigned *never)
{
    if (never)
        *never = 1;
}

/* Nominal cycles between two events around `queue()`, the least of several. */
template <class Queue> double between(Queue queue)
{
    cudaEvent_t start, end;
    double least = 1e30;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    for (int k = 0; k < (emulated ? 1 : 9); k++) {
        float ms = 0;
        if (!emulated)
            kernel_pause<<<1, 1>>>(200000);
        CUDA(cudaEventRecord(start));
        queue();
        CUDA(cudaEventRecord(end));
        CUDA(cudaGetLastError());
        CUDA(cudaEventSynchronize(end));
        CUDA(cudaEventElapsedTime(&ms, start, end));
        least = std::min(least, (double)ms * khz);
    }
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(end));
    return least;
}

static void launches()
{
    unsigned *word = device_array<unsigned>(1);
    const double none = between([] {});
    const double one = between([] { kernel_empty<<<1, 32>>>(nullptr); });
    const double two = between([] {
        kernel_empty<<<1, 32>>>(nullptr);
        kernel_empty<<<1, 32>>>(nullptr);
    });
    const double filled = between([word] {
        CUDA(cudaMemsetAsync(word, 0, sizeof *word));
        kernel_empty<<<1, 32>>>(nullptr);
    });
    print("two events, nothing between", none, "nominal cycles");
    print("two events, an empty launch between", one, "nominal cycles");
    print("one empty launch more", two - one, "nominal cycles");
    print("four bytes set before the launch", filled - one, "nominal cycles");
    CUDA(cudaFree(word));
}

/* A wave: each slot's block ends and the next one starts. `slots` a SM, by shared memory. */
static double wave(int sms, int slots, int threads)
{
    int device = 0, per_sm = 0, most = 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const int shared = std::min(per_sm / slots - 2048, most - 2048) / 1024 * 1024;
    CUDA(cudaFuncSetAttribute(kernel_empty, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    const auto grid = [&](int waves) {
        return between([&] { kernel_empty<<<sms * slots * waves, threads, shared>>>(nullptr); });
    };
    return (grid(120) - grid(20)) / 100;
}

static void copies()
{
    const size_t bytes = size_t(1) << (emulated ? 24 : 30);
    char *from = device_array<char>((int64_t)bytes), *to = device_array<char>((int64_t)bytes);
    CUDA(cudaMemset(from, 0, bytes));
    const auto copy = [&](size_t part) {
        return between([&] { CUDA(cudaMemcpyAsync(to, from, part, cudaMemcpyDeviceToDevice)); });
    };
    print("bytes copied in a cycle (read, and written again)", (double)(bytes / 2) / (copy(bytes) - copy(bytes / 2)),
          "bytes per nominal cycle");
    CUDA(cudaFree(from));
    CUDA(cudaFree(to));
}

int main()
{
    cudaDeviceProp gpu;
    int device = 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaGetDeviceProperties(&gpu, device));
    CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device));
    emulated = strncmp(gpu.name, "emulated ", 9) == 0;
    printf("# %s, nominal clock %d kHz\n", gpu.name, khz);
    inside(gpu.multiProcessorCount);
    launches();
    for (int slots : {1, 2, 8})
        print(("a block after the other, 32 threads, " + std::to_string(slots) + " slots on an SM").c_str(),
              wave(gpu.multiProcessorCount, slots, 32), "nominal cycles");
    print("a block after the other, 256 threads, 2 slots on an SM", wave(gpu.multiProcessorCount, 2, 256),
          "nominal cycles");
    copies();
    return 0;
}
