/* Asks twice, and waits for the first answer before it asks again; then one request at a time. */
#include "common/clc.cuh"

namespace cg = cooperative_groups;

static __device__ void do_tile(const unsigned* start, unsigned* steps, int n, int bx)
{
    const int i = bx * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned count = 0;
    for (uint64_t value = start[i]; value > 1; count++)
        value = value % 2 ? 3 * value + 1 : value / 2;
    steps[i] = count;
}

// By all threads of the block: asks for one more tile. The answer comes to *result and ends a phase of *bar.
static __device__ void request(uint4* result, uint64_t* bar)
{
    if (cg::thread_block::thread_rank() < 32) {
        cg::invoke_one(cg::coalesced_threads(), [&] {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(result, bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, bar, sizeof(uint4));
        });
        __syncwarp();
    }
}

__global__ void kernel_steps(const unsigned* start, unsigned* steps, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;

    __shared__ uint4 result;
    __shared__ uint64_t bar;
    __shared__ uint4 second;
    __shared__ uint64_t bar2;
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_init(&bar2, 1);
    }
    __syncthreads();
    request(&second, &bar2);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar2, 0)) {
    }
    request(&result, &bar);
    do_tile(start, steps, n, blockIdx.x);
    int phase = 0;
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
    }
    phase ^= 1;
    bool more = ptx::clusterlaunchcontrol_query_cancel_is_canceled(second);
    if (more)
        do_tile(start, steps, n, ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(second));
    while (ptx::clusterlaunchcontrol_query_cancel_is_canceled(result)) {
        int bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        __syncthreads();
        if (more)
            request(&result, &bar);
        do_tile(start, steps, n, bx);
        if (!more)
            break;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
    }
}
