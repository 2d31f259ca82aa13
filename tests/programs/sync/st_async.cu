/*
 * st.async and red.async: values of 4, 8 and 16 bytes into the next block of the cluster, each completing its bytes on
 * that block's mbarrier; sums into one counter.
 *   expect PASS st_async: 128 elements
 */
#include "../check.h"
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { BLOCKS = 4, THREADS = 32 };

__global__ void __cluster_dims__(BLOCKS, 1, 1) send(int *words, long long *longs, int4 *vectors, unsigned *sums)
{
    __shared__ int word[THREADS];
    __shared__ long long wide[THREADS];
    __shared__ alignas(16) int vector[THREADS][4];
    __shared__ unsigned sum;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned right = (cluster.block_rank() + 1) % BLOCKS;
    int t = threadIdx.x, me = blockIdx.x * THREADS + t;
    if (t == 0) {
        sum = 100;
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, THREADS * (4 + 8 + 16 + 4));
    }
    cluster.sync();
    uint64_t *there = cluster.map_shared_rank(&bar, right);
    ptx::st_async(cluster.map_shared_rank(&word[t], right), me, there);
    ptx::st_async(cluster.map_shared_rank(&wide[t], right), (long long)me << 33, there);
    const int four[4] = {me, me + 1, me + 2, me + 3};
    ptx::st_async(cluster.map_shared_rank(&vector[t][0], right), four, there);
    ptx::red_async(ptx::op_add, cluster.map_shared_rank(&sum, right), (unsigned)t, there);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
    }
    words[me] = word[t];
    longs[me] = wide[t];
    vectors[me] = make_int4(vector[t][0], vector[t][1], vector[t][2], vector[t][3]);
    if (t == 0)
        sums[blockIdx.x] = sum;
}

int main()
{
    const int n = BLOCKS * THREADS;
    std::vector<int> words(n), fours(n * 4);
    std::vector<long long> longs(n);
    std::vector<unsigned> sum(BLOCKS, 100 + 31 * 16);
    for (int i = 0; i < n; i++) {
        words[i] = (i + n - THREADS) % n;
        longs[i] = (long long)words[i] << 33;
        for (int k = 0; k < 4; k++)
            fours[i * 4 + k] = words[i] + k;
    }
    int *w = to_device(std::vector<int>(n, 0)), *v = to_device(std::vector<int>(n * 4, 0));
    long long *l = to_device(std::vector<long long>(n, 0));
    unsigned *s = to_device(std::vector<unsigned>(BLOCKS, 0));
    send<<<BLOCKS, THREADS>>>(w, l, (int4 *)v, s);
    CUDA(cudaDeviceSynchronize());
    return verdict("st_async", to_host(l, n), longs) || verdict("st_async", to_host(v, n * 4), fours) ||
           verdict("st_async", to_host(s, BLOCKS), sum) || verdict("st_async", to_host(w, n), words);
}
