/*
 * A stealing kernel of low priority and a kernel of high priority behind it: once the second one waits for room, requests
 * fail although blocks are pending, the resident blocks leave, and the rest of the first kernel starts later by itself.
 *   expect PASS clc_priority: 4096 elements
 */
#include "../check.h"
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ unsigned long long now()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

struct times { unsigned long long low_start, low_end, high_start, high_end; };

__global__ void __launch_bounds__(1024) low(int *done, times *t, volatile int *begun, int spin)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0, bx = blockIdx.x;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        atomicMin(&t->low_start, now());
        *begun = 1;
    }
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            atomicAdd(&done[bx], 1);
        }
        for (int k = 0; k < spin; k++)
            asm volatile("");
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
    if (threadIdx.x == 0)
        atomicMax(&t->low_end, now());
}

__global__ void __launch_bounds__(1024) high(times *t)
{
    if (threadIdx.x == 0) {
        atomicMin(&t->high_start, now());
        atomicMax(&t->high_end, now());
    }
}

int main()
{
    const int blocks = 4096;
    int lowest, highest;
    cudaStream_t slow, fast;
    CUDA(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CUDA(cudaStreamCreateWithPriority(&slow, cudaStreamNonBlocking, lowest));
    CUDA(cudaStreamCreateWithPriority(&fast, cudaStreamNonBlocking, highest));
    int *done = to_device(std::vector<int>(blocks, 0));
    times start = {~0ull, 0, ~0ull, 0};
    times *t = to_device(std::vector<times>(1, start));
    int *begun;
    CUDA(cudaHostAlloc(&begun, sizeof(int), cudaHostAllocMapped));
    *begun = 0;
    low<<<blocks, 1024, 0, slow>>>(done, t, begun, 200);
    while (*(volatile int *)begun == 0)
        if (cudaStreamQuery(slow) != cudaErrorNotReady)
            break;
    high<<<512, 1024, 0, fast>>>(t);
    CUDA(cudaDeviceSynchronize());
    times end = to_host(t, 1)[0];
    double all = end.low_end - end.low_start, waited = (double)end.high_end - end.low_start;
    if (waited > all / 2) {
        printf("FAIL clc_priority: the high-priority kernel ended after %g of the other one's %g ns\n", waited, all);
        return 1;
    }
    return verdict("clc_priority", to_host(done, blocks), std::vector<int>(blocks, 1));
}
