/*
 * The loop to copy: steal_blocks(tile) calls tile(block) for the block's own index, and for each block it steals.
 *  - called by all threads of the block, once in a kernel; `tile` may use __syncthreads()
 *  - `return` in `tile` leaves the tile, not the loop
 *  - shared memory that `tile` uses may be used again in the next tile: all threads have left the last one
 *  - x, y and z are decoded, so grids of every dimension will do
 * Below compute capability 10.0 it calls tile once: one block for each tile, as before. Needs CUDA 12.9.
 * Not here: clusters (step 4), the stand-in for older GPUs (common/clc.cuh), several requests in flight.
 */
#pragma once

#include <cooperative_groups.h>
#include <cuda/ptx>

template <class Tile> __device__ void steal_blocks(Tile tile)
{
    dim3 block = blockIdx;
#if __CUDA_ARCH__ < 1000
    tile(block);
#else
    namespace cg = cooperative_groups;
    namespace ptx = cuda::ptx;

    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);

    for (int phase = 0;; phase ^= 1) {
        __syncthreads();
        if (cg::thread_block::thread_rank() < 32) {
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            });
            __syncwarp();
        }

        tile(block);

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            return;
        block.x = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(result);
        block.y = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<unsigned>(result);
        block.z = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z<unsigned>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
#endif
}
