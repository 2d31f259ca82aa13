/*
 * The guide's work-stealing kernel for blocks (CUDA Programming Guide, Cluster Launch Control), its launch repaired.
 * Every index is done once whatever is granted, for sizes around the block size.
 *   expect PASS clc_blocks: 1000003 elements
 */
#include "../check.h"
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ float compute_scalar() { return 2.0f; }

__global__ void kernel_cluster_launch_control(float *data, int n, int *done)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() { ptx::clusterlaunchcontrol_try_cancel(&result, &bar); });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        if (threadIdx.x == 0)
            atomicAdd(&done[bx], 1);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

static int run(int n, int threads)
{
    const int blocks = (n + threads - 1) / threads;
    std::vector<float> in(n), want(n);
    for (int i = 0; i < n; i++) {
        in[i] = i * 0.25f - 7;
        want[i] = in[i] * 2;
    }
    float *data = to_device(in);
    int *done = to_device(std::vector<int>(blocks, 0));
    kernel_cluster_launch_control<<<blocks, threads>>>(data, n, done);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    if (to_host(done, blocks) != std::vector<int>(blocks, 1)) {
        printf("FAIL clc_blocks: n=%d: an index was not done exactly once\n", n);
        return 1;
    }
    std::vector<float> got = to_host(data, n);
    CUDA(cudaFree(data));
    CUDA(cudaFree(done));
    return verdict("clc_blocks", got, want);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return run(atoi(argv[1]), atoi(argv[2]));
    return run(1, 32) || run(31, 32) || run(1000, 128) || run(100000, 32) || run(1000003, 256);
}
