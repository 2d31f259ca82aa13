/*
 * Is every index processed exactly once, by one block and all of its warps? A matrix of sizes, block sizes, cluster
 * sizes and grid shapes, on the GPU of this machine, with step 3's and step 4's loop.
 *   run      experiments/clc_matrix.sh OUTDIR       one line a case on stderr with --verbose, JSON on stdout;
 *            --quick keeps to small sizes, for the emulator
 *   cases    n from 0 to 1 000 003 and 2^27, blocks of 1 to 1024 threads, clusters of 1, 2, 4, 8, grids in one, two
 *            and three dimensions; requests granted, refused throughout (then nothing may be stolen), and refused and
 *            granted by turns while the kernel runs; several launches in flight in one stream and in two
 *   checked  per tile: one block, all of its warps, once; per element: once
 * What it cannot see: wrong order of memory accesses that happens to give right values. The emulator's checker can.
 */
#include "../common/clc_launch.cuh"
#include "alone.cuh"

#include <vector>

namespace cg = cooperative_groups;

/* What happened to one tile. */
struct mark {
    unsigned warps;            /* warps that worked on it */
    unsigned firsts;           /* of these, first warps of a block */
    unsigned long long owners; /* sum over the warps of (linear block index + 1) */
    unsigned long long owner;  /* the same over first warps: times `warps of a block` it must be `owners` */
};

struct ledger {
    unsigned char *element;       /* times each element was visited */
    long long n;
    mark *tile;
    unsigned spread;              /* tiles take 0 to this many multiply-adds */
};

__device__ float sink;

__device__ unsigned linear(dim3 b) { return (b.z * gridDim.y + b.y) * gridDim.x + b.x; }

__device__ void visit(const ledger &l, dim3 b)
{
    const unsigned t = linear(b), me = linear(dim3(blockIdx.x, blockIdx.y, blockIdx.z)) + 1;
    const long long i = t * (long long)blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&l.tile[t].warps, 1);
        atomicAdd(&l.tile[t].owners, (unsigned long long)me);
        if (threadIdx.x == 0) {
            atomicAdd(&l.tile[t].firsts, 1);
            atomicAdd(&l.tile[t].owner, (unsigned long long)me);
        }
    }
    if (i < l.n)
        l.element[i]++;
    float x = 1;
    for (unsigned k = t * 2654435761u % 1024 * l.spread / 1024; k > 0; k--)
        x = x * 0.999f + 0.5f;
    if (x == -1)
        sink = x;
}

__global__ void blocks(ledger l, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    dim3 b = blockIdx;
    while (true) {
        __syncthreads();
        if (threadIdx.x < 32)
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            });
        __syncwarp();
        visit(l, b);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        b.x = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(result);
        b.y = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<unsigned>(result);
        b.z = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z<unsigned>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

__global__ void clusters(ledger l, clc::pool pool)
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
    dim3 b = blockIdx;
    while (true) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() < 32)
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel_multicast(&result, &bar);
            });
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &bar, sizeof(uint4));
        __syncwarp();
        visit(l, b);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        const dim3 mine = cg::cluster_group::block_index();
        b.x = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(result) + mine.x;
        b.y = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<unsigned>(result) + mine.y;
        b.z = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z<unsigned>(result) + mine.z;
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

/* ---- one case ---- */

enum refusal { granted, refused, by_turns };
static const char *const refusal_names[] = {"granted", "refused", "by turns"};

struct test {
    long long n;
    int threads;
    dim3 grid, cluster; /* cluster 1,1,1: step 3's kernel */
    bool use_clusters;
    refusal requests;
};

struct outcome {
    long long tiles, stolen, wrong_tiles, wrong_elements;
};

static long long most_elements = 1ll << 27;
static cudaStream_t streams[2];
static ledger ledgers[2];
static std::vector<mark> marks;
static std::vector<unsigned char> elements;

static void clear(const ledger &l, long long tiles, cudaStream_t s)
{
    CUDA(cudaMemsetAsync(l.element, 0, size_t(l.n), s));
    CUDA(cudaMemsetAsync(l.tile, 0, size_t(tiles) * sizeof(mark), s));
}

static void launch(const test &t, const ledger &l, cudaStream_t s)
{
    const unsigned size = t.cluster.x * t.cluster.y * t.cluster.z;
    const uint64_t total = uint64_t(t.grid.x) * t.grid.y * t.grid.z;
    void (*const k)(ledger, clc::pool) = t.use_clusters ? clusters : blocks;
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = t.cluster.x, a.val.clusterDim.y = t.cluster.y, a.val.clusterDim.z = t.cluster.z;
    cudaLaunchConfig_t c = {};
    c.gridDim = t.grid, c.blockDim = dim3(t.threads), c.stream = s, c.attrs = &a, c.numAttrs = size > 1;
    clc::pool p;
    CUDA(clc::prepare(&p, k, total, size, s));
    CUDA(cudaLaunchKernelEx(&c, k, l, p));
}

/* `times`: launches since the ledger was cleared. */
static outcome judge(const test &t, const ledger &l, unsigned times)
{
    const long long tiles = (long long)t.grid.x * t.grid.y * t.grid.z;
    const unsigned warps = (unsigned(t.threads) + 31) / 32;
    outcome o = {tiles, 0, 0, 0};
    CUDA(cudaMemcpy(marks.data(), l.tile, size_t(tiles) * sizeof(mark), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(elements.data(), l.element, size_t(l.n), cudaMemcpyDeviceToHost));
    for (long long i = 0; i < tiles; i++) {
        const mark &m = marks[size_t(i)];
        if (m.firsts != times || m.warps != times * warps || m.owners != m.owner * warps)
            o.wrong_tiles++;
        else if (times == 1 && m.owner != (unsigned long long)i + 1)
            o.stolen++;
    }
    for (long long i = 0; i < l.n; i++)
        o.wrong_elements += elements[size_t(i)] != times;
    return o;
}

static outcome run(const test &t)
{
    ledger l = ledgers[0];
    l.n = t.n;
    l.spread = t.n > 4000000 ? 64 : 4096;
    const long long tiles = (long long)t.grid.x * t.grid.y * t.grid.z;
    clear(l, tiles, streams[0]);
    if (tiles == 0) /* no tile, no launch: a grid of 0 blocks is an error in CUDA */
        return judge(t, l, 0);
    CUDA(clc::yield(t.requests == refused, streams[0]));
    launch(t, l, streams[0]);
    for (int i = 0; t.requests == by_turns && cudaStreamQuery(streams[0]) == cudaErrorNotReady; i++) {
        CUDA(clc::yield(i % 2 == 0, streams[1]));
        CUDA(cudaStreamSynchronize(streams[1]));
    }
    CUDA(cudaStreamSynchronize(streams[0]));
    CUDA(clc::yield(false, streams[0]));
    return judge(t, l, 1);
}

static int failed, passed, with_steals;
static bool verbose, quick;

static void report(const test &t, const outcome &o, const char *what)
{
    const bool ok = o.wrong_tiles == 0 && o.wrong_elements == 0 && !(t.requests == refused && o.stolen != 0);
    ok ? passed++ : failed++;
    with_steals += o.stolen > 0;
    if (!ok || verbose)
        fprintf(stderr, "%s %s n %lld threads %d grid %u,%u,%u %s %u,%u,%u %s: %lld tiles, %lld stolen, %lld wrong, %lld elements wrong\n",
                ok ? "pass" : "FAIL", what, t.n, t.threads, t.grid.x, t.grid.y, t.grid.z, t.use_clusters ? "clusters" : "blocks", t.cluster.x, t.cluster.y,
                t.cluster.z, refusal_names[t.requests], o.tiles, o.stolen, o.wrong_tiles, o.wrong_elements);
}

/* ---- the matrix ---- */

static unsigned up(long long n, long long to) { return unsigned((n + to - 1) / to * to); }

static void sizes(bool may_refuse)
{
    std::vector<long long> ns = {0, 1, 31, 1000, 1023, 1 << 20, 1000003, 33 * 256, 127 * 1024};
    std::vector<int> threads = {32, 64, 96, 256, 512, 1024};
    if (quick)
        ns = {1000, 1 << 18}, threads = {32};
    for (long long n : ns)
        for (int block : threads)
            for (int k = 0; k < 5; k++) /* step 3; step 4 with clusters of 1, 2, 4, 8 */
                for (int r = granted; r <= (may_refuse ? by_turns : granted); r++) {
                    const unsigned c = k == 0 ? 1 : 1u << (k - 1);
                    test t = {n, block, dim3(up((n + block - 1) / block, c)), dim3(c), k > 0, refusal(r)};
                    report(t, run(t), "sizes");
                }
    for (unsigned c = 1; c <= 8; c *= 2) { /* the longest of all */
        test t = {most_elements, 256, dim3(up(most_elements / 256, c)), dim3(c), c > 1, granted};
        report(t, run(t), "sizes");
    }
    for (int block = 1; block < 32; block += 10) {
        test t = {1000, block, dim3(up(1000, block) / block), dim3(1), false, granted};
        report(t, run(t), "small blocks");
    }
}

static void shapes()
{
    static const dim3 grids[] = {dim3(7, 5), dim3(64, 33), dim3(3, 5, 7), dim3(1, 64), dim3(1, 1, 64), dim3(128, 16, 3), dim3(2000, 2, 2)};
    static const dim3 shape[] = {dim3(1), dim3(2), dim3(1, 2), dim3(2, 2), dim3(2, 2, 2), dim3(4, 2), dim3(8)};
    for (dim3 g : grids)
        for (dim3 c : shape) {
            if (quick && g.x > 50)
                continue;
            dim3 grid(up(g.x, c.x), up(g.y, c.y), up(g.z, c.z));
            test t = {(long long)grid.x * grid.y * grid.z * 256 - 100, 256, grid, c, c.x * c.y * c.z > 1, granted};
            report(t, run(t), "shapes");
        }
}

/* Twenty launches without waiting; in one stream, or alternately in two. */
static void in_flight(int use_streams)
{
    const long long n = quick ? 20003 : 1000003;
    for (unsigned c = 1; c <= 4; c *= 2) {
        test t = {n, 256, dim3(up((n + 255) / 256, c)), dim3(c), c > 1, granted};
        for (int s = 0; s < use_streams; s++) {
            ledgers[s].n = t.n, ledgers[s].spread = 4096;
            clear(ledgers[s], t.grid.x, streams[s]);
        }
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 20; i++)
            launch(t, ledgers[i % use_streams], streams[i % use_streams]);
        CUDA(cudaDeviceSynchronize());
        for (int s = 0; s < use_streams; s++)
            report(t, judge(t, ledgers[s], 20 / use_streams), use_streams == 1 ? "one stream" : "two streams");
    }
}

int main(int argc, char **argv)
{
    read_args("clc_matrix", {{"--verbose", "a line for each case", &verbose}, {"--quick", "small sizes alone", &quick}},
              argc, argv);
    if (quick)
        most_elements = 1 << 19;
    const long long most_tiles = most_elements / 32 + 64;
    cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    for (int s = 0; s < 2; s++) {
        CUDA(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        CUDA(cudaMalloc((void **)&ledgers[s].element, most_elements));
        CUDA(cudaMalloc((void **)&ledgers[s].tile, most_tiles * sizeof(mark)));
    }
    marks.resize(most_tiles);
    elements.resize(most_elements);
    bool instruction;
    CUDA(clc::takes_instruction(blocks, &instruction));
    sizes(!instruction); /* only the stand-in's yield flag can be set from here */
    shapes();
    in_flight(1);
    in_flight(2);
    printf("{\"device\": \"%s\", \"clc\": \"%s\", \"toolkit\": %d, \"passed\": %d, \"failed\": %d, \"cases_with_steals\": %d}\n",
           p.name, instruction ? "instruction" : "software", CUDART_VERSION, passed, failed, with_steals);
    fprintf(stderr, "%s clc_matrix: %d passed, %d failed, steals seen in %d\n", failed || !passed ? "FAIL" : "PASS",
            passed, failed, with_steals);
    return failed || !passed ? 1 : 0;
}
