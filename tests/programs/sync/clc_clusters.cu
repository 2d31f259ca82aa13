/*
 * The guide's work-stealing kernel for clusters: one request for the cluster, a multicast response, each block arms and
 * waits on its own mbarrier. Cluster sizes 1, 2, 4 and 8, grids of two dimensions.
 *   expect PASS clc_clusters: 100000 elements
 */
#include "../check.h"
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__global__ void kernel_cluster_launch_control(float *data, int n, int *done)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    int bx = blockIdx.x, by = blockIdx.y;
    while (true) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(),
                           [&]() { ptx::clusterlaunchcontrol_try_cancel_multicast(&result, &bar); });
        }
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &bar, sizeof(uint4));
        int tile = by * gridDim.x + bx, i = tile * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= 2.0f;
        if (threadIdx.x == 0)
            atomicAdd(&done[tile], 1);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        phase ^= 1;
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result) + cg::cluster_group::block_index().x;
        by = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(result) + cg::cluster_group::block_index().y;
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

static int run(int n, int threads, dim3 cluster, unsigned rows)
{
    unsigned tiles = (n + threads - 1) / threads;
    dim3 grid((tiles + rows - 1) / rows, rows);
    grid.x = (grid.x + cluster.x - 1) / cluster.x * cluster.x;
    std::vector<float> in(n), want(n);
    for (int i = 0; i < n; i++) {
        in[i] = i * 0.25f - 7;
        want[i] = in[i] * 2;
    }
    float *data = to_device(in);
    int *done = to_device(std::vector<int>(grid.x * grid.y, 0));
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = 1;
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, kernel_cluster_launch_control, data, n, done));
    CUDA(cudaDeviceSynchronize());
    if (to_host(done, grid.x * grid.y) != std::vector<int>(grid.x * grid.y, 1)) {
        printf("FAIL clc_clusters: cluster %ux%u: an index was not done exactly once\n", cluster.x, cluster.y);
        return 1;
    }
    std::vector<float> got = to_host(data, n);
    CUDA(cudaFree(data));
    CUDA(cudaFree(done));
    return verdict("clc_clusters", got, want);
}

int main()
{
    return run(1000, 32, dim3(1, 1), 1) || run(10000, 64, dim3(2, 1), 1) || run(10000, 64, dim3(2, 2), 6) ||
           run(30000, 128, dim3(8, 1), 1) || run(100000, 128, dim3(4, 1), 2);
}
