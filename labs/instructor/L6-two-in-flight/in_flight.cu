/*
 * Lab 6: two requests in flight. steps[i] becomes the number of Collatz steps from start[i] down to 1 (halve an even
 * number, triple an odd one and add 1), which takes 0 to some hundred turns of a loop: tiles differ in cost.
 *
 *   run    make grade N=6
 *   read   kernel_steps(): step 3, one request in flight; while a short tile is done, the answer is still under way
 *   want   two requests under way while a tile is computed, each with a slot of its own, and nothing lost at the end
 *
 * Launched with one block per tile, 64 to 256 threads in one dimension. On 10.0 `pool` is empty.
 */
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

    // [solution]
    __shared__ uint4 result[2];
    __shared__ uint64_t bar[2];
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar[0], 1);
        ptx::mbarrier_init(&bar[1], 1);
    }
    __syncthreads(); // all see the barriers initialised
    request(&result[0], &bar[0]);
    request(&result[1], &bar[1]); // before any answer is looked at
    do_tile(start, steps, n, blockIdx.x);

    bool refused = false;
    for (int turn = 0, in_flight = 2; in_flight > 0; turn++) {
        const int slot = turn % 2, phase = turn / 2 % 2;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar[slot], phase)) {
        }
        in_flight--;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[slot])) {
            refused = true; // ask no more; the other request may have been granted
            continue;
        }
        const int bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result[slot]);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        __syncthreads(); // all have read result[slot]
        if (!refused) {
            request(&result[slot], &bar[slot]);
            in_flight++;
        }
        do_tile(start, steps, n, bx);
    }
    // [skeleton]
    //| __shared__ uint4 result;
    //| __shared__ uint64_t bar;
    //| int phase = 0;
    //| if (cg::thread_block::thread_rank() == 0)
    //|     ptx::mbarrier_init(&bar, 1);
    //| int bx = blockIdx.x;
    //| while (true) {
    //|     __syncthreads();
    //|     request(&result, &bar);
    //|     do_tile(start, steps, n, bx);
    //|     while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
    //|     }
    //|     phase ^= 1;
    //|     if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
    //|         break;
    //|     bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
    //|     ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    //| }
    // [end]
}
