/*
 * Bulk copies: global to shared on an mbarrier, shared to global in groups (the read-only wait too), shared to a peer's
 * shared memory, multicast, reductions both ways, a byte mask, a prefetch.
 *   expect PASS bulk: 1024 elements
 */
#include "../check.h"
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { N = 256, BLOCKS = 4 };

static __device__ void wait(uint64_t *bar, int parity)
{
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, bar, parity)) {
    }
}

static __device__ void arm(uint64_t *bar, int bytes)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
}

static __device__ void start(uint64_t *bar)
{
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async();
    }
}

/* In, doubled, out: two buffers, the second reused as soon as it was read. */
__global__ void round_trip(const int *in, int *out, int batches)
{
    __shared__ alignas(128) int inbox[N], outbox[2][N];
    __shared__ uint64_t bar;
    start(&bar);
    __syncthreads();
    for (int k = 0; k < batches; k++) {
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in + k * N), "r"(N * 4) : "memory");
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, inbox, in + k * N, sizeof inbox, &bar);
            arm(&bar, sizeof inbox);
        }
        wait(&bar, k & 1);
        if (threadIdx.x == 0)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        __syncthreads();
        for (int i = threadIdx.x; i < N; i += blockDim.x)
            outbox[k & 1][i] = inbox[i] * 2;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + k * N, outbox[k & 1], sizeof outbox[0]);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

/* Block r sends its part to block r + 1; block 0 then sends one part to all. */
__global__ void __cluster_dims__(BLOCKS, 1, 1) between(const int *in, int *out, int *all)
{
    __shared__ alignas(128) int mine[N], got[N], common[N];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), right = (rank + 1) % BLOCKS;
    start(&bar);
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        mine[i] = in[rank * N + i];
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (threadIdx.x == 0) {
        arm(&bar, sizeof got);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(got, right), mine, sizeof mine,
                           cluster.map_shared_rank(&bar, right));
    }
    wait(&bar, 0);
    cluster.sync();                                                /* nobody's first phase is open any more */
    if (threadIdx.x == 0) {
        arm(&bar, rank == 1 ? 0 : sizeof common);                  /* block 1 is left out */
        if (rank == 0)
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, common, in, sizeof common, &bar, (uint16_t)0b1101);
    }
    wait(&bar, 1);
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        out[rank * N + i] = got[i];
        all[rank * N + i] = rank == 1 ? 0 : common[i];
    }
    cluster.sync();
}

/* Sums into global memory from four blocks, and into block 0's shared memory. */
__global__ void __cluster_dims__(BLOCKS, 1, 1) sums(int *global_sum, unsigned *shared_sum, int *masked)
{
    __shared__ alignas(128) int ones[N];
    __shared__ alignas(128) unsigned total[N];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    start(&bar);
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        ones[i] = i + (int)cluster.block_rank();
        total[i] = 5;
    }
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, global_sum, ones, sizeof ones);
        ptx::cp_async_bulk_commit_group();
        if (cluster.block_rank() == 0)
            arm(&bar, BLOCKS * (int)sizeof total);
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, cluster.map_shared_rank(total, 0),
                                  (unsigned *)ones, sizeof ones, cluster.map_shared_rank(&bar, 0));
        if (cluster.block_rank() == 1) {
            unsigned address = (unsigned)__cvta_generic_to_shared(ones);
#if __CUDA_ARCH__ >= 1000
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], %2, %3;" ::"l"(masked), "r"(address), "r"(64),
                         "h"((unsigned short)0x0ff0) : "memory");
            ptx::cp_async_bulk_commit_group();
#else
            for (int i = 0; i < 16; i++)                           /* no byte masks before 10.0 */
                if (i % 4 == 1 || i % 4 == 2)
                    masked[i] = ones[i];
            (void)address;
#endif
        }
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    if (cluster.block_rank() == 0) {
        wait(&bar, 0);
        for (int i = threadIdx.x; i < N; i += blockDim.x)
            shared_sum[i] = total[i];
    }
    cluster.sync();
}

int main()
{
    const int n = BLOCKS * N;
    std::vector<int> in(n), twice(n), moved(n), common(n), sum(N), mask(16, -1);
    std::vector<unsigned> total(N);
    for (int i = 0; i < n; i++) {
        in[i] = i * 5 + 3;
        twice[i] = in[i] * 2;
    }
    for (int i = 0; i < n; i++) {
        moved[i] = in[((i / N + BLOCKS - 1) % BLOCKS) * N + i % N];
        common[i] = i / N == 1 ? 0 : in[i % N];
    }
    for (int i = 0; i < N; i++) {
        sum[i] = 4 * i + 6;
        total[i] = 4 * i + 6 + 5;
    }
    for (int i = 0; i < 16; i++)
        if (i % 4 == 1 || i % 4 == 2)
            mask[i] = i + 1;
    int *d = to_device(in), *out = to_device(std::vector<int>(n, 0)), *peer = to_device(std::vector<int>(n, 0));
    int *all = to_device(std::vector<int>(n, 0)), *global_sum = to_device(std::vector<int>(N, 0)), *masked = to_device(std::vector<int>(16, -1));
    unsigned *shared_sum = to_device(std::vector<unsigned>(N, 0));
    round_trip<<<1, 64>>>(d, out, BLOCKS);
    between<<<BLOCKS, 64>>>(d, peer, all);
    sums<<<BLOCKS, 64>>>(global_sum, shared_sum, masked);
    CUDA(cudaDeviceSynchronize());
    return verdict("bulk", to_host(peer, n), moved) || verdict("bulk", to_host(all, n), common) ||
           verdict("bulk", to_host(global_sum, N), sum) || verdict("bulk", to_host(shared_sum, N), total) ||
           verdict("bulk", to_host(masked, 16), mask) || verdict("bulk", to_host(out, n), twice);
}
