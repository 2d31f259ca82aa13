/*
 * Do missing proxy fences show? Two directions between threads (generic proxy) and bulk copies (async proxy):
 *   out    threads write shared memory, barrier, a bulk copy carries it to global memory; who reads wrong there?
 *   reuse  a bulk copy fills shared memory, threads read it, barrier, the next copy overwrites it; who read the next?
 * Each with the fence and without; nothing but the fence differs, and every value read is checked.
 *
 *   proxy_fence [--reads N] [--runs N] [--driver TEXT] [--date TEXT]   -> JSON on stdout, a table on stderr
 * Exit: 0 measured (and right wherever there was a fence), 1 a wrong read in spite of the fence, 3 no GPU for it.
 * Values are read back from L2 (ld.global.cg), so that a line left in L1 cannot be taken for a missing write.
 * Not measured: clusters, other sizes of copies. Needs compute capability 9.0.
 */
#include "proxy_fence.cuh"

#include <algorithm>
#include <vector>

/* ---- the kernels ---- */

enum fence { NO_FENCE, WRITER_FENCE, HALVES };
enum : uint32_t { PATTERNS = 64 };

__device__ uint32_t value_of(uint32_t round, uint32_t index) { return value_of(round, blockIdx.x, index); }

/* What is read in round r must be what was written in round r. */
template <fence Fence>
__global__ void __launch_bounds__(1024) out(uint32_t *memory, uint32_t rounds, unsigned long long *sum)
{
    __shared__ alignas(128) uint4 tile[WORDS / 4];
    uint32_t *mine = memory + size_t(blockIdx.x) * WORDS, bad = 0, old = 0;
    for (uint32_t round = 1; round <= rounds; round++) {
        for (uint32_t k = threadIdx.x; k < WORDS / 4; k += blockDim.x)
            tile[k] = make_uint4(value_of(round, 4 * k), value_of(round, 4 * k + 1), value_of(round, 4 * k + 2),
                                 value_of(round, 4 * k + 3));
        if (Fence == WRITER_FENCE)
            ptx::fence_proxy_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, mine, tile, uint32_t(sizeof tile));
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group(ptx::n32_t<0>()); /* written, not only read */
        }
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < WORDS; k += blockDim.x) {
            const uint32_t got = __ldcg(mine + k);
            bad += got != value_of(round, k);
            old += got == value_of(round - 1, k);
        }
        __syncthreads();
    }
    count(sum, bad, old);
}

/* source: PATTERNS pieces of 16 KiB; word k of piece p is p * WORDS + k. */
template <fence Fence>
__global__ void __launch_bounds__(1024) reuse(const uint32_t *source, uint32_t rounds, unsigned long long *sum)
{
    __shared__ alignas(128) uint4 tile[WORDS / 4];
    __shared__ uint64_t bar;
    uint32_t bad = 0, phase = 0;
    uint4 seen[2] = {}; /* of 512 threads or more */
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    for (uint32_t round = 0; round <= rounds; round++) {
        if (round < rounds && threadIdx.x == 0) {
            if (Fence == HALVES)
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            const uint32_t *from = source + size_t((round + blockIdx.x) % PATTERNS) * WORDS;
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, uint32_t(sizeof tile), &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar,
                                           uint32_t(sizeof tile));
        }
        /* What was read of the copy before is looked at only now, so that no thread waits for its reads. */
#pragma unroll
        for (uint32_t j = 0; j < 2; j++) {
            const uint32_t k = threadIdx.x + j * blockDim.x;
            const uint32_t want = (round - 1 + blockIdx.x) % PATTERNS * WORDS + 4 * k;
            if (round > 0 && k < WORDS / 4)
                bad += (seen[j].x != want) + (seen[j].y != want + 1) + (seen[j].z != want + 2) +
                       (seen[j].w != want + 3);
        }
        if (round == rounds)
            break;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
#pragma unroll
        for (uint32_t j = 0; j < 2; j++)
            if (threadIdx.x + j * blockDim.x < WORDS / 4)
                seen[j] = tile[threadIdx.x + j * blockDim.x];
        if (Fence == HALVES)
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        __syncthreads();
    }
    count(sum, bad, 0);
}

/* ---- the measurement ---- */

struct machine {
    int sms;
    uint32_t *memory; /* for `out` a piece a block, for `reuse` the patterns */
    unsigned long long *sum; /* two, see count() */
};

struct result {
    uint64_t reads;
    unsigned long long wrong, old;
    float ms;
};

template <class Kernel> result measure(const machine &m, Kernel kernel, int threads, uint64_t reads)
{
    int on_one = 0;
    cudaEvent_t start, end;
    result r = {};
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_one, kernel, threads, 0));
    const uint32_t blocks = uint32_t(m.sms * on_one), rounds = uint32_t(reads / (uint64_t(blocks) * WORDS) + 1);
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaMemset(m.sum, 0, 2 * sizeof *m.sum));
    CUDA(cudaEventRecord(start));
    kernel<<<blocks, threads>>>(m.memory, rounds, m.sum);
    CUDA(cudaGetLastError());
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&r.ms, start, end));
    unsigned long long sum[2];
    CUDA(cudaMemcpy(sum, m.sum, sizeof sum, cudaMemcpyDeviceToHost));
    r.wrong = sum[0];
    r.old = sum[1];
    r.reads = uint64_t(blocks) * WORDS * rounds;
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(end));
    return r;
}

static int broken;                  /* wrong reads in spite of the fence */
static const char *separator = "";  /* between rows */

template <class Kernel>
void row(const machine &m, const char *direction, const char *fence, Kernel kernel, int threads, uint64_t reads,
         int runs)
{
    printf("%s\n    {\"direction\": \"%s\", \"fence\": \"%s\", \"threads\": %d, \"bytes\": %u, \"runs\": [", separator,
           direction, fence, threads, WORDS * 4);
    separator = ",";
    for (int k = 0; k < runs; k++) {
        const result r = measure(m, kernel, threads, reads);
        printf("%s{\"reads\": %llu, \"wrong\": %llu, \"old\": %llu, \"ms\": %.1f}", k ? ", " : "",
               (unsigned long long)r.reads, r.wrong, r.old, r.ms);
        fprintf(stderr, "%-6s %-14s %4d threads: %8llu wrong, %llu of them old, of %llu reads, %.1f ms\n", direction,
                fence, threads, r.wrong, r.old, (unsigned long long)r.reads, r.ms);
        broken += strcmp(fence, "none") != 0 && r.wrong != 0;
    }
    printf("]}");
}

static void rows(machine m, uint64_t reads, int runs)
{
    CUDA(cudaMalloc(&m.memory, size_t(m.sms) * 32 * WORDS * sizeof(uint32_t))); /* at most 32 blocks on an SM */
    CUDA(cudaMemset(m.memory, 0, size_t(m.sms) * 32 * WORDS * sizeof(uint32_t)));
    for (int threads : {1024, 512}) {
        row(m, "out", "none", out<NO_FENCE>, threads, reads, runs);
        row(m, "out", "in each writer", out<WRITER_FENCE>, threads, reads, runs);
    }
    std::vector<uint32_t> patterns(size_t(PATTERNS) * WORDS);
    for (size_t k = 0; k < patterns.size(); k++)
        patterns[k] = uint32_t(k);
    CUDA(cudaMemcpy(m.memory, patterns.data(), patterns.size() * sizeof patterns[0], cudaMemcpyHostToDevice));
    for (int threads : {1024, 512}) {
        row(m, "reuse", "none", reuse<NO_FENCE>, threads, reads, runs);
        row(m, "reuse", "both halves", reuse<HALVES>, threads, reads, runs);
    }
    CUDA(cudaFree(m.memory));
}

int main(int argc, char **argv)
{
    int64_t reads = 5400000000, runs = 3;
    const char *driver = "", *date = "";
    read_args("proxy_fence",
              {{"--reads", "N", "reads in a run (5400000000)", &reads, 1, INT64_MAX},
               {"--runs", "N", "runs of each row (3)", &runs, 1, 1000},
               {"--driver", "TEXT", "version of the driver, for the record", &driver},
               {"--date", "TEXT", "date, for the record", &date}},
              argc, argv);
    cudaDeviceProp gpu;
    machine m = {};
    CUDA(cudaGetDeviceProperties(&gpu, 0));
    m.sms = gpu.multiProcessorCount;
    CUDA(cudaMalloc(&m.sum, 2 * sizeof *m.sum));
    printf("{\"experiment\": \"proxy_fence\", \"gpu\": \"%s\", \"driver\": \"%s\", ", gpu.name, driver);
    printf("\"toolkit\": \"%d.%d.%d\", ",
           __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);
    printf("\"date\": \"%s\",\n  \"rows\": [", date);
    rows(m, (uint64_t)reads, (int)runs);
    printf("\n  ]}\n");
    CUDA(cudaFree(m.sum));
    if (broken)
        fprintf(stderr, "proxy_fence: wrong reads in spite of the fence\n");
    return broken ? 1 : 0;
}
