/*
 * Clusters and distributed shared memory: ranks, pointers into a peer's memory (both ways of mapping), atomics there, the
 * barrier in one piece and in two, a histogram spread over the cluster, remote arrives on a peer's mbarrier.
 *   expect PASS cluster: 512 elements
 */
#include "../check.h"
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { BLOCKS = 4, THREADS = 128, BINS = 64 };

__global__ void __cluster_dims__(BLOCKS, 1, 1) ring(int *out)
{
    __shared__ int room[THREADS];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), right = (rank + 1) % cluster.num_blocks();
    room[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
    cluster.sync();
    const int *there = cluster.map_shared_rank(room, right);
    int x = there[THREADS - 1 - threadIdx.x];
    bool right_rank = cluster.query_shared_rank(there) == right;
    auto token = cluster.barrier_arrive();                     /* all have read: the rooms may change after the wait */
    int other = x * 2;
    cluster.barrier_wait(std::move(token));
    room[threadIdx.x] = other;
    cluster.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = *cluster.map_shared_rank(&room[threadIdx.x], right) + (right_rank ? 1 : 0);
    cluster.sync();                                            /* nobody leaves while it is read */
}

__global__ void __cluster_dims__(BLOCKS, 1, 1) histogram(const unsigned char *in, int *bins, int n)
{
    __shared__ int mine[BINS / BLOCKS];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < BINS / BLOCKS)
        mine[threadIdx.x] = 0;
    cluster.sync();
    for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
        int bin = in[i] % BINS;
        atomicAdd(cluster.map_shared_rank(mine, bin / (BINS / BLOCKS)) + bin % (BINS / BLOCKS), 1);
    }
    cluster.sync();
    if (threadIdx.x < BINS / BLOCKS)
        bins[cluster.block_rank() * (BINS / BLOCKS) + threadIdx.x] = mine[threadIdx.x];
}

/* Every block writes into block 0 and arrives there; block 0 waits for all. */
__global__ void __cluster_dims__(BLOCKS, 1, 1) remote_arrive(int *out)
{
    __shared__ int room[BLOCKS];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (cluster.thread_rank() == 0) {
        ptx::mbarrier_init(&bar, BLOCKS);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait();
    if (threadIdx.x == 0) {
        cluster.map_shared_rank(room, 0)[cluster.block_rank()] = blockIdx.x + 10;
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&bar, 0));
        if (cluster.block_rank() == 0)
            while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
            }
    }
    __syncthreads();
    if (cluster.block_rank() == 0 && threadIdx.x < BLOCKS)
        out[threadIdx.x] = room[threadIdx.x];
    cluster.sync();
}

int main()
{
    const int n = 5000, out_n = BLOCKS * THREADS;
    std::vector<unsigned char> bytes(n);
    std::vector<int> counts(BINS, 0), want(out_n), sums(BLOCKS);
    for (int i = 0; i < n; i++)
        counts[(bytes[i] = i * 2654435761u >> 24) % BINS]++;
    for (int b = 0; b < BLOCKS; b++) {
        sums[b] = b + 10;
        for (int t = 0; t < THREADS; t++)
            want[b * THREADS + t] = ((b + 2) % BLOCKS * 1000 + THREADS - 1 - t) * 2 + 1;
    }
    int *out = to_device(std::vector<int>(out_n, 0)), *bins = to_device(std::vector<int>(BINS, 0)), *four = to_device(std::vector<int>(BLOCKS, 0));
    ring<<<BLOCKS, THREADS>>>(out);
    histogram<<<BLOCKS, THREADS>>>(to_device(bytes), bins, n);
    remote_arrive<<<BLOCKS, 64>>>(four);
    CUDA(cudaDeviceSynchronize());
    return verdict("cluster", to_host(four, BLOCKS), sums) || verdict("cluster", to_host(bins, BINS), counts) ||
           verdict("cluster", to_host(out, out_n), want);
}
