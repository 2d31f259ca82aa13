/*
 * How fast is work stealing, against one block per tile, a fixed number of blocks and an atomic tile counter?
 * All variants in one process, in turn, medians of many repeats; the answer is one JSON object on stdout.
 *   run      experiments/clc_speed.sh OUTDIR        (or: clc_speed [--repeat N] [--tiles N] [--mean CYCLES])
 *   shape    8 blocks of 256 threads per SM, 67 584 tiles of about 20 000 cycles (calibrated on step 1), with a
 *            prologue of the same cost and without; uniform, random (0 to 2 times the mean) and skewed (one tile
 *            in 64 costs 32 times as much); then the guide's own light tiles
 *   checked  every element is doubled exactly once by every launch, over all repeats
 * Times are between events on the GPU's clock, queued behind a kernel that spins, so that the host's pace does
 * not count; resetting a counter or a pool is inside. Not measured: how evenly SMs share the memory.
 */
#include "../common/clc_launch.cuh"
#include "alone.cuh"

#include <algorithm>
#include <vector>

namespace cg = cooperative_groups;

enum kind { uniform, random_, skewed, light };
static const char *const kind_names[] = {"uniform", "random", "skewed", "light"};

struct load {
    unsigned tile;     /* multiply-adds of a tile, in the mean */
    unsigned prologue; /* of compute_scalar() */
    unsigned kind;
};
__constant__ load work;
__device__ float sink;

/* ---- what every kernel does ---- */

__device__ float burn(unsigned units, float x)
{
#pragma unroll 1
    for (unsigned i = 0; i < units; i += 4) {
        x = x * 0.999f + 0.5f, x = x * 0.999f + 0.5f;
        x = x * 0.999f + 0.5f, x = x * 0.999f + 0.5f;
    }
    return x;
}

__device__ unsigned hash(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

__device__ void spend(int bx)
{
    unsigned units = work.tile;
    if (work.kind == random_)
        units = unsigned(uint64_t(hash(bx)) * (2 * units) >> 32);
    else if (work.kind == skewed)
        units = hash(bx) % 64 == 0 ? units * 64 / 95 * 32 : units * 64 / 95;
    if (burn(units, float(bx)) == -1)
        sink = 1;
}

__device__ float compute_scalar()
{
    return burn(work.prologue, 1) == -1 ? 3 : 2; /* never -1, but the compiler does not know */
}

__device__ void tile(float *data, long long n, int bx, float alpha)
{
    const long long i = bx * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
    spend(bx);
}

/* ---- the variants ---- */

#define KERNEL __global__ void __launch_bounds__(1024, 2)

KERNEL fixed_work(float *data, long long n, int, unsigned *, clc::pool)
{
    const float alpha = compute_scalar();
    tile(data, n, blockIdx.x, alpha);
}

KERNEL fixed_blocks(float *data, long long n, int tiles, unsigned *, clc::pool)
{
    const float alpha = compute_scalar();
    for (int bx = blockIdx.x; bx < tiles; bx += gridDim.x)
        tile(data, n, bx, alpha);
}

KERNEL tile_counter(float *data, long long n, int tiles, unsigned *counter, clc::pool)
{
    __shared__ unsigned next;
    const float alpha = compute_scalar();
    while (true) {
        if (threadIdx.x == 0)
            next = atomicAdd(counter, 1);
        __syncthreads();
        const int bx = next;
        __syncthreads();
        if (bx >= tiles)
            break;
        tile(data, n, bx, alpha);
    }
}

/* The same, but the next number is fetched while this tile runs. */
KERNEL tile_counter_ahead(float *data, long long n, int tiles, unsigned *counter, clc::pool)
{
    __shared__ unsigned next;
    const float alpha = compute_scalar();
    for (int bx = blockIdx.x; bx < tiles;) {
        __syncthreads();
        if (threadIdx.x == 0)
            next = gridDim.x + atomicAdd(counter, 1);
        __syncwarp();
        tile(data, n, bx, alpha);
        __syncthreads();
        bx = next;
    }
}

/* `form`: 0 step 3; 1 without the __syncwarp; 2 the guide's election, which one thread reaches; 3 both, the guide's kernel. */
template <int form> __device__ void steal_blocks(float *data, long long n, const clc::pool &pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (form >= 2 ? threadIdx.x == 0 : threadIdx.x < 32)
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            });
        if (form % 2 == 0)
            __syncwarp();
        tile(data, n, bx, alpha);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

KERNEL clc_blocks(float *data, long long n, int, unsigned *, clc::pool pool) { steal_blocks<0>(data, n, pool); }
KERNEL clc_no_syncwarp(float *data, long long n, int, unsigned *, clc::pool pool) { steal_blocks<1>(data, n, pool); }
KERNEL clc_one_thread(float *data, long long n, int, unsigned *, clc::pool pool) { steal_blocks<2>(data, n, pool); }
KERNEL clc_guide(float *data, long long n, int, unsigned *, clc::pool pool) { steal_blocks<3>(data, n, pool); }

/* Step 1 that claims its own tile first: what entering the protocol costs. */
KERNEL clc_never_asks(float *data, long long n, int, unsigned *, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    const float alpha = compute_scalar();
    tile(data, n, blockIdx.x, alpha);
}

KERNEL clc_clusters(float *data, long long n, int, unsigned *, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    while (true) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() < 32)
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel_multicast(&result, &bar);
            });
        __syncwarp();
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &bar, sizeof(uint4));
        __syncwarp();
        tile(data, n, bx, alpha);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        bx += cg::cluster_group::block_index().x;
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

/* What an empty block costs: leaves at once; or finds that it was stolen, since every bit was set before the launch. */
KERNEL leave_at_once(float *, long long, int, unsigned *, clc::pool) {}
KERNEL leave_stolen(float *data, long long, int, unsigned *, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    data[0] = 0; /* never */
}

__global__ void hold(long long ns)
{
    long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < ns);
}

__global__ void wrong(const float *data, long long n, float want, unsigned long long *bad)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x)
        if (!(data[i] == want))
            atomicAdd(bad, 1ull);
}

__global__ void ones(float *data, long long n)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x)
        data[i] = 1;
}

/* ---- launch and time ---- */

typedef void (*kernel)(float *, long long, int, unsigned *, clc::pool);

enum grid { one_per_tile, resident };
enum needs { nothing, counter, pool_, full_pool };

struct variant {
    const char *name;
    kernel run;
    grid blocks;
    needs state;
    unsigned cluster;
    bool check;
    std::vector<float> ms;
};

struct bench {
    float *data;
    unsigned *counter;
    unsigned long long *bad;
    cudaEvent_t start, stop;
    cudaStream_t stream;
    int sms, khz;
    long long n;
    int tiles, threads;
};

static int resident_blocks(const bench &b, kernel k)
{
    int per_sm;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, k, b.threads, 0));
    return per_sm * b.sms;
}

static void launch(const bench &b, const variant &v)
{
    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = v.cluster, size.val.clusterDim.y = size.val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    int blocks = v.blocks == one_per_tile ? b.tiles : std::min(b.tiles, resident_blocks(b, v.run));
    c.gridDim = dim3((blocks + v.cluster - 1) / v.cluster * v.cluster);
    c.blockDim = dim3(b.threads);
    c.stream = b.stream;
    c.attrs = &size;
    c.numAttrs = v.cluster > 1;
    clc::pool p = {nullptr, nullptr};
    if (v.state == counter)
        CUDA(cudaMemsetAsync(b.counter, 0, sizeof *b.counter, b.stream));
    if (v.state == pool_ || v.state == full_pool)
        CUDA(clc::prepare(&p, v.run, c.gridDim.x, v.cluster, b.stream));
    if (v.state == full_pool && p.state != nullptr)
        CUDA(cudaMemsetAsync(p.state + clc::first_bit, 0xff, (c.gridDim.x + 31) / 32 * 4, b.stream));
    CUDA(cudaLaunchKernelEx(&c, v.run, b.data, b.n, b.tiles, b.counter, p));
}

static float once(const bench &b, const variant &v)
{
    float ms;
    hold<<<1, 1, 0, b.stream>>>(150000);
    CUDA(cudaEventRecord(b.start, b.stream));
    launch(b, v);
    CUDA(cudaEventRecord(b.stop, b.stream));
    CUDA(cudaEventSynchronize(b.stop));
    CUDA(cudaEventElapsedTime(&ms, b.start, b.stop));
    return ms;
}

/* Doubles everything a few times with one variant; how many elements then are not what they must be? */
static unsigned long long check(const bench &b, const variant &v)
{
    unsigned long long bad;
    ones<<<1024, 256, 0, b.stream>>>(b.data, b.n);
    CUDA(cudaMemsetAsync(b.bad, 0, sizeof *b.bad, b.stream));
    for (int i = 0; i < 10; i++)
        launch(b, v);
    wrong<<<1024, 256, 0, b.stream>>>(b.data, b.n, 1024, b.bad);
    CUDA(cudaMemcpyAsync(&bad, b.bad, sizeof bad, cudaMemcpyDeviceToHost, b.stream));
    CUDA(cudaStreamSynchronize(b.stream));
    return bad;
}

static void set(load l) { CUDA(cudaMemcpyToSymbol(work, &l, sizeof l)); }

/* Multiply-adds such that step 1 takes `cycles` per tile and SM slot. */
static unsigned calibrate(const bench &b, const variant &v, double cycles)
{
    const double slots = resident_blocks(b, v.run);
    double per_unit = 0;
    for (unsigned units = 1000; per_unit == 0; units += 1000) {
        float t[2];
        for (int k = 0; k < 2; k++) {
            set(load{units + units * k, 0, uniform});
            once(b, v), once(b, v);
            t[k] = once(b, v);
        }
        per_unit = (t[1] - t[0]) * double(b.khz) * slots / b.tiles / units;
    }
    return unsigned(cycles / per_unit / 4) * 4;
}

static float quantile(std::vector<float> v, double q)
{
    std::sort(v.begin(), v.end());
    return v[size_t(q * (v.size() - 1) + 0.5)];
}

/* The figures the design asks for. */
static void ratio(const std::vector<variant> &all, load l, const char *of, const char *to)
{
    float a = 0, b = 1;
    for (const variant &v : all) {
        if (strcmp(v.name, of) == 0)
            a = quantile(v.ms, 0.5);
        if (strcmp(v.name, to) == 0)
            b = quantile(v.ms, 0.5);
    }
    fprintf(stderr, "    %s / %s, %s%s: %.3f\n", of, to, kind_names[l.kind], l.prologue ? ", prologue" : "", a / b);
}

/* All variants in turn, `repeat` times; prints one JSON record each. Returns the number of wrong elements. */
static unsigned long long measure(bench &b, std::vector<variant> &all, load l, int repeat, const char *what, bool first)
{
    unsigned long long wrong_elements = 0;
    set(l);
    for (variant &v : all) {
        v.ms.clear();
        const unsigned long long bad = v.check ? check(b, v) : 0;
        if (bad != 0)
            fprintf(stderr, "FAIL %s %s: %llu elements wrong\n", what, v.name, bad);
        wrong_elements += bad;
        once(b, v);
    }
    ones<<<1024, 256, 0, b.stream>>>(b.data, b.n);
    for (int i = 0; i < repeat; i++)
        for (variant &v : all)
            v.ms.push_back(once(b, v));
    for (const variant &v : all) {
        const float med = quantile(v.ms, 0.5);
        printf("%s\n    {\"set\": \"%s\", \"load\": \"%s\", \"prologue\": %s, \"threads\": %d, \"tiles\": %d, "
               "\"variant\": \"%s\", \"ms\": %.4f, \"ms_p10\": %.4f, \"ms_p90\": %.4f}",
               first && &v == &all[0] ? "" : ",", what, kind_names[l.kind], l.prologue ? "true" : "false", b.threads,
               b.tiles, v.name, med, quantile(v.ms, 0.1), quantile(v.ms, 0.9));
        fprintf(stderr, "%-8s %-8s %-10s %-20s %8.4f ms  (%.4f .. %.4f)\n", what, kind_names[l.kind],
                l.prologue ? "prologue" : "-", v.name, med, quantile(v.ms, 0.1), quantile(v.ms, 0.9));
    }
    for (const char *to : {"step1_fixed_work", "step2_fixed_blocks", "tile_counter"})
        ratio(all, l, "step3_clc_blocks", to);
    return wrong_elements;
}

static void size(bench &b, int tiles, int threads)
{
    b.tiles = tiles, b.threads = threads, b.n = tiles * (long long)threads;
}

int main(int argc, char **argv)
{
    int64_t repeats = 31, many = 67584, mean = 20000;
    read_args("clc_speed",
              {{"--repeat", "N", "timed launches of each variant (31)", &repeats, 1, 10000},
               {"--tiles", "N", "tiles of 256 threads (67584)", &many, 1, 1 << 22},
               {"--mean", "CYCLES", "cost of a tile (20000)", &mean, 100, 1000000000}},
              argc, argv);
    const int repeat = (int)repeats, tiles = (int)many;
    cudaDeviceProp p;
    bench b = {};
    CUDA(cudaGetDeviceProperties(&p, 0));
    CUDA(cudaDeviceGetAttribute(&b.khz, cudaDevAttrClockRate, 0));
    b.sms = p.multiProcessorCount;
    const long long most = std::max((long long)tiles * 256, 1ll << 27);
    CUDA(cudaMalloc((void **)&b.data, most * sizeof *b.data));
    CUDA(cudaMalloc((void **)&b.counter, sizeof *b.counter));
    CUDA(cudaMalloc((void **)&b.bad, sizeof *b.bad));
    CUDA(cudaEventCreate(&b.start));
    CUDA(cudaEventCreate(&b.stop));
    CUDA(cudaStreamCreate(&b.stream));

    std::vector<variant> heavy = {
        {"step1_fixed_work", fixed_work, one_per_tile, nothing, 1, true, {}},
        {"step2_fixed_blocks", fixed_blocks, resident, nothing, 1, true, {}},
        {"tile_counter", tile_counter, resident, counter, 1, true, {}},
        {"tile_counter_ahead", tile_counter_ahead, resident, counter, 1, true, {}},
        {"step3_clc_blocks", clc_blocks, one_per_tile, pool_, 1, true, {}},
        {"step3_no_syncwarp", clc_no_syncwarp, one_per_tile, pool_, 1, true, {}},
        {"step3_one_thread", clc_one_thread, one_per_tile, pool_, 1, true, {}},
        {"step3_guides_kernel", clc_guide, one_per_tile, pool_, 1, true, {}},
        {"step3_never_asks", clc_never_asks, one_per_tile, pool_, 1, true, {}},
        {"step4_clusters_of_1", clc_clusters, one_per_tile, pool_, 1, true, {}},
        {"step4_clusters_of_2", clc_clusters, one_per_tile, pool_, 2, true, {}},
        {"step4_clusters_of_4", clc_clusters, one_per_tile, pool_, 4, true, {}},
        {"leave_at_once", leave_at_once, one_per_tile, nothing, 1, false, {}},
        {"leave_stolen", leave_stolen, one_per_tile, full_pool, 1, false, {}},
    };
    std::vector<variant> few(heavy.begin(), heavy.begin() + 5);
    few.insert(few.end(), heavy.begin() + 10, heavy.begin() + 11);

    size(b, tiles, 256);
    const unsigned units = calibrate(b, heavy[0], (int)mean);
    bool instruction;
    CUDA(clc::takes_instruction(clc_blocks, &instruction));
    printf("{\n  \"device\": \"%s\", \"compute_capability\": \"%d.%d\", \"sms\": %d, \"clock_khz\": %d, \"clc\": \"%s\",\n"
           "  \"toolkit\": %d, \"repeat\": %d, \"units_per_tile\": %u, \"resident_blocks\": %d,\n  \"results\": [",
           p.name, p.major, p.minor, b.sms, b.khz, instruction ? "instruction" : "software", CUDART_VERSION, repeat,
           units, resident_blocks(b, clc_blocks));
    unsigned long long bad = 0;
    for (unsigned k = uniform; k <= skewed; k++)
        for (unsigned prologue = 0; prologue < 2; prologue++)
            bad += measure(b, heavy, load{units, prologue ? units : 0, k}, repeat, "heavy", k == 0 && prologue == 0);
    size(b, (1 << 27) / 1024, 1024);
    bad += measure(b, few, load{0, 0, light}, repeat, "guide", false);
    size(b, (1 << 27) / 256, 256);
    bad += measure(b, few, load{0, 0, light}, repeat, "guide", false);
    printf("\n  ],\n  \"wrong_elements\": %llu\n}\n", bad);
    fprintf(stderr, "%s clc_speed: %llu wrong elements\n", bad == 0 ? "PASS" : "FAIL", bad);
    return bad == 0 ? 0 : 1;
}
